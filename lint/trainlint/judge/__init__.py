# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Judging a job: rules are data, findings point into the file, fixes were tried before they are offered."""

from trainlint.judge.rule import Rule
from trainlint.judge.rule_folders import load_rules
from trainlint.judge.ruleset import RuleSet

__all__ = ["Rule", "RuleSet", "load_rules"]
