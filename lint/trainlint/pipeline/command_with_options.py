# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A command and the option file that it names: one job, whose findings are in either of two files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from trainlint.judge import RuleSet
from trainlint.model.finding import OF_FLAGS, Finding, key_of
from trainlint.model.result import Result, outcome_of
from trainlint.model.start import Start


class CommandWithOptions(Struct, frozen=True):
    """A command and the option file at `path` that it starts.

    `elsewhere`: the file is linted by itself too, and under a command to the same effect.
    """

    start: Start
    path: str
    elsewhere: bool

    def merged(self, own: Sequence[Result], of_options: Iterable[Result], rules: RuleSet) -> Iterator[Result]:
        """Yield the command's `own` results, and those `found` of its option file on the same target.

        What is wrong with the command is said there, at the words that it is about. `found` is not asked for
        where the file is judged elsewhere.
        """
        if self.elsewhere:
            yield from (_without_skips(result) for result in own)
            return
        of_file = tuple(of_options)
        if not of_file:
            yield from own
            return
        moved = {
            key_of(finding)[0]: self._moved(finding, rules)
            for result in of_file
            for finding in result.findings
            if _of_the_command(finding, rules)
        }
        yield from (
            _without_skips(result.with_findings((*result.findings, *moved.values()))) for result in own
        )
        for result in of_file:
            kept = (finding for finding in result.findings if not _of_the_command(finding, rules))
            yield result.with_findings(tuple(kept))

    def _moved(self, finding: Finding, rules: RuleSet) -> Finding:
        """Return a finding at the words of the command that its rule points at."""
        document = self.start.document
        if document is None:
            return finding
        from trainlint.judge.finding_spans import span_at  # noqa: PLC0415 - not for what passes

        name = rules.rules[finding.rule].at[0].removeprefix("start.")
        paths = [(key,) for key in (name, f"@{name}") if (key,) in document.places]
        message = finding.message.removesuffix(f" ({self.start.place})")
        return replace(finding, message=message, spans=(span_at(document, next(iter(paths), ())),), fixes=())


def _of_the_command(finding: Finding, rules: RuleSet) -> bool:
    rule = rules.rules.get(finding.rule)
    return rule is not None and bool(rule.at) and rule.at[0].startswith("start.")


def _without_skips(result: Result) -> Result:
    """Return a command's result without what only its option file says: that is judged by itself."""
    own = tuple(skip for skip in result.skips if skip.rule == OF_FLAGS)
    outcome = outcome_of(result.findings, undecided=False)
    return replace(result, skips=own, undecided=False, verdicts={}, outcome=outcome)
