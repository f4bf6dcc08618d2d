# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Judging one rule on one job: it does not apply, is skipped with a reason, holds, or is found broken."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from trainlint.dialects.schema.binding import OPTIONS_PREFIX
from trainlint.errors import RuleError, UnreadableError
from trainlint.expressions.cel import Expression, ExpressionError
from trainlint.judge.rule import Rule
from trainlint.judge.rule_scope import Scope
from trainlint.judge.uncounted_terms import weighed
from trainlint.model.finding import Finding, Level, Skip


def evaluate(rule: Rule, scope: Scope) -> Finding | Skip | None:
    """Judge a rule whose own expression decides; None where it holds or does not apply.

    Raises RuleError where an expression fails: a rule that cannot be evaluated must never look like a pass.
    In a document with refused values it is skipped instead.
    """
    try:
        return _judged(rule, scope)
    except ExpressionError as error:
        if scope.unsound:
            return Skip(rule.name, "a value that it reads is wrong")
        raise RuleError(f"{failing(rule, error)}: {error}") from error


def failing(rule: Rule, error: ExpressionError) -> str:
    """Return "file:line: key" of a rule's expression that could not be evaluated."""
    parts = {"when": rule.when, "certain": rule.certain, "assert": rule.assertion}
    named = (key for key, part in parts.items() if part is not None and repr(part.text) in str(error))
    return placed(rule, next(named, "message"))


def placed(rule: Rule, key: str) -> str:
    """Return "file:line: key" of a rule's key, and the rule's file alone where that cannot be read again."""
    from trainlint.judge.rule_files.rule_file import located  # noqa: PLC0415  # not for rules that are right

    try:
        return f"{located(Path(rule.path), (key,))}: {key}"
    except UnreadableError:
        return f"{rule.path}: {key}"


def _judged(rule: Rule, scope: Scope) -> Finding | Skip | None:
    missing = applies(rule, scope)
    if missing is None:
        missing = _unknown(rule, rule.asked_of_facts, scope)
    if missing is not None:
        return missing if isinstance(missing, Skip) else None
    values = values_for(rule, rule.requires, scope)
    level = level_of(rule, values)
    return weighed(rule, scope, None if level is None else _finding(rule, scope, values, level))


def level_of(rule: Rule, values: Mapping[str, Any]) -> Level | None:
    """Return the level of what an applying rule finds in values; None where it holds."""
    if rule.assertion is None or rule.assertion.holds(values):
        return None
    return rule.level if rule.certain is None or rule.certain.holds(values) else Level.WARN


def applies(rule: Rule, scope: Scope) -> Skip | bool | None:
    """Return None where a rule applies (facts aside), False where it does not, a Skip without a target.

    Order: the dialect, what the config must say, the machine, the condition.
    """
    if rule.kind != "assert" or not rule.speaks(scope.spec.get("dialect", "")):
        return False
    if scope.unknown and (hidden := _hidden(rule, scope)) is not None:
        return hidden
    if lacks(rule, scope) or not scope.open_keys.isdisjoint(rule.known_keys):
        return False
    unknown = _unknown(rule, rule.asked_of_target, scope)
    if unknown is not None:
        return unknown
    if rule.when is not None and not condition(rule, rule.when, scope):
        return False
    return None


def _hidden(rule: Rule, scope: Scope) -> Skip | None:
    """Return the skip of a rule that reads what only the shell knows, unless it lacks something else."""
    why = {name: reason for name in rule.reads if (reason := scope.why_unknown(name)) is not None}
    for option, reason in scope.unknown.items():
        if (
            option.startswith(OPTIONS_PREFIX)
            and "spec.options" in rule.reads
            and re.search(rf"\b{re.escape(option.removeprefix(OPTIONS_PREFIX))}\b", str(rule.data))
        ):
            why["spec.options"] = reason
    lacking = (name for name in (*rule.asked, *rule.keys) if name not in scope and name not in why)
    return Skip(rule.name, next(iter(why.values()))) if why and next(lacking, None) is None else None


def lacks(rule: Rule, scope: Scope) -> bool:
    """Say whether the config does not say what a rule asks for: then it does not apply."""
    return not scope.values.keys() >= rule.asked or any(name not in scope for name in rule.keys)


def _unknown(rule: Rule, names: Iterable[str], scope: Scope) -> Skip | bool | None:
    missing = [name for name in names if name not in scope]
    if not missing:
        return None
    reason = scope.why_missing(missing[0])
    return Skip(rule.name, reason) if reason else False


def condition(rule: Rule, expression: Expression, scope: Scope, requires: tuple[str, ...] = ()) -> bool:
    """Evaluate a condition of a rule; ExpressionError where it fails."""
    return expression.holds(values_for(rule, (*rule.requires, *requires), scope))


def values_for(rule: Rule, names: Iterable[str], scope: Scope) -> dict[str, Any]:
    """Return the values that a rule's expressions may read, absent ones as the rule says they count."""
    values = {"spec.dialect": scope.spec.get("dialect", ""), "job.variant": scope.variant or ""}
    known = scope.values
    for name in names:
        if name in known:
            values[name] = known[name]
        elif name in scope:
            values[name] = scope.get(name)
    for name, value in (rule.absent or {}).items():
        values[name] = scope.get(name) if name in scope else value
    return values


def _finding(rule: Rule, scope: Scope, values: dict[str, Any], level: Level) -> Finding:
    message = rule.message.format(values, scope.is_default) if rule.message else rule.summary
    notes = [
        note.text.format(values, scope.is_default)
        for note in rule.notes
        if note.when is None or note.when.holds(values)
    ]
    notes += _lent(scope, rule.at)
    from trainlint.judge.finding_spans import spans_of  # noqa: PLC0415 - not for what passes

    short = rule.short.format(values, scope.is_default) if rule.short else ""
    spans = spans_of(scope, rule.at)
    return Finding(rule.name, level, message, spans, notes=tuple(notes), short=short, hint=rule.hint)


def _lent(scope: Scope, names: Iterable[str]) -> list[str]:
    """Say where a value is set that a command takes from a file of defaults, or sets in its option file."""
    lent = scope.document.meta.get("borrowed", {})
    paths = dict.fromkeys(path for name in names for path in scope.paths(name) if path in lent)
    return [f"{'.'.join(map(str, path))} is set in {lent[path]}" for path in paths]
