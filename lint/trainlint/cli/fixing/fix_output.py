# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`--fix` and `--diff` as they reach the files and the reader."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from trainlint.cli.console import complain, say, write_patch
from trainlint.cli.fixing.fixed_text import Fixed, diff, fixed_sources
from trainlint.documents.documentation import spared
from trainlint.errors import UsageError
from trainlint.files.atomic_write import remove_leftover_draft
from trainlint.files.replace_text import write_back
from trainlint.model.finding import Finding
from trainlint.model.result import AppliedFix, Report
from trainlint.model.units import plural
from trainlint.pipeline.pipeline import Pipeline
from trainlint.report.brief.reading_names import settled_by
from trainlint.report.job_block import blocks
from trainlint.report.style import printable
from trainlint.session.many_files import Input


class Fixing(Struct, frozen=True):
    """How texts are fixed: judged by all rules, so that an edit is the one that a report shows.

    `only` names the rules whose findings are fixed, none: all; `unsafe` edits change what is learned.
    """

    pipeline: Pipeline
    only: frozenset[str] = frozenset()
    unsafe: bool = False

    def of(self, inputs: Sequence[Input]) -> Iterator[Fixed]:
        """Yield the inputs that have fixes, or errors that are not to be fixed."""
        return fixed_sources(self.pipeline, inputs, self.only, unsafe=self.unsafe)


def show_diff(fixing: Fixing, inputs: Sequence[Input], output: Path | None) -> int:
    """Print the diffs; 1 when there is something to change, as diff itself does."""
    all_fixed = list(fixing.of(inputs))
    changes = [diff(fixed.before, fixed.after) for fixed in all_fixed if fixed.changed]
    write_patch("".join(changes), output)
    if not (changes or any(fixed.left for fixed in all_fixed)):
        complain("nothing would be edited")
    _say_left(all_fixed)
    return int(bool(changes))


def editable(inputs: Sequence[Input], named: Sequence[str]) -> list[Input]:
    """Return the inputs that may be edited: documentation is not, unless its file was named."""
    left = spared(inputs, named)
    return [item for item in inputs if item.path not in left]


class Written(Struct, frozen=True):
    """The fixes that were written, and whether none of their files was refused.

    `fails` counts the errors of rules that were not to be fixed.
    """

    fixes: tuple[AppliedFix, ...]
    complete: bool
    fails: Mapping[str, int]


def say_spared(report: Report) -> None:
    """Name the documentation whose findings could have been fixed."""
    unwritten = [
        result for result in report.results if result.by_hand and any(map(_is_writable, result.findings))
    ]
    left = list(dict.fromkeys(result.path for result in unwritten))
    if left:
        complain(f"left alone, as documentation: {', '.join(left)}; --fix edits such a file if it is named")


def _is_writable(finding: Finding) -> bool:
    return bool(finding.writable)


def say_done(report: Report, rules: Sequence[str]) -> None:
    """Say of each rule that was selected how many of its findings were fixed, and how many are left."""
    for rule in dict.fromkeys(rules):
        done = sum(rule in fix.rules for fix in report.fixes)
        left = sum(
            finding.rule == rule for block in blocks(report.results) for finding in block.result.findings
        )
        complain(f"{rule}: {plural(done, 'finding')} fixed, {left} left")


def say_nothing_written(report: Report) -> None:
    """Say that no edit was made, and why: what is left hangs on the version, is no sure edit, or has none."""
    left = [finding for block in blocks(report.results) for finding in block.result.findings]
    if not left or report.fixes:
        return
    offered = [finding for finding in left if finding.fixes and not finding.writable]
    counts = Counter(_why_by_hand(finding) for finding in offered)
    why = [f"{plural(count, 'edit')} {said}" for said, count in counts.items()]
    if not any(finding.writable for finding in left):
        complain(f"nothing fixed: {'; '.join(why) or 'no finding has an edit that passes'}")


def _why_by_hand(finding: Finding) -> str:
    """Say why none of a finding's edits is written."""
    if finding.holds_in is None:
        return "cannot be checked"
    option = settled_by(finding.holds_in)
    which = "ways to start" if option == "--launcher" else "versions"
    return f"only some {which} need, so name yours with {option}"


def write_fixes(fixing: Fixing, inputs: Sequence[Input]) -> Written:
    """Write what can be fixed, and say each edit; a file that is refused keeps no other back."""
    written: list[AppliedFix] = []
    complete = True
    for item in inputs:
        remove_leftover_draft(item.path)
    all_fixed = []
    for fixed in fixing.of(inputs):
        all_fixed.append(fixed)
        if not fixed.changed:
            continue
        try:
            write_back(fixed.before, fixed.after)
        except UsageError as error:
            complain(str(error))
            complete = False
        else:
            written += fixed.applied
            for fix in fixed.applied:
                say(printable(f"fixed {fix.place}: {fix.summary} [{', '.join(fix.rules)}]"), err=True)
    _say_left(all_fixed)
    fails = sum((Counter(fixed.fails) for fixed in all_fixed), Counter[str]())
    return Written(tuple(written), complete, fails)


def say_fails(fails: Mapping[str, int]) -> None:
    """Name the rules that a file still fails by, which were not selected and are in no report."""
    if fails:
        named = ", ".join(f"{rule} ({fails[rule]})" if fails[rule] > 1 else rule for rule in sorted(fails))
        complain(f"still fails rules that are not selected: {named}")


def _say_left(all_fixed: Sequence[Fixed]) -> None:
    """Say how many fixes were not applied because they change what is learned."""
    left = sum(fixed.left for fixed in all_fixed)
    if left:
        said = f"{plural(left, 'finding')} left, fixable with --unsafe-fixes, which changes training"
        complain(f"{said} (crop, batch or precision)")
