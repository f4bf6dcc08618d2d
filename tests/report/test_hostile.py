# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whatever a linted tree supplies is text in every report: no control, no command, no line of its own."""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections.abc import Mapping
from enum import Enum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

from trainlint.model.document import Source, Span
from trainlint.model.finding import Edit, Finding, Fix, Level, Skip
from trainlint.model.result import Report
from trainlint.report import closing, json_version_1, style
from trainlint.report.formats import concise, github, text
from trainlint.report.style import ANSI_CODES, Style, harmless, printable
from trainlint.report.text.fit_text import batch_key, render_fit

from .report_samples import failing, passing, report, unknown, unreadable

HOSTILE = (
    "\n::stop-commands::INJECTED\r\n  ::set-output name=a::INJECTED\r::error::INJECTED\x0b::INJECTED\x85"
    "##[error]INJECTED ##[add-mask]INJECTED ##vso[task.setvariable]INJECTED \x1b[2J\x1b]0;INJECTED\x07\x9b"
    "\u202e\u2066\u061c\u200b\u2060\u00ad\u3164\ufeff\U000e0041\ud800\u2028::INJECTED\u2029\x00"
)
"""Everything that a terminal, a log reader or a CI's runner would obey."""

PRINTED = frozenset(
    {"\u0600", "\u06dd", "\u070f", "\u0890", "\u08e2", "\U000110bd", "\U000110cd", "\U00013430"}
)
"""The first of those format characters that are drawn: marks around numbers and between hieroglyphs."""


def poisoned(value: Any, *, name: str = "") -> Any:
    """Return a value with every string in it hostile, however deep; keys of mappings too."""
    if isinstance(value, Source):
        lines = [f"{line}  # {HOSTILE.replace(chr(10), ' ')}" for line in value.text.split("\n")]
        return Source(f"::error::INJECTED{HOSTILE}", "\n".join((*lines, HOSTILE)))
    if isinstance(value, str) and not isinstance(value, Enum):
        return f"::error::INJECTED{value}{HOSTILE}"
    if isinstance(value, Mapping):
        return {poisoned(key): poisoned(item) for key, item in value.items()}
    if isinstance(value, tuple) and not isinstance(value, Span):
        return tuple(poisoned(item) for item in value)
    if isinstance(value, Struct) and not isinstance(value, Span):
        names = {*value.__struct_fields__} - {"traceback"}  # several lines of our own, printed on demand
        return replace(value, **{name: poisoned(getattr(value, name)) for name in names})
    return value


def hostile_report() -> Report:
    variant = replace(failing(), variant="x", skips=(Skip("rule", "reason"),))
    again = replace(variant, variant="y")
    noted = replace(passing(), findings=(Finding("quiet", Level.WARN, "said", (Span(0, 4),)),))
    made: Report = poisoned(replace(report(), results=(*report().results, variant, again, noted)))
    return made


def obeyed(shown: str) -> list[str]:
    """Return what is wrong with printed text: controls, commands, lines that begin with a value's own."""
    wrong = [ascii(char) for char in shown if char != "\n" and printable(char) != char]
    wrong += re.findall(r"##[a-z]*\[.*", shown)
    return wrong + [line for line in shown.split("\n") if line.strip().startswith(("::", "INJECTED"))]


def bare(shown: str) -> str:
    """Take our own colours away."""
    return re.sub("\x1b\\[(0|" + "|".join(ANSI_CODES.values()) + ")m", "", shown)


@pytest.mark.parametrize("colour", [False, True])
@pytest.mark.parametrize("module", [text, concise], ids=["text", "concise"])
def test_reports_hold_text_alone(module, colour) -> None:
    made = module.render(hostile_report(), Style(colour))
    kind = obeyed(bare(made))
    starts = [line for line in kind if line.lstrip().startswith("::error::INJECTED")]
    assert [
        line for line in kind if line not in starts
    ] == []  # a path may begin a line: the console sees to it
    assert obeyed(bare(harmless(made))) == []


def test_annotations_hold_one_command_of_ours_each() -> None:
    made = github.render(hostile_report(), Style())
    assert harmless(made, annotations=True) == made
    assert all(re.match(r"::(error|warning|notice) file=", line) for line in made.splitlines())
    assert [
        wrong
        for wrong in obeyed(made)
        if not wrong.startswith(("::error file=", "::warning file=", "::notice file="))
    ] == []


def test_the_step_summary_and_what_is_said_aside_hold_text_alone() -> None:
    for made in (github.step_summary(hostile_report()), github.aside(hostile_report())):
        assert obeyed(made) == []
    nothing = replace(hostile_report(), results=(), crashes=())
    assert obeyed(harmless(closing.aside(nothing))) == []


def test_json_is_ascii_and_loses_nothing() -> None:
    made = json_version_1.render(hostile_report(), Style())
    assert made.isascii()
    assert obeyed(made) == []
    assert json.loads(made) == json.loads(json.dumps(json_version_1.as_dict(hostile_report())))


def test_the_table_of_targets_holds_text_alone() -> None:
    results = poisoned((failing(), passing(), unknown(), unreadable()))
    made = "\n".join(render_fit(results, Style()))
    assert [wrong for wrong in obeyed(harmless(made)) if wrong] == []
    assert printable(batch_key(results)) in made or batch_key(results)


def test_a_fix_that_writes_a_command_is_text() -> None:
    edit = Edit(Span(0, 4), f"name{HOSTILE}")
    finding = Finding("odd", Level.FAIL, "x", (Span(0, 4),), (Fix("do it", (edit,)),))
    made = Report((replace(failing(), findings=(finding,)),), files=1)
    for module in (text, concise, github):
        shown = module.render(made, Style())
        assert [wrong for wrong in obeyed(shown) if not wrong.startswith("::error file=")] == []


def test_no_character_that_is_not_drawn_passes() -> None:
    unseen = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    passed = {
        char for char in map(chr, range(sys.maxunicode + 1))
        if unicodedata.category(char) in unseen and printable(char) == char
    }  # fmt: skip
    marks = {
        char for char in passed if unicodedata.name(char, "").startswith(("ARABIC", "KAITHI", "EGYPTIAN"))
    }
    assert passed - marks == {"\t", "\u070f"}  # the Syriac abbreviation mark is drawn
    assert marks >= PRINTED - {"\u070f"}
    for tagged in ("\U000e0041", "\u3164", "\uffa0", "\u034f", "\u2065", "\ufff0", "#\ufe0f#[error]"):
        assert printable(tagged) != tagged


@pytest.mark.parametrize(
    "kept",
    ["naïve café", "e\u0301", "漢字とかな", "한국어", "русский", "עברית", "Ελληνικά",
     "\u26a0\ufe0f 🎉", "a\tb", "# heading ## [ok]"]
)  # fmt: skip
def test_letters_of_any_script_stay(kept) -> None:
    assert printable(kept) == kept
    assert harmless(kept) == kept


@pytest.mark.parametrize(
    "command",
    ["::error::x", "  ::add-mask::x", "\t::x::", "\u3000::stop-commands::x", "\x1b[1m::error::x\x1b[0m",
     "a\n::error file=x::y", "##[add-mask]x", "text ##[error]x", "###[command]x", "##vso[task.complete]x"],
)  # fmt: skip
def test_no_command_reaches_a_runner(command) -> None:
    shown = bare(harmless(command))
    assert not any(line.lstrip().startswith("::") for line in shown.split("\n"))
    assert not re.search(r"##[A-Za-z]*\[", shown)


def test_only_our_own_colours_pass() -> None:
    assert harmless("\x1b[1mbold\x1b[0m") == "\x1b[1mbold\x1b[0m"
    assert harmless("\x1b[5mx\x1b[2J") == "\ufffd[5mx\ufffd[2J"


@given(st.text("a[:#\n\t\x1b\x7f\u200b é", max_size=12), st.booleans())
def test_plain_text_is_found_to_be_what_it_is(text, annotations):
    """A text that is left alone without a search is one that the search leaves alone."""
    found = style.printable(text), style.harmless(text, annotations=annotations)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(style, "_is_plain", lambda _text: False)
        assert found == (style.printable(text), style.harmless(text, annotations=annotations))
