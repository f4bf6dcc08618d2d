# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which of several verified edits a job is advised to make first."""

from __future__ import annotations

from trainlint.judge.recommended_edit import chosen_fix
from trainlint.model.document import Span
from trainlint.model.finding import Edit, Finding, Fix, Level


def finding(rule: str, text: str, level: Level = Level.FAIL) -> Finding:
    return Finding(
        rule, level, "wrong", (Span(0, 1),), (Fix(f"set it to {text}", (Edit(Span(0, 1), text),)),)
    )


def test_of_what_fails_memory_is_edited_first_as_fit_does() -> None:
    """The other rule's edit may fit as well, and learn from fewer samples."""
    pool, memory = finding("queue-not-divisible", "15"), finding("vram-budget", "12")
    for order in ((pool, memory), (memory, pool)):
        chosen = chosen_fix(order)
        assert chosen is not None
        assert chosen[0].rule == "vram-budget"


def test_a_warning_of_memory_does_not_go_before_what_fails() -> None:
    chosen = chosen_fix((finding("vram-budget", "12", Level.WARN), finding("queue-not-divisible", "15")))
    assert chosen is not None
    assert chosen[0].rule == "queue-not-divisible"
