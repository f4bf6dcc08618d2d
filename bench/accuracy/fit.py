# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Fit the numbers that are fitted, and report on families that no fit saw.

They are each data set's context and, for GPUMemNet, workspace.BENCHMARK_RESERVE_SHARE.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from statistics import median_low

import numpy as np

from bench.accuracy.runs import BRACKET_CONTEXTS, RTX3090, Found, Run, quantile
from trainlint.estimate.replay.workspace import TRIED_SHARE

MIB = 2**20
Need = Callable[[Found], float]
"""What a run takes besides its context, in bytes."""
Fit = tuple[int, float]
"""A context in bytes, and a share like workspace.BENCHMARK_RESERVE_SHARE."""
CONTEXTS = [MIB * mib for mib in range(1300, 2001, 10)]
SHARES = [step / 20 for step in range(31)]
"""What BENCHMARK_RESERVE_SHARE is chosen among, by the same fit as the context."""
NO_SHARE = [0.0]
"""No second block: what the replay says alone."""
DENSE = frozenset({"vgg", "byobnet", "resnet", "res2net", "resnest", "sknet", "tresnet", "inception_v3"})
"""The families of dense convolutional networks, whose largest gradients weigh most."""
MARGIN_CONTEXTS = range(1300, 2401, 25)
"""MiB of context that are tried with MARGINS."""
MARGINS = [step / 200 for step in range(21)]
"""Shares on top of the segments that are tried: whether any margin would do better."""
SURE_SHARE = 0.99
"""Share of the runs that `worst` should cover where its margin is chosen."""
WEIGHTY = 0.01
"""Share of a measurement from which on a second workspace of the largest convolution counts as weighing."""
SHOWN_SHARE = 0.05
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


def fit(runs: Sequence[Found], of: Need = beyond, shares: Sequence[float] = SHARES) -> Fit:
    """Return the context and share of the least mean error."""
    rest, largest, measured = (
        np.array(column, dtype=float)
        for column in zip(*((of(run), run["largest"], run["measured"]) for run in runs), strict=True)
    )
    contexts = np.array(CONTEXTS)[:, None]
    found: list[tuple[float, Fit]] = []
    for share in shares:
        errors = np.abs((contexts + rest + share * largest) / measured - 1).mean(axis=1)
        at = int(errors.argmin())
        found.append((float(errors[at]), (CONTEXTS[at], share)))
    return min(found)[1]


def expected(run: Found, fitted: Fit, of: Need = beyond) -> float:
    """Return a run's `expect` with a fit's context and share."""
    context, share = fitted
    return context + of(run) + share * float(run["largest"])


def as_run(run: Found, expect: float) -> Run:
    """Return a collected run with another estimate."""
    names = [name for name in Run.__dataclass_fields__ if name != "expect"]
    return Run(**{name: run[name] for name in names}, expect=round(expect))


def in_sample(runs: Sequence[Found], of: Need = beyond) -> tuple[Fit, list[Run]]:
    """Return (fit, Runs), fitted on all."""
    fitted = fit(runs, of)
    return fitted, [as_run(run, expected(run, fitted, of)) for run in runs]


def held_out(
    runs: Sequence[Found],
    of: Need = beyond,
    shares: Sequence[float] = SHARES,
    unseen: frozenset[str] = frozenset(),
) -> tuple[list[Fit], list[Run]]:
    """Return (fits, Runs): each family with what was fitted on all others but those that are `unseen`."""
    fits, found = [], []
    for family in families(runs):
        rest, own = split(runs, family)
        fits.append(fit([run for run in rest if run["family"] not in unseen], of, shares))
        found += [as_run(run, expected(run, fits[-1], of)) for run in own]
    return fits, found


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


def margin(runs: Sequence[Found], fitted: Fit) -> float:
    """Return the share of `expect` that covers SURE_SHARE of the runs if added, unless cuDNN's trials do."""
    over = []
    for run in runs:
        tried = fitted[0] + beyond(run) + run["spike"]
        over.append(0.0 if run["measured"] <= tried else run["measured"] / expected(run, fitted) - 1)
    return quantile(over, SURE_SHARE)


def covered(runs: Sequence[Found]) -> list[tuple[Found, bool]]:
    """Return, held out, [(run, whether `worst` is above it)] with the margin of all other families."""
    found = []
    for family in families(runs):
        rest, own = split(runs, family)
        fitted = fit(rest)
        share = margin(rest, fitted)
        for run in own:
            worst = max(fitted[0] + beyond(run) + run["spike"], expected(run, fitted) * (1 + share))
            found.append((run, run["measured"] <= worst))
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


def with_margin(rows: Sequence[Found], context: int, share: float) -> tuple[int, int]:
    """Count (dangerous, annoying) verdicts where `share` is added to the segments, with a context in MiB."""
    room = RTX3090.capacity - context * MIB
    needs = [
        [end["segments"] * (1 + share) for end in row["ends"]] for row in rows if None not in row["ends"]
    ]
    return sum(fails <= room for _, fails in needs), sum(fits > room for fits, _ in needs)


def least_annoying(rows: Sequence[Found], dangerous: float) -> tuple[int, int]:
    """Return (dangerous, annoying) of the context and margin with the fewest annoying verdicts.

    `dangerous` is the largest share of the verdicts that may be dangerous.
    """
    tried = (with_margin(rows, context, share) for context in MARGIN_CONTEXTS for share in MARGINS)
    return min((each for each in tried if each[0] <= dangerous * len(rows)), key=lambda each: each[::-1])


def counted(found: Iterable[tuple[Found, str]]) -> Counter[str]:
    """Count verdicts."""
    return Counter(verdict for _, verdict in found)
