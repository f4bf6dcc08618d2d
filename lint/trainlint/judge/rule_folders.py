# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The rules of trainlint, of installed extensions and of the folders that settings name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from trainlint.dialects import Dialect, load_dialects
from trainlint.errors import RuleError
from trainlint.judge.rule import Rule
from trainlint.judge.rule_files.rule_file import load_rule
from trainlint.judge.ruleset import RuleSet
from trainlint.shipped.extensions import brought
from trainlint.shipped.kept_data import checked_once
from trainlint.shipped.resource_paths import resource

RULE: Final = r"^(assert|from):"
"""What every rule's file has."""


def load_rules(extra: Sequence[Path] = (), dialects: Sequence[Dialect] | None = None) -> RuleSet:
    """Load the rules that trainlint ships, those of installed extensions and of `extra`; a later name wins.

    `extra` are files or folders. `dialects` are those that a rule may speak of, None: those that trainlint
    ships. Raises RuleError for a rule that is wrong, with its file and line, and for a name that comes twice
    among further rules. Shipped rules are checked as the user's own are, in a checkout whenever they changed.
    """
    rules: dict[str, Rule] = {}
    further = (*brought("rules"), *extra)
    with checked_once("rules") as unchecked:
        known = () if dialects is None and not unchecked and not further else dialects or load_dialects()
        for path in _files(resource("rules")):
            rule = load_rule(path, known, checked=unchecked)
            rules[rule.name] = rule
    own: dict[str, Path] = {}
    for path in {path.resolve(): path for place in further for path in _own_files(place, further)}.values():
        rule = load_rule(path, known)
        if rule.name in own:
            raise RuleError(f'{path}: the rule "{rule.name}" is in {own[rule.name]} already')
        own[rule.name], rules[rule.name] = path, rule
    return RuleSet(dict(sorted(rules.items())))


def _own_files(place: Path, named: Sequence[Path]) -> Sequence[Path]:
    """Return a folder's rules, or a file. Raises RuleError for rules in a folder of it that is not named."""
    from trainlint.files.nested_files import nested  # noqa: PLC0415  # for rules that are not ours

    if place.is_dir() and (lost := nested(place, ".yaml", RULE, named)):
        raise RuleError(lost)
    return _files(place)


def _files(place: Path) -> Sequence[Path]:
    if not place.exists():
        raise RuleError(f'no rules at "{place}": there is no such file or folder')
    if not place.is_dir():
        return (place,)
    names = sorted(os.listdir(place))  # noqa: PTH208 - a glob would compile a pattern, and names sort quicker
    for name in [name for name in names if name.endswith(".yml")]:
        raise RuleError(f"{place / name}: expected the name of a rule to end in .yaml")
    files = [place / name for name in names if name.endswith(".yaml")]
    if not files:
        raise RuleError(f'no rules in "{place}": expected files NAME.yaml in it')
    return files
