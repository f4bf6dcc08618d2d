# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The readings of a job: the ways to understand it that the input leaves open, and what holds in all of them.

A reading is a published version of a script, a definition of a network, or whether the job is started by a
launcher. A fail has to hold under every reading of a job; what only some of them have is a warning that says
which.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from trainlint.estimate.run.launcher import NONE, TORCHRUN, Launcher, known_launcher
from trainlint.estimate.run.placement import Placing
from trainlint.hardware import Target
from trainlint.job import Job
from trainlint.judge.finding import Finding, Level
from trainlint.judge.ignores import UNUSED
from trainlint.judge.result import Result
from trainlint.judge.rule import Rule
from trainlint.spec import TrainSpec

DECIDED = ("gpus", "parallel", "batch.per_process", "batch.per_replica", "workers.per_process")
"""Fields by which a launched job differs from one that is not."""

Key = tuple[str, int]
"""A finding in any of its readings: its rule and where it points first."""


class Wishes(Struct, frozen=True):
    """What the user says of the questions that an input leaves open; None: both answers are judged.

    `gpus` are those that the job may use of a target's, `reading` a part of the name of the one reading that
    is wanted.
    """

    launcher: Launcher | None = None
    gpus: int | None = None
    reading: str | None = None
    images: int | None = None


def on_target(target: Target | None, wishes: Wishes) -> Target | None:
    """Return the target with the GPUs that the job may use."""
    if target is None or wishes.gpus is None or wishes.gpus >= target.gpu_count:
        return target
    return replace(target, gpu_count=wishes.gpus)


def readings(jobs: Sequence[Job], target: Target | None, wishes: Wishes) -> tuple[Job, ...]:
    """Return one document's jobs placed on a target: each variant, launched and not where that is open."""
    starts = {job.start for job in jobs}
    found = [placed for job in jobs for placed in _launched(job, target, wishes)]
    if len(starts) > 1:
        found = [_named(job, f"as in {job.start.place}" if job.start is not None else "") for job in found]
    wanted = [
        job for job in found if wishes.reading and wishes.reading.lower() in (job.reading or "").lower()
    ]
    return tuple(wanted or found)


def _launched(job: Job, target: Target | None, wishes: Wishes) -> Iterator[Job]:
    launching = job.dialect.launching
    if job.start is not None and launching is not None and launching.heeds_visible:
        target = on_target(target, Wishes(gpus=job.start.visible))
    known = known_launcher(job) or (wishes.launcher if launching is not None else None)
    if known is not None:
        yield Placing(target, known, wishes.images).of(job)
        return
    plain, started = (Placing(target, Launcher(value), wishes.images).of(job) for value in (NONE, TORCHRUN))
    if _alone(plain.spec, started.spec):
        yield plain
    else:
        yield from (_named(each, _how(each)) for each in (plain, started))


def _alone(plain: TrainSpec, started: TrainSpec) -> bool:
    """Return whether it makes no difference: one GPU either way, with the same share of the samples.

    DistributedDataParallel over one process only adds a copy of the gradients, and nobody starts it so.
    """
    if all(plain.get(name) == started.get(name) for name in DECIDED):
        return True
    counts = {plain.get("gpus"), started.get("gpus")}
    shares = DECIDED[2:]
    return counts <= {0, 1} and all(plain.get(name) == started.get(name) for name in shares)


def _how(job: Job) -> str:
    launcher = job.placing.launcher if job.placing is not None else None
    return launcher.reading if launcher is not None else ""


def _named(job: Job, name: str) -> Job:
    return replace(job, reading=f"{job.reading}, {name}" if job.reading else name)


def settled(results: Sequence[Result], rule: Rule | None = None) -> tuple[Result, ...]:
    """Return the readings' results with every fail that is none in one of them made a warning.

    `results` are of one document on one target. Findings that only some have say in which they hold. Where
    all readings fail, each for reasons of its own, `rule` says so.
    """
    if len(results) < 2:  # noqa: PLR2004  # one reading: nothing is open
        return tuple(results)
    having: dict[Key, dict[int, Level]] = defaultdict(dict)
    for reading, result in enumerate(results):
        for finding in result.findings:
            levels = having[key_of(finding)]
            levels[reading] = Level.FAIL if levels.get(reading) is Level.FAIL else finding.level
    names = [result.variant or "" for result in results]
    held = tuple(_settled(result, having, names) for result in results)
    return held if rule is None else _with_the_sum(results, held, rule)


def _with_the_sum(before: Sequence[Result], held: tuple[Result, ...], rule: Rule) -> tuple[Result, ...]:
    """Add the finding that no reading works, where every one failed and none of the fails is common."""
    fails = [[one for one in result.findings if one.level is Level.FAIL] for result in before]
    if not all(fails) or any(one.level is Level.FAIL for one in held[0].findings):
        return held
    reasons = "; ".join(
        f"{result.variant}: {', '.join(dict.fromkeys(one.rule for one in found))}"
        for result, found in zip(before, fails, strict=True)
    )
    message = f"it fails in every reading, each for a reason of its own ({reasons})"
    finding = Finding(rule.name, rule.level, message, fails[0][0].spans[:1])
    return tuple(result.with_findings((*result.findings, finding)) for result in held)


def _settled(result: Result, having: Mapping[Key, Mapping[int, Level]], names: Sequence[str]) -> Result:
    findings = tuple(
        _held(finding, having[key_of(finding)], names)
        for finding in result.findings
        if finding.rule != UNUSED or len(having[key_of(finding)]) == len(names)
    )
    return result.with_findings(findings)


def _held(finding: Finding, levels: Mapping[int, Level], names: Sequence[str]) -> Finding:
    """Keep a finding that every reading has, at the mildest of their levels; else name those that have it."""
    if len(levels) < len(names):
        return replace(finding, level=Level.WARN, holds_in=tuple(names[reading] for reading in levels))
    if Level.WARN in levels.values():
        return replace(finding, level=Level.WARN)
    return finding


def key_of(finding: Finding) -> Key:
    """Return what makes a finding the same in another reading: its figures may differ."""
    return finding.rule, finding.spans[0].start
