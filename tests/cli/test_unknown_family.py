# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the commands for one config say of a file of a family that no dialect reads."""

from __future__ import annotations

import pytest

from trainlint.errors import UsageError
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.toolbox import jobs_in, pipeline_for
from trainlint.settings.settings import Settings

LAUNCH = "compute_environment: LOCAL_MACHINE\ndistributed_type: NO\n"
SAID = (
    "this looks like a config of Hugging Face Accelerate, which is not supported"
    " (trainlint dialects lists what is)"
)


@pytest.mark.parametrize("command", ["fit", "explain", "spec"])
def test_a_known_family_is_named(trainlint, command) -> None:
    trainlint.write("other.yml", LAUNCH)
    done = trainlint(command, "other.yml")
    assert done.returncode == 2
    assert f"other.yml: {SAID}" in done.stderr
    assert "see docs/native.md" in done.stderr


def test_measure_names_it_too(tmp_path) -> None:
    path = tmp_path / "other.yml"
    path.write_text(LAUNCH, encoding="utf-8")
    tapes = tapes_for(Settings(), lambda _text: None, may_trace=False)
    with pytest.raises(UsageError, match="docs/native"):
        jobs_in(str(path), pipeline_for(Settings(), tapes))


def test_a_tensorflow_trainers_file_says_what_is_supported(trainlint) -> None:
    trainlint.write("tf.yml", "runtime:\n  distribution_strategy: mirrored\n  num_gpus: 2\n")
    done = " ".join(trainlint("tf.yml").stdout.split())
    said = "this looks like a config of TensorFlow's Model Garden, which is not supported"
    assert f"tf.yml: {said} (trainlint dialects lists what is)" in done
    assert "see docs/native.md" in done
