# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What was judged of a job, family by family: an outcome alone hides that memory was not judged."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final, Protocol

from trainlint.judge.rule import Rule
from trainlint.model.facts import IMAGES, Facts
from trainlint.model.finding import Finding, Level, Skip
from trainlint.model.target import Target
from trainlint.model.verdict import FAMILIES, Verdict

SMALLEST_SHM: Final = 64 * 2**20
"""Bytes of /dev/shm in a container that is started without --shm-size, the least that is usual
(docs.docker.com/reference/cli/docker/container/run)."""


class Judged(Protocol):
    """What a job's judging gave (a report's Result has it all)."""

    @property
    def findings(self) -> Sequence[Finding]:
        """What is wrong."""

    @property
    def skips(self) -> Sequence[Skip]:
        """What could not be judged."""

    @property
    def facts(self) -> Facts | None:
        """What the job needs."""

    @property
    def target(self) -> Target | None:
        """The machine."""


def verdicts(
    rules: Mapping[str, Rule], result: Judged, off: Collection[str] = frozenset()
) -> dict[str, Verdict]:
    """Return each family's verdict: its worst finding, else whether all that decides it could be judged.

    What is not asked (`off`) judges nothing, and what is hidden is no pass.
    """
    return {family: _verdict(family, rules, result, off) for family in FAMILIES}


def _verdict(family: str, rules: Mapping[str, Rule], result: Judged, off: Collection[str]) -> Verdict:
    def is_of_it(name: str) -> bool:
        return name in rules and family in (*rules[name].families, rules[name].family)

    def decides(name: str) -> bool:
        return is_of_it(name) and rules[name].level is Level.FAIL and not rules[name].optional

    levels = {finding.level for finding in result.findings if is_of_it(finding.rule)}
    if Level.FAIL in levels:
        return Verdict.FAIL
    known = _is_known(family, result.facts) and _has_limit(family, result.facts, result.target)
    if not known or any(decides(skip.rule) for skip in result.skips) or any(map(decides, off)):
        return Verdict.NOT_JUDGED
    memory = result.facts.memory if family == "memory" and result.facts is not None else None
    if (
        memory is not None
        and memory.exceeds
        and not any(decides(finding.rule) for finding in result.findings)
    ):
        return Verdict.NOT_JUDGED
    if levels:
        return Verdict.WARN
    return Verdict.NOT_JUDGED if _is_open(family, result.facts) else Verdict.PASS


def _is_known(family: str, facts: Facts | None) -> bool:
    """Return whether a family's facts are there; of a run's time, its length too."""
    fact = getattr(facts, family, None)
    return fact is not None and getattr(fact, "total_hours", ()) is not None


def _is_open(family: str, facts: Facts | None) -> bool:
    """Return whether it is not known how long a run validates, or how many images it writes then."""
    if facts is None or family not in {"time", "disk"}:
        return False
    return IMAGES in facts.missing if family == "disk" else getattr(facts.time, "untimed", None) is not None


def _has_limit(family: str, facts: Facts | None, target: Target | None) -> bool:
    """Return whether the machine has a figure to hold each of a family's against."""
    if target is None or facts is None:
        return False
    if family == "host":
        needs = facts.host
        if needs is None or needs.ram is None or needs.shm is None or target.ram is None:
            return False
        return target.shm is not None or needs.shm <= SMALLEST_SHM
    limits = {"memory": target.gpu, "time": target.session_budget_h, "disk": target.disk}
    return limits[family] is not None
