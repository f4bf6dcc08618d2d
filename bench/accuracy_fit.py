# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Fit what is fitted on half of the families and report on the other half: how much the fits flatter."""

from __future__ import annotations

from collections import Counter
from itertools import product
from statistics import mean, median_low

import accuracy
from accuracy_data import BRACKET_CONTEXTS, SPLITS

MIB = 2**20
DANGEROUS_WEIGHT = 5
"""A wrong "fits" counts as five wrong "fails"."""
CONTEXTS = [MIB * mib for mib in range(1400, 2001, 10)]


def halves(rows):
    """Return the families in two halves: of each kind, largest first, to the half with fewer rows so far."""
    sizes = Counter((row["kind"], row["family"]) for row in rows)
    found = (set(), set())
    for kind in sorted({kind for kind, _ in sizes}):
        filled = [0, 0]
        own = [(size, family) for (its, family), size in sizes.items() if its == kind]
        for size, family in sorted(own, key=lambda item: (-item[0], item[1])):
            half = filled.index(min(filled))
            filled[half] += size
            found[half].add(family)
    return found


def expected(run, context, split):
    """Return `expect` in bytes as estimate/memory.py adds it up, with other constants."""
    return context + max(run["segments"], run["reserved"][split])


def loss(runs, constants):
    return mean(abs(expected(run, *constants) / run["measured"] - 1) for run in runs)


def fit(runs):
    """Return (context, SPLITS' choice) of the least mean error."""
    return min(product(CONTEXTS, SPLITS), key=lambda constants: loss(runs, constants))


def left_out(runs):
    """Return [(constants fitted on the other half, Runs of a half with them)] for both halves."""
    return [without(runs, families) for families in halves(runs)]


def families_left_out(runs):
    """Return the Runs of every family with constants fitted on all others."""
    families = sorted({run["family"] for run in runs})
    return [run for family in families for run in without(runs, {family})[1]]


def without(runs, families):
    """Return the constants fitted without these families, and the families' Runs with them."""
    constants = fit([run for run in runs if run["family"] not in families])
    held = [run | {"expect": expected(run, *constants)} for run in runs if run["family"] in families]
    return constants, [as_run(run) for run in held]


def as_run(run):
    return accuracy.Run(**{name: run[name] for name in accuracy.Run.__dataclass_fields__})


def verdicts(brackets, context):
    """Count the verdicts of `least` with another of BRACKET_CONTEXTS; rows without a tape count as such."""
    return Counter(bracket["others"][str(context)] for bracket in brackets)


def fit_context(brackets):
    """Return the context of the least cost, a dangerous verdict counted five times; of equals the middle."""

    def cost(context):
        found = verdicts(brackets, context)
        return DANGEROUS_WEIGHT * found["dangerous"] + found["annoying"]

    costs = {context: cost(context) for context in BRACKET_CONTEXTS}
    return median_low(context for context, value in costs.items() if value == min(costs.values()))


def brackets_left_out(brackets):
    """Return [(context fitted on the other half, verdicts of a half with it)] for both halves."""
    return [
        (context, verdicts([row for row in brackets if row["family"] in families], context))
        for families in halves(brackets)
        for context in [fit_context([row for row in brackets if row["family"] not in families])]
    ]
