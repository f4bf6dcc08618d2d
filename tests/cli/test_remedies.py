# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Fixes of memory through the whole line: a command of timm's, and what is written into it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("torch")
pytest.importorskip("timm")

from tests.warm_cache import warm
from trainlint.cli.main import main

pytestmark = pytest.mark.torch

COMMAND = (
    "python train.py --data-dir /data --model resnetv2_50d_evos -b 64 \\\n"
    "  --sched cosine --lr 0.1 > log.txt\n"
)


def linted(tmp_path: Path, text: str, target: str = "rtx-3060") -> dict:
    (tmp_path / "run.sh").write_text(text, encoding="utf-8")
    found = CliRunner().invoke(main, ["check", str(tmp_path / "run.sh"), "-t", target, "--format", "json"])
    (result,) = json.loads(found.stdout)["results"]
    return result


def test_a_command_gets_the_flags_that_make_it_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(warm(tmp_path / "cache")))
    (finding,) = linted(tmp_path, COMMAND)["findings"]
    assert finding["rule"] == "vram-budget"
    summaries = [fix["summary"] for fix in finding["fixes"]]
    assert summaries[0].startswith(
        "batch_size: 64 -> 32, add --grad-accum-steps 2 (the effective batch stays"
    )
    assert summaries[1].startswith("add --grad-checkpointing (slower")
    assert any(
        note.startswith("fits with little to spare: add --amp (mixed precision") for note in finding["notes"]
    )
    for fix in finding["fixes"]:
        edited = COMMAND
        for edit in sorted(fix["edits"], key=lambda edit: edit["start"], reverse=True):
            edited = edited[: edit["start"]] + edit["text"] + edited[edit["end"] :]
        assert edited.endswith("--sched cosine --lr 0.1 > log.txt\n")
        assert linted(tmp_path, edited)["outcome"] == "pass"
