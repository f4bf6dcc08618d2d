# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What is wrong with a rule beyond its own file: dialects that there are not, examples that cannot be.

Everything here raises PlacedError: a message, and the keys that lead to what it is about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path as Folder
from typing import Any, Final

from trainlint.config.schema_errors import Path, expected, shown
from trainlint.dialects import Dialect
from trainlint.dialects.schema.closed_objects import unlisted
from trainlint.dialects.schema.typed_fields import typed
from trainlint.errors import PlacedError, UsageError
from trainlint.hardware import load_hardware
from trainlint.judge.rule import Rule
from trainlint.judge.rule_names import NAMES
from trainlint.settings.settings_keys import KINDS as SETTINGS


def _groups() -> dict[str, dict[str, str]]:
    groups: dict[str, dict[str, str]] = {}
    for name, kind in NAMES.items():
        group, _, rest = name.partition(".")
        groups.setdefault(group, {})[rest] = kind
    return groups


GROUPS: Final = _groups()
"""What an example may give: spec, target, facts ..., each with its names and their types."""

KINDS: Final = ("pass", "fail", "fixed")

COMPLETED_FIELDS: Final = frozenset((
    "dialect", "uncounted", "batch.per_process", "batch.per_replica", "batch.total", "gpus", "parallel",
    "launcher", "launcher.may_shard", "launcher.may_offload", "launcher.offload_around", "launcher.by_user",
    "workers.per_process",
    "workers.total", "workers.per_gpu",
    "batch.per_gpu", "data.images", "networks.generator.scale", "validation.height", "validation.width",
    "validation.tile", "model.name", "model.config", "model.modules", "model.weight_bytes",
    "model.loading_least", "model.loading_most", "model.loaded_again", "model.download", "model.parameters",
    "zero_stage",
))  # fmt: skip
"""Fields that a target, the settings, the network or the base model complete (estimate/run/)."""

PYTHON: Final[Mapping[str, tuple[type, ...]]] = {
    "integer": (int,), "float": (float, int), "string": (str,), "boolean": (bool,), "list": (list,),
    "dict": (dict,),
}  # fmt: skip


def check_rule(rule: Rule, dialects: Sequence[Dialect]) -> None:
    """Raise PlacedError for a rule that speaks of what is not there, or lacks examples it could have."""
    known = {dialect.id: dialect for dialect in dialects}
    for path, name in _dialects(rule.data):
        if name not in known:
            raise PlacedError(f'there is no dialect "{name}"{expected(name, list(known))}', path)
    _absent(rule)
    _own_keys(rule, [known[name] for name in rule.dialects])
    for kind in KINDS:
        for index, example in enumerate(rule.data["examples"].get(kind, ())):
            _example(rule, known, example, kind, ("examples", kind, index))
    if rule.fixes and not rule.data["examples"].get("fixed"):
        raise PlacedError('it has a fix and no example of it: expected one in "examples", "fixed"', ("fix",))


def _dialects(data: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    for index, name in enumerate(data.get("dialects", ())):
        yield ("dialects", index), name
    for index, fix in enumerate(data.get("fix", ())):
        for inner, name in enumerate(fix.get("dialects", ())):
            yield ("fix", index, "dialects", inner), name
    for kind in KINDS:
        for index, example in enumerate(data["examples"].get(kind, ())):
            if "dialect" in example:
                yield ("examples", kind, index, "dialect"), example["dialect"]


def _own_keys(rule: Rule, dialects: Sequence[Dialect]) -> None:
    """Refuse to point at a key of the config itself that no document has, and that the rule does not read."""
    for index, name in enumerate(rule.data.get("at", ())):
        group, _, key = name.partition(".")
        if group == "doc" and name not in (*rule.requires, *(rule.absent or {})):
            complaints = [unlisted(dialect.schema, key) for dialect in dialects]
            if complaints and all(complaints):
                raise PlacedError(complaints[0], ("at", index))


def _absent(rule: Rule) -> None:
    """Refuse a value for a name that no expression reads, and one of another type than the name's."""
    read = str({key: part for key, part in rule.data.items() if key not in ("absent", "examples")})
    for name, value in (rule.absent or {}).items():
        place = ("absent", name)
        if name not in read:
            raise PlacedError(f'no expression of the rule reads "{name}"', place)
        if name in NAMES and not _is_typed(value, NAMES[name]):
            raise PlacedError(f'"{name}" is {shown(value)}, expected a value of type {NAMES[name]}', place)


def _is_typed(value: Any, kind: str) -> bool:
    return kind == "any" or (
        isinstance(value, bool) == (kind == "boolean") and isinstance(value, PYTHON[kind])
    )


def _example(
    rule: Rule, known: Mapping[str, Dialect], example: Mapping[str, Any], kind: str, path: Path
) -> None:
    if kind == "fixed" and not {"config", "becomes"} <= set(example):
        raise PlacedError('expected "config" and what it "becomes"', path)
    if "becomes" in example and kind != "fixed":
        raise PlacedError(
            'only an example of a fix says what a config becomes: expected it in "fixed"', (*path, "becomes")
        )
    if "machine" in example:
        _machine(example["machine"], (*path, "machine"))
    _settings(example.get("settings", {}), (*path, "settings"))
    for group, names in GROUPS.items():
        _typed(example, group, names, path)
    _possible(rule, known, example.get("spec", {}), path)


def _machine(name: str, path: Path) -> None:
    """Refuse a target that gpus.toml does not have: an example is estimated on no other."""
    hardware = load_hardware()  # a slip in its tables is none of the rule's
    try:
        hardware.target(name)
    except UsageError as error:
        raise PlacedError(str(error), path) from None


def _settings(written: Mapping[str, Any], path: Path) -> None:
    """Refuse a setting that a settings file may not have either."""
    for key, value in written.items():
        if key not in SETTINGS:
            raise PlacedError(f'unknown setting "{key}"{expected(key, list(SETTINGS))}', (*path, key))
        convert, wanted = SETTINGS[key]
        try:
            convert(Folder(), value)
        except (TypeError, ValueError, OverflowError, UsageError):
            raise PlacedError(f'"{key}" is {shown(value)}, expected {wanted}', (*path, key)) from None


def _typed(example: Mapping[str, Any], group: str, names: Mapping[str, str], path: Path) -> None:
    for name, value in example.get(group, {}).items():
        place = (*path, group, name)
        if name not in names:
            raise PlacedError(f'there is no "{group}.{name}"{expected(name, list(names))}', place)
        if not _is_typed(value, names[name]) or (group == "spec" and typed({name: value})[1]):
            raise PlacedError(
                f'"{group}.{name}" is {shown(value)}, expected a value of type {names[name]}', place
            )


def _possible(rule: Rule, known: Mapping[str, Dialect], spec: Mapping[str, Any], path: Path) -> None:
    """Refuse a field that no config of the example's dialects fills."""
    named = [spec["dialect"]] if "dialect" in spec else list(rule.dialects or known)
    if "dialect" in spec and spec["dialect"] not in known:
        raise PlacedError(f'there is no dialect "{spec["dialect"]}"', (*path, "spec", "dialect"))
    if rule.dialects and not set(named) <= set(rule.dialects):
        raise PlacedError(f'the rule is not for "{named[0]}"', (*path, "spec", "dialect"))
    filled = COMPLETED_FIELDS.union(*(known[name].fields for name in named))
    for name in spec:
        if name not in filled:
            message = f'no config of {", ".join(named)} fills "{name}": expected a field that one can have'
            raise PlacedError(message, (*path, "spec", name))
