# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The shipped rules and dialects, loaded once for all tests here."""

from __future__ import annotations

from functools import cache

from trainlint.judge import RuleSet, load_rules
from trainlint.normalise import load_dialects
from trainlint.normalise.dialect import Dialect
from trainlint.rule_examples import Examples


@cache
def shipped() -> RuleSet:
    return load_rules()


@cache
def dialects() -> tuple[Dialect, ...]:
    return load_dialects()


@cache
def examples() -> Examples:
    return Examples(shipped(), dialects())
