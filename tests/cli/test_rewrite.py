# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""--fix and --diff: what is written, and that nothing else is."""

from __future__ import annotations

import stat
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec import Struct

from trainlint.cli.fixing.fixed_text import diff, fix_source
from trainlint.errors import UsageError
from trainlint.files.replace_text import write_back
from trainlint.files.text_source import load_source
from trainlint.judge.fixes.tries import Tries
from trainlint.model.document import Source, Span
from trainlint.model.finding import Edit, Finding, Fix, Level


def finding(text: str, old: str, new: str, level: Level = Level.FAIL, *, safe: bool = True) -> Finding:
    start = text.index(old)
    span = Span(start, start + len(old))
    fix = Fix("change it", (Edit(span, new),), safe)
    return Finding("rule", level, "wrong", (span,), (fix,))


class Corrections(Struct):
    """A pipeline that finds every `old` and offers `new`."""

    pairs: tuple[tuple[str, str, Level], ...]
    reported: dict[Path, frozenset[str]]
    rules: SimpleNamespace
    linted: list[str]
    unsafe: str = ""

    def lint_source(self, source: Source, *, named: bool, tries: Tries | None = None, thorough: bool = False):
        self.linted.append(source.text)
        found = [
            finding(source.text, old, new, level, safe=old != self.unsafe)
            for old, new, level in self.pairs
            if old in source.text
        ]
        return [
            SimpleNamespace(
                path=source.path, line=1, document=0, cell=None, findings=tuple(found), verdicts={}
            )
        ]


def corrections(*pairs: tuple[str, str, Level], unsafe: str = "") -> Corrections:
    return Corrections(pairs, {}, SimpleNamespace(rules={}), [], unsafe)


def test_every_fix_is_applied_the_worst_first() -> None:
    pipeline = corrections(("warn", "calm", Level.WARN), ("bad", "good", Level.FAIL))
    assert fix_source(pipeline, Source("x", "a: warn\nb: bad\n")).after.text == "a: calm\nb: good\n"


def test_what_was_not_listed_is_not_written() -> None:
    """A fix that only the first one's text has: nobody was shown it."""
    pipeline = corrections(("bad", "good", Level.FAIL), ("good", "best", Level.FAIL))
    found = fix_source(pipeline, Source("x", "a: bad\nb: bad\n"))
    assert "best" not in found.after.text


def test_each_edit_is_said_with_its_line_in_the_file_as_it_was() -> None:
    pipeline = corrections(("warn", "calm", Level.WARN), ("bad", "good", Level.FAIL))
    found = fix_source(pipeline, Source("x", "a: warn\nb: bad\n"))
    assert [(one.place, one.edits) for one in found.applied] == [
        ("x:2", ((2, "bad", "good"),)),
        ("x:1", ((1, "warn", "calm"),)),
    ]


def test_a_fix_that_brings_something_is_not_written() -> None:
    pipeline = corrections(("bad", "good", Level.FAIL), ("good", "best", Level.FAIL))
    source = Source("x", "a: bad\n")
    assert fix_source(pipeline, source).after == source


def test_fixes_that_undo_each_other_come_to_an_end() -> None:
    pipeline = corrections(("one", "two", Level.FAIL), ("two", "one", Level.FAIL))
    fix_source(pipeline, Source("x", "a: one\n"))
    assert len(pipeline.linted) < 5


@pytest.mark.parametrize("data", [b"\xef\xbb\xbfa: bad\r\nb: \xc3\xa4\r\n", b"a: bad", b"a: bad\n\r\n"])
def test_line_ends_bom_and_permissions_survive(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "c.yml"
    path.write_bytes(data)
    path.chmod(0o640)
    before = load_source(str(path))
    write_back(before, fix_source(corrections(("bad", "good", Level.FAIL)), before).after)
    assert path.read_bytes() == data.replace(b"bad", b"good")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.yml").write_text("a: bad\n")
    link = tmp_path / "link.yml"
    link.symlink_to("real.yml")
    before = load_source(str(link))
    write_back(before, fix_source(corrections(("bad", "good", Level.FAIL)), before).after)
    assert link.is_symlink()
    assert (tmp_path / "real.yml").read_text() == "a: good\n"


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "c.yml"
    path.write_text("a: bad\n")
    before = load_source(str(path))
    path.write_text("a: bad # and more\n")
    with pytest.raises(UsageError, match="was changed while it was linted"):
        write_back(before, Source(str(path), "a: good\n"))
    assert path.read_text() == "a: bad # and more\n"


def test_the_diff_is_one_that_patch_takes() -> None:
    text = diff(Source("c.yml", "x: 1\na: bad"), Source("c.yml", "x: 1\na: good"))
    assert text == (
        "--- c.yml\n+++ c.yml\n@@ -1,2 +1,2 @@\n x: 1\n-a: bad\n\\ No newline at end of file\n"
        "+a: good\n\\ No newline at end of file\n"
    )


def test_an_unsafe_fix_is_counted_and_applied_only_when_asked_for() -> None:
    text = "a: bad\nb: odd\n"

    pipeline = corrections(("bad", "good", Level.FAIL), ("odd", "even", Level.FAIL), unsafe="bad")
    mild = fix_source(pipeline, Source("x", text), unsafe=False)
    assert (mild.after.text, mild.left) == ("a: bad\nb: even\n", 1)
    bold = fix_source(pipeline, Source("x", text), unsafe=True)
    assert (bold.after.text, bold.left) == ("a: good\nb: even\n", 0)
