# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Accumulation under keys of another trainer: what a fork may read is no pass, wherever it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.dialects.documents import PLAIN, REDUX
from trainlint.dialects import normalise, recognise
from trainlint.documents.file_format import read
from trainlint.files.text_source import source_of
from trainlint.model.trainer import Trainer

from .dialect_jobs import dialects, jobs
from .test_legacy import CONFIG as LEGACY

TRAINERS = Path(__file__).parents[3] / "examples" / "trainers"
KAIR = (TRAINERS / "kair_rrdb_x4.json").read_text("utf-8")
NEOSR = (TRAINERS / "neosr_x4.toml").read_text("utf-8")
TIMM = (TRAINERS / "timm.sh").read_text("utf-8").strip()
KNOWN = REDUX.replace("paragonsr2_nano", "plksr")
NAMES = ("accum_iter", "gradient_accumulation_steps", "num_accum_steps", "accumulation_steps")

PLACES = {
    "basicsr": ("o.yml", PLAIN, ("scale: 2", "gt_size: 96", "  total_iter: 1000"), "{}: {}"),
    "basicsr-legacy": ("o.yml", LEGACY, ("scale: 4", "GT_size: 128", "  lr_G: !!float 2e-4"), "{}: {}"),
    "kair": ("o.json", KAIR, ('"scale": 4', '"H_size": 256', '"E_decay": 0.999'), '"{}": {}'),
    "neosr": ("o.toml", NEOSR, ("scale = 4", "batch_size = 32", "ema = 0.999"), "{} = {}"),
    "trainner-redux": ("o.yml", KNOWN, ("scale: 2", "  grad_clip: true"), "{}: {}"),
    "timm": ("run.sh", TIMM, ("--amp",), "--{} {}"),
}  # fmt: skip
"""A config of each trainer, what stands before the key at each of its places, and how the key is written."""
JOINTS = {"o.json": ", ", "run.sh": " "}

CASES = [
    pytest.param(dialect, at, key, id=f"{dialect}-{at.strip()}-{key}")
    for dialect, (_, _, places, _) in PLACES.items()
    for at in places
    for key in NAMES
    if not (dialect == "basicsr" and key == "accumulation_steps")  # which it counts
]


def with_key(dialect: str, at: str, key: str, value: int) -> str:
    name, text, _, form = PLACES[dialect]
    assert at in text
    joint = JOINTS.get(name, ", " if "size:" in at else f"\n{at[: len(at) - len(at.lstrip())]}")
    written = form.format(key.replace("_", "-") if name == "run.sh" else key, value)
    return text.replace(at, f"{at}{joint}{written}", 1)


def terms(dialect: str, text: str, trainer: Trainer | None) -> list[tuple[str, str]]:
    """Return the keys that are not counted, with the direction, for a trainer's fork or its original."""
    (document,) = read(source_of(text.encode(), PLACES[dialect][0]))
    found = recognise(document, dialects())
    assert found is not None
    (job,) = normalise(document, found, trainer) if trainer else jobs(text, PLACES[dialect][0])[1]
    return [(term["what"].split('"')[1], term["direction"]) for term in job.spec.get("uncounted", ())]


@pytest.mark.parametrize(("dialect", "at", "key"), CASES)
def test_what_a_fork_may_accumulate_is_not_counted(dialect: str, at: str, key: str) -> None:
    fork = Trainer(dialect)
    assert terms(dialect, with_key(dialect, at, key, 4), fork) == [(key, "more")]
    assert terms(dialect, with_key(dialect, at, key, 1), fork) == []
    assert terms(dialect, with_key(dialect, at, key, 4), None) == []
