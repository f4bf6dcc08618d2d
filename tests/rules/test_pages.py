"""The rules' pages are what the rules say, and every rule has its page."""

from __future__ import annotations

from pathlib import Path

from trainlint.judge.pages import pages, write

from .examples import shipped

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "rules"


def test_the_pages_in_docs_are_up_to_date() -> None:
    written = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}
    assert written == pages(shipped()), "run: python -m trainlint.judge.pages docs/rules"


def test_writing_removes_pages_of_rules_that_are_gone(tmp_path: Path) -> None:
    (tmp_path / "gone.md").write_text("old", encoding="utf-8")
    write(tmp_path)
    assert not (tmp_path / "gone.md").exists()
    assert (tmp_path / "crop-scale.md").read_text(encoding="utf-8").startswith("# crop-scale\n")
