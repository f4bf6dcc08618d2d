# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The host passes only where the machine's RAM and /dev/shm are both known to hold what the run keeps."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from trainlint.judge.verdicts import verdicts
from trainlint.model.facts import Facts, HostNeeds
from trainlint.model.target import Target

GIB = 2**30


@pytest.mark.parametrize(
    ("ram", "shm", "limits", "verdict"),
    [
        (2 * GIB, GIB, {"ram": 8 * GIB, "shm": 2 * GIB}, "pass"),
        (2 * GIB, GIB, {"ram": 8 * GIB}, "not-judged"),
        (2 * GIB, 2**26, {"ram": 8 * GIB}, "pass"),
        (2 * GIB, 2**26 + 1, {"ram": 8 * GIB}, "not-judged"),
        (2 * GIB, 0, {"cpu_cores": 4}, "not-judged"),
        (2 * GIB, None, {"ram": 8 * GIB, "shm": 2 * GIB}, "not-judged"),
        (None, 0, {"ram": 8 * GIB, "shm": 2 * GIB}, "not-judged"),
    ],
)
def test_both_figures_of_the_machine_are_needed(ram, shm, limits, verdict) -> None:
    facts = Facts(host=HostNeeds(4, ram, shm))
    judged = SimpleNamespace(findings=(), skips=(), facts=facts, target=Target("box", None, 1, **limits))
    assert verdicts({}, judged)["host"] == verdict
