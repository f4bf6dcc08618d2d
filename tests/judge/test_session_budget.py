# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The session that the user will spend replaces the machine's own, for the estimate and for the rules."""

from __future__ import annotations

import pytest

from trainlint.judge import load_rules
from trainlint.judge.evaluate import evaluate
from trainlint.judge.message_template import at_least
from trainlint.judge.rule_scope import Scope
from trainlint.model.facts import Facts, Time
from trainlint.model.finding import Finding
from trainlint.model.spec import TrainSpec
from trainlint.model.target import Target
from trainlint.session.toolbox import targets_for
from trainlint.settings.settings import Settings

from .jobs import job_of


def test_the_users_budget_reaches_the_rules() -> None:
    (own,) = targets_for(Settings(target=("kaggle-t4x2",)))
    (given,) = targets_for(Settings(target=("kaggle-t4x2",), session_budget_h=5.0))
    assert own.session_budget_h == 9.0
    assert (given.session_budget_h, given.session_h) == (5.0, 5.0)


@pytest.mark.parametrize(
    ("kept", "message"),
    [
        (0, "the run takes 4 days, but a session gives 9.0 h"),
        (
            5000,
            "the run takes 4 days, but a session gives 9.0 h: it needs 10 sessions, resumed by hand",
        ),
    ],
)
def test_sessions_are_counted_only_where_something_is_kept(kept: int, message: str) -> None:
    hours = (89.0, 89.0, 89.0)
    sessions = (10,) * 3 if kept else (None,) * 3
    time = Time((1.0, 1.0, 1.0), hours, sessions, "given", (kept,) * 3, (4.0,) * 3)
    target = Target("box", None, 1, session_budget_h=9.0)
    scope = Scope(job_of("pool: 180\n").document, TrainSpec({}), target, Facts(time=time))
    found = evaluate(load_rules().rules["session-budget"], scope)
    assert isinstance(found, Finding)
    assert found.message == message


@pytest.mark.parametrize(
    ("hours", "words"),
    [(16.7, "16 h"), (9.07, "9.0 h"), (9.0, "9.0 h"), (8.999999999, "9.0 h"), (89.0, "89 h")],
)
def test_a_lower_bound_is_rounded_down(hours, words) -> None:
    assert at_least(hours) == words
