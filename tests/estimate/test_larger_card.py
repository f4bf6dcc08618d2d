# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The card that is named where no edit helps holds all of a run, its loading as well."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from trainlint.estimate import larger_card
from trainlint.model.facts import Facts

GIB = 1 << 30


@pytest.mark.parametrize(("loading", "least"), [({}, 16), ({"model.loading_most": 30 * GIB}, 48)])
def test_a_card_that_cannot_load_the_weights_is_not_named(monkeypatch, loading, least) -> None:
    monkeypatch.setattr(larger_card, "holds", lambda facts: True)
    monkeypatch.setattr(larger_card, "replace", lambda target, gpu: gpu)
    cards = [cast("Any", SimpleNamespace(memory=size * GIB)) for size in (80, 24, 48, 16)]
    job = cast("Any", SimpleNamespace(spec=loading))
    found = larger_card.smallest_card(
        job, cast("Any", None), Facts(), cards, lambda job, target, largest: Facts()
    )
    assert found is not None
    assert found.memory == least * GIB
