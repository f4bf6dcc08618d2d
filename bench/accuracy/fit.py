# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Fit each data set's context, the one number that is fitted, and report on families that no fit saw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from statistics import mean, median_low

from bench.accuracy.collected import BRACKET_CONTEXTS, Found
from bench.accuracy.runs import Run, quantile
from trainlint.estimate.replay.workspace import TRIED_SHARE

MIB = 2**20
Need = Callable[[Found], float]
"""What a run takes besides its context, in bytes."""
CONTEXTS = [MIB * mib for mib in range(1300, 2001, 10)]
SURE = 0.99
"""Share of the runs that `worst` should cover where its margin is chosen."""
WEIGHTY = 0.01
"""Share of a measurement from which on a second workspace of the largest convolution counts as weighing."""
HEAVY = 0.05
"""Share from which on the measurement itself shows whether there was a second one."""


def families(rows: Iterable[Found]) -> list[str]:
    """Name the families, in order."""
    return sorted({row["family"] for row in rows})


def split(rows: Iterable[Found], family: str) -> tuple[list[Found], list[Found]]:
    """Return the rows of all other families, and those of this one."""
    rest: list[Found] = []
    own: list[Found] = []
    for row in rows:
        (own if row["family"] == family else rest).append(row)
    return rest, own


def beyond(run: Found) -> float:
    """Return what a run has besides its context, in bytes, as estimate/run.py adds it up."""
    return float(max(run["segments"], run["reserved"]))


def block(run: Found) -> float:
    """Return the bytes of the largest dense convolution's workspace; `spike` is what trials add to it."""
    return float(run["spike"]) / (TRIED_SHARE - 1)


def fit(runs: Sequence[Found], of: Need = beyond) -> int:
    """Return the context of the least mean error."""
    return min(
        CONTEXTS, key=lambda context: mean(abs((context + of(run)) / run["measured"] - 1) for run in runs)
    )


def as_run(run: Found, expect: float) -> Run:
    """Return a collected run with another estimate."""
    names = [name for name in Run.__dataclass_fields__ if name != "expect"]
    return Run(**{name: run[name] for name in names}, expect=round(expect))


def in_sample(runs: Sequence[Found], of: Need = beyond) -> tuple[int, list[Run]]:
    """Return (context, Runs) with the context fitted on all."""
    context = fit(runs, of)
    return context, [as_run(run, context + of(run)) for run in runs]


def held_out(runs: Sequence[Found], of: Need = beyond) -> tuple[list[int], list[Run]]:
    """Return (contexts, Runs): each family with the context fitted on all others."""
    contexts, found = [], []
    for family in families(runs):
        rest, own = split(runs, family)
        contexts.append(fit(rest, of))
        found += [as_run(run, contexts[-1] + of(run)) for run in own]
    return contexts, found


def straight(runs: Sequence[Found]) -> tuple[float, float]:
    """Return (slope, offset) of the line on FakeTensor's figures of the least squared relative error."""
    weights = [run["measured"] ** -2 for run in runs]
    total = sum(weights)
    x = sum(w * run["fake"] for w, run in zip(weights, runs, strict=True)) / total
    y = sum(w * run["measured"] for w, run in zip(weights, runs, strict=True)) / total
    up = sum(w * (run["fake"] - x) * (run["measured"] - y) for w, run in zip(weights, runs, strict=True))
    slope = up / sum(w * (run["fake"] - x) ** 2 for w, run in zip(weights, runs, strict=True))
    return slope, y - slope * x


def fake_held_out(runs: Sequence[Found]) -> list[Run]:
    """Return FakeTensor's Runs, each family on the line through all others'."""
    found = []
    for family in families(runs):
        rest, own = split(runs, family)
        slope, offset = straight(rest)
        found += [as_run(run, slope * run["fake"] + offset) for run in own]
    return found


def margin(runs: Sequence[Found], context: int) -> float:
    """Return the share of `expect` that covers SURE of the runs when added, unless cuDNN's trials do."""
    over = []
    for run in runs:
        expect = context + beyond(run)
        over.append(0.0 if run["measured"] <= expect + run["spike"] else run["measured"] / expect - 1)
    return quantile(over, SURE)


def covered(runs: Sequence[Found]) -> list[tuple[Found, bool]]:
    """Return, held out, [(run, whether `worst` is above it)] with the margin of all other families."""
    found = []
    for family in families(runs):
        rest, own = split(runs, family)
        context = fit(rest)
        share = margin(rest, context)
        for run in own:
            expect = context + beyond(run)
            found.append((run, run["measured"] <= max(expect + run["spike"], expect * (1 + share))))
    return found


def says(bracket: Found, converted: str, context: int) -> str:
    """Return the verdict on a bracket."""
    ends = bracket["ends"]
    if None in ends:
        return "no tape"
    fits, fails = (end["fits"][converted][str(context)] for end in ends)
    return "annoying" if not fits else "dangerous" if fails else "in"


def fit_context(rows: Sequence[Found], converted: str) -> int:
    """Return the context with the fewest wrong verdicts; of equals the middle one."""
    wrong = {
        context: sum(says(row, converted, context) in ("dangerous", "annoying") for row in rows)
        for context in BRACKET_CONTEXTS
    }
    return median_low(context for context, count in wrong.items() if count == min(wrong.values()))


def brackets_held_out(rows: Sequence[Found], converted: str) -> tuple[list[int], list[tuple[Found, str]]]:
    """Return (contexts, [(row, verdict)]): each family with the context fitted on all others."""
    contexts, found = [], []
    for family in families(rows):
        rest, own = split(rows, family)
        contexts.append(fit_context(rest, converted))
        found += [(row, says(row, converted, contexts[-1])) for row in own]
    return contexts, found


def counted(found: Iterable[tuple[Found, str]]) -> Counter[str]:
    """Count verdicts."""
    return Counter(verdict for _, verdict in found)
