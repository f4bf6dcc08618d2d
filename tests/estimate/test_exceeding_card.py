# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What live tensors alone refuse is refused by the whole estimate too."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainlint.documents.file_format import read
from trainlint.estimate.larger_card import holds
from trainlint.files.text_source import load_source
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.toolbox import pipeline_for
from trainlint.settings.settings import Settings

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    ("name", "exceeds"), [("realesrgan_x4.yml", True), ("msrresnet_x4.yml", False), ("typos.yml", False)]
)
def test_what_exceeds_a_card_by_its_tensors_does_not_fit(name, exceeds):
    settings = Settings(target=("kaggle-t4x2",))
    pipeline = pipeline_for(settings, tapes_for(settings, lambda _: None, may_trace=False))
    (document,) = read(load_source(str(EXAMPLES / name)))
    job, *_ = pipeline.readings(pipeline.jobs(document), pipeline.targets[0])
    found = pipeline.judge.estimator.exceeds(job)
    assert (found is not None) is exceeds
    if exceeds:
        assert sum(found.values()) > 0
        assert not holds(pipeline.estimate(job, largest=False))
