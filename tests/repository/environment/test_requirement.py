# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a requirement asks of a version, in pip's, conda's and Poetry's words."""

from __future__ import annotations

import pytest

from trainlint.repository.environment.requirement import Requirement, asked


@pytest.mark.parametrize(
    ("clauses", "taken", "refused"),
    [
        ("==1.0.9", "1.0.9", "1.0.31"),
        ("==1.0", "1.0.0", "1.0.1"),
        ("==1.0.*", "1.0.31", "1.1"),
        ("=1.0", "1.0.31", "1.1"),
        ("~=1.0.9", "1.0.31", "1.1"),
        ("~=1.0", "1.9", "2.0"),
        (">=0.9,<1.0.10", "1.0.9", "1.0.10"),
        (">1.0.9", "1.0.10", "1.0.9"),
        ("<=1.0.9", "0.9.16", "1.0.31"),
        ("!=1.0.30", "1.0.31", "1.0.30"),
        ("!=1.0.*", "1.1", "1.0.31"),
        ("^1.0.9", "1.9", "2.0"),
        ("^0.9.2", "0.9.16", "0.10"),
        ("== 1.0.9", "1.0.9.dev0", "1.0.10.dev0"),
    ],
)
def test_versions_that_are_asked_for(clauses, taken, refused):
    requirement = Requirement("timm", clauses)
    assert requirement.allows(taken)
    assert not requirement.allows(refused)


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("timm==1.0.9", "==1.0.9"),
        ("Timm >= 0.9, < 1.1", ">= 0.9, < 1.1"),
        ("timm[extra]~=1.0", "~=1.0"),
        ("timm=1.0.9=pyhd8ed1ab_0", "=1.0.9"),
        ("timm", None),
        ("timm-extra==1.0.9", None),
        ("my-timm==1.0.9", None),
        ("timmx==1.0.9", None),
        ("timm @ git+https://example.org/timm", None),
    ],
)
def test_requirements_in_a_line(text, clauses):
    found = asked("timm").search(text)
    assert (found[1] if found else None) == clauses


def test_a_pin_and_a_range_are_said_as_what_they_are():
    assert Requirement("timm", "==1.0.9").words == "pins timm 1.0.9"
    assert Requirement("timm", ">=0.9,<1.1").words == "asks for timm>=0.9,<1.1"
    assert Requirement("timm", "==1.0.*").words == "asks for timm==1.0.*"
