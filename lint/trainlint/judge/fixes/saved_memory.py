# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What an edit saves: the memory that a job needs before and after it."""

from __future__ import annotations

from trainlint.judge.message_template import GIB, amount
from trainlint.judge.rule import Rule
from trainlint.judge.rule_values import fact_values
from trainlint.model.facts import Facts

MEMORY = "memory"


VALIDATION = "facts.memory.validation.least"


def workload_of(rule: Rule) -> str:
    """Name the part of a run whose memory a rule is about."""
    return "validation" if VALIDATION in rule.requires else "training"


def saving(rule: Rule, before: Facts | None, after: Facts | None) -> str:
    """Say what a job needs after an edit (the least, and what is expected) and how much less the least is.

    "" of a rule that is not about memory.
    """
    if MEMORY not in rule.families:
        return ""
    old, new = fact_values(before), fact_values(after)
    step = VALIDATION if workload_of(rule) == "validation" else "facts.memory.least"
    least, expect = step, f"{step.removesuffix('least')}expect"
    if least not in old or least not in new:
        return ""
    low, high = (f"{facts / GIB:.2f}" for facts in (new[least], new[expect]))
    less = old[least] - new[least]
    return f"needs {low} to {high} GiB" + (f", {amount(less).removesuffix(' GiB')} less" if less > 0 else "")
