# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The table of targets: what is known in one row stands in a column, what is known in none in no column."""

from __future__ import annotations

from fractions import Fraction

from msgspec.structs import replace

from tests.report.report_samples import failing, passing
from trainlint.estimate.memory.crop_fit import LargestCrop
from trainlint.model.facts import ModelBytes
from trainlint.model.finding import Skip
from trainlint.model.result import Result
from trainlint.model.verdict import Verdict
from trainlint.report.style import Style
from trainlint.report.text.fit_text import OF_ONE, render_fit, render_markdown

WIDE = Style(width=400)


def test_the_largest_crop_stands_where_it_is_known() -> None:
    results = [failing(), passing()]
    _, *plain = render_fit(results, Style())
    assert "limit  safe" in plain[0]
    assert "crop limit" not in plain[0]
    for crop, text in (
        (LargestCrop("gt_size", 224), "224"),
        (LargestCrop("gt_size", 512, open=True), "512+"),
        (LargestCrop("gt_size", 0, least=64), "<64"),
        (LargestCrop("input_size", 480, aspect=Fraction(4, 3)), "480x640"),
        (LargestCrop("input_size", 480, open=True, aspect=Fraction(4, 3)), "480x640+"),
        (LargestCrop("input_size", 0, least=48, aspect=Fraction(4, 3)), "<48x64"),
    ):
        _, heading, *rows = render_fit(results, WIDE, {("kaggle-t4x2", None): crop})
        end = heading.index("crop limit") + len("crop limit")
        assert [row[:end].split()[-1] for row in rows] == [text, text]


def test_of_text_the_largest_length_is_said() -> None:
    length = LargestCrop("cutoff_len", 4096, of_text=True)
    _, heading, *_ = render_fit([passing()], WIDE, {("kaggle-t4x2", None): length})
    assert "length limit" in heading
    assert "crop" not in heading


def test_without_a_gpu_that_is_said_before_what_else_is_not_known() -> None:
    unknown = Skip("run-time", "how many samples there are is not known")
    known = passing().facts
    assert known is not None
    facts = replace(known, memory=None, missing={"memory": "it has no GPU"})
    bare = replace(
        passing(), facts=facts, verdicts={"memory": Verdict.NOT_JUDGED}, undecided=True, skips=(unknown,)
    )
    assert "\n".join(render_fit([bare, passing()], WIDE)).count("it has no GPU") == 2


def test_readings_are_words_and_the_table_stays_narrow() -> None:
    """The columns before "why" fit on a line of 100; of a machine without a verdict the figures say so."""
    bare = replace(passing(), facts=None, verdicts={"memory": Verdict.NOT_JUDGED})
    readings = [replace(failing(), variant=f"{name} a launcher") for name in ("without", "with")]
    _, heading, first, *rows = render_fit([bare, *readings], Style())
    assert heading.index("why") < 100
    at = heading.index("torchrun")
    assert [row[at:].split("  ")[0] for row in rows] == ["no", "yes"]
    assert first[: heading.index("least") + len("least")].endswith("not judged")
    assert heading[heading.index("verdict") :].split()[0] == "verdict"


def test_a_time_that_was_measured_on_one_card_is_not_compared_between_cards() -> None:
    def measured(name: str, basis: str) -> Result:
        one = passing()
        assert one.target is not None
        assert one.target.gpu is not None
        assert one.facts is not None
        assert one.facts.time is not None
        target = replace(one.target, name=name, gpu=replace(one.target.gpu, name=name))
        return replace(
            one, target=target, facts=replace(one.facts, time=replace(one.facts.time, basis=basis))
        )

    given = [measured("a", "given"), measured("b", "given")]
    first, second, *_ = render_fit(given, WIDE)
    assert "done first" not in first
    assert second == OF_ONE
    first, second, *_ = render_fit([measured("a", "roofline"), measured("b", "roofline")], WIDE)
    assert "done first" in first
    assert second != OF_ONE
    assert OF_ONE not in [*render_fit([given[0], given[0]], WIDE)]
    assert f"{OF_ONE}\n" in [*render_markdown(given)]


def test_a_run_is_done_first_where_its_longest_reading_is() -> None:
    """Short samples take as long on each of several cards."""

    def taken(name: str, hours: float) -> Result:
        one = passing()
        assert one.target is not None
        assert one.target.gpu is not None
        assert one.facts is not None
        assert one.facts.time is not None
        time = replace(one.facts.time, total_hours=(hours, hours, hours))
        target = replace(one.target, name=name, gpu=replace(one.target.gpu, name=name))
        return replace(one, target=target, facts=replace(one.facts, time=time), variant=f"of {hours}")

    results = [taken("slow", 0.5), taken("slow", 9.0), taken("fast", 0.5), taken("fast", 4.0)]
    first, *_ = render_fit(results, WIDE)
    assert "done first on fast (4.0 h)" in first


def test_rules_go_below_a_row_where_the_line_has_no_room_for_them() -> None:
    long = replace(
        failing(), findings=[replace(failing().findings[1], rule="a-rule-" + "of-many-words-" * 4)]
    )
    _, heading, first, below, *rows = render_fit([long, passing()], Style())
    assert not heading.endswith("why")
    assert "a-rule" not in first
    assert below == f"  {long.findings[0].rule}"
    assert len(rows) == 1
    _, heading, first, *rows = render_fit([long, passing()], Style(width=200))
    assert heading.index("why") == first.index("a-rule")
    assert len(rows) == 1


def test_what_the_model_alone_takes_is_the_least_and_readings_alike_are_one_row() -> None:
    known = passing()
    assert known.facts is not None
    facts = replace(known.facts, memory=None, model=ModelBytes(20 << 30), missing={"memory": "it is dpo"})
    small = replace(failing(), facts=facts, verdicts={"memory": Verdict.FAIL})
    answer, heading, *table = render_fit(
        [replace(small, variant="short"), replace(small, variant="long")], WIDE
    )
    assert answer.startswith("does not fit on 1 of 1 target")
    assert "reading" not in heading
    assert [row.split()[2] for row in table] == ["20.00+"]
