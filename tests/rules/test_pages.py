# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The rules' pages are what the rules say, every rule has one, and none is left of a rule that is gone."""

from __future__ import annotations

from pathlib import Path

from trainlint.judge import load_rules
from trainlint.report.rule_pages import page, pages

from .examples import shipped

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "rules"


def test_the_pages_in_docs_are_up_to_date() -> None:
    written = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}
    assert written == dict(pages(load_rules())), (
        "run: python docs/generate.py (and delete pages of rules that are gone)"
    )


def test_a_page_tells_what_why_wrong_right_fix_and_source() -> None:
    text = page(shipped().rules["crop-scale"])
    headings = [line[3:] for line in text.splitlines() if line.startswith("## ")]
    assert headings == ["What must hold", "Why", "Wrong", "Right", "Fix", "Source"]
    assert "spec.crop.hr % spec.scale == 0" in text
