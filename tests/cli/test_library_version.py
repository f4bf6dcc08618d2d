# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which timm decided, through the whole line: pinned next to the command, and what is said of it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("torch")
pytest.importorskip("timm")

import timm

from tests.warm_cache import warm
from trainlint.cli.main import main

pytestmark = pytest.mark.torch

COMMAND = "python train.py --data-dir /data --model mobilenetv3_small_050 -b 8 --sched cosine --lr 0.1\n"
OTHER = "requirements.txt pins timm 0.0.1"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(warm(tmp_path / "cache")))


def linted(tmp_path: Path, text: str, pinned: str, *more: str) -> str:
    (tmp_path / "run.sh").write_text(text, encoding="utf-8")
    (tmp_path / "requirements.txt").write_text(f"timm=={pinned}\n", encoding="utf-8")
    return CliRunner().invoke(main, ["check", str(tmp_path / "run.sh"), "-t", "rtx-3060", *more]).stdout


def test_a_pin_that_the_installed_timm_is_not_leaves_memory_unjudged(tmp_path: Path) -> None:
    (result,) = json.loads(linted(tmp_path, COMMAND, "0.0.1", "--format", "json"))["results"]
    assert (result["outcome"], result["verdicts"]["memory"]) == ("skipped", "not-judged")
    reason = f"{OTHER}; {timm.__version__} is installed, and the default size may differ: install that"
    assert result["facts"]["missing"]["memory"] == f"{reason}, or pass --img-size"


def test_a_written_size_keeps_the_verdict_with_a_note(tmp_path: Path) -> None:
    text = COMMAND.replace("-b 8", "-b 8 --img-size 224")
    said = linted(tmp_path, text, "0.0.1")
    assert said.startswith("pass")
    assert f"with timm {timm.__version__} (though {OTHER})" in said
    (result,) = json.loads(linted(tmp_path, text, "0.0.1", "--format", "json"))["results"]
    assert result["facts"]["memory"]["library"] == {
        "name": "timm", "version": timm.__version__, "pin": OTHER, "agrees": False,
    }  # fmt: skip


def test_a_pin_that_is_followed_is_said(tmp_path: Path) -> None:
    said = linted(tmp_path, COMMAND, timm.__version__)
    pinned = f"(requirements.txt pins timm {timm.__version__})"
    assert f"with timm {timm.__version__} {pinned}" in said


def test_what_the_installed_timm_refuses_is_no_fail_where_another_is_pinned(tmp_path: Path) -> None:
    text = COMMAND.replace("mobilenetv3_small_050", "vit_tiny_patch16_224 --img-size 225")
    assert linted(tmp_path, text, timm.__version__).startswith("FAIL")
    said = linted(tmp_path, text, "0.0.1")
    assert "FAIL" not in said
    assert f"{OTHER}; {timm.__version__} is installed, and refuses this" in said


def test_explain_says_which_timm_its_page_is_of(tmp_path: Path) -> None:
    text = COMMAND.replace("-b 8", "-b 8 --img-size 224")
    said = commanded(tmp_path, "explain", text, "-t", "rtx-3060")
    assert f"with timm {timm.__version__} (though {OTHER})" in said
    said = commanded(tmp_path, "explain", COMMAND, "-t", "rtx-3060")
    reason = f"{OTHER}; {timm.__version__} is installed, and the default size may differ"
    assert f"note: memory is not judged: {reason}" in said


def test_explain_shows_the_step_that_was_judged(tmp_path: Path) -> None:
    """A job that pins timm 0.3.2 keeps attention's matrices, and with torch 1.7 GELU in fp32."""
    text = "python train.py /data --model vit_tiny_patch16_224 -b 4 --amp --img-size 224 --epochs 2\n"
    kept = []
    for pins in ("timm==0.3.2\ntorch==1.7.1", "timm==0.3.2\ntorch==2.0.1", "timm==1.0.9"):
        said = commanded(tmp_path, "explain", text, "-t", "rtx-3060", pins=pins)
        kept.append(float(re.findall(r"^activations +([\d.]+)", said, re.MULTILINE)[0]))
    assert kept[0] > 1.2 * kept[1] > 1.2**2 * kept[2]


def commanded(tmp_path: Path, command: str, text: str, *more: str, pins: str = "timm==0.0.1") -> str:
    (tmp_path / "run.sh").write_text(text, encoding="utf-8")
    (tmp_path / "requirements.txt").write_text(f"{pins}\n", encoding="utf-8")
    return CliRunner().invoke(main, [command, str(tmp_path / "run.sh"), *more]).stdout
