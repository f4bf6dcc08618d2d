# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The shipped rules and dialects, loaded once for all tests here."""

from __future__ import annotations

from functools import cache

from trainlint.dialects import load_dialects
from trainlint.dialects.schema.dialect import Dialect
from trainlint.judge import RuleSet, load_rules
from trainlint.pipeline.rule_examples import Examples


@cache
def shipped() -> RuleSet:
    return load_rules()


@cache
def dialects() -> tuple[Dialect, ...]:
    return load_dialects()


@cache
def examples() -> Examples:
    return Examples(shipped(), dialects())
