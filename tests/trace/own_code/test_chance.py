# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Random numbers on the host: a step that they decide is not judged by one of its outcomes."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("torch")

import numpy as np

from trainlint.errors import CannotTraceError
from trainlint.trace.own_code import random_numbers
from trainlint.trace.own_code.random_numbers import Chance


def outcomes(monkeypatch, draw) -> int:
    """Trace a step that draws; return how often that was."""
    monkeypatch.setattr(random_numbers, "encode", lambda tape: tape)
    found, traced = Chance(), []
    with found.watching():

        def tape():
            found.begin()
            traced.append(draw())
            return traced[-1]

        found.settled(tape)
    return len(traced)


def test_a_step_that_draws_nothing_is_traced_once(monkeypatch):
    assert outcomes(monkeypatch, lambda: "same") == 1


@pytest.mark.parametrize(
    "number",
    [
        random.random,
        np.random.rand,
        lambda: np.random.default_rng(0).random(),
        lambda: np.random.default_rng().random(),
    ],
)
def test_whatever_it_draws_from_is_seen(monkeypatch, number):
    assert outcomes(monkeypatch, lambda: f"same{number() > 2}") == 1 + random_numbers.FURTHER_TRACES
    with pytest.raises(CannotTraceError, match="draws random numbers"):
        outcomes(monkeypatch, lambda: str(number()))


def test_a_generator_that_was_made_before_is_seeded_too(monkeypatch):
    found = Chance()
    monkeypatch.setattr(random_numbers, "encode", lambda tape: tape)
    with found.watching():
        own = np.random.default_rng(7)

        def tape():
            found.begin()
            return str(own.random())

        with pytest.raises(CannotTraceError, match="draws random numbers"):
            found.settled(tape)
