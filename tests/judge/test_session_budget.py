"""The session that the user will spend replaces the machine's own, for the estimate and for the rules."""

from __future__ import annotations

from trainlint.cli.toolbox import targets_for
from trainlint.settings import Settings


def test_the_users_budget_reaches_the_rules() -> None:
    (own,) = targets_for(Settings(target=("kaggle-t4x2",)))
    (given,) = targets_for(Settings(target=("kaggle-t4x2",), session_budget_h=5.0))
    assert own.session_budget_h == 9.0
    assert given.session_budget_h == 5.0
