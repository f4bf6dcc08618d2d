# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The options that a model class is built with: completed as its trainer does, of the class that it asks for.

Most take a mapping. traiNNer-redux's ask for an msgspec struct, into which their trainer decodes the file.
"""

from __future__ import annotations

import importlib
import inspect
import json
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, Final

from trainlint.errors import CannotTraceError
from trainlint.tape.checkout_files import OWN_CODE

ITERATION_MULTIPLE: Final = 5040
"""The step is one whose number these divide: whatever a trainer does every few steps is done in it."""
PATH_OPTIONS: Final = (
    "root",
    "experiments_root",
    "models",
    "resume_models",
    "training_states",
    "log",
    "visualization",
    "results_root",
)
SIDE_OPTIONS: Final = {"gt_size": "crop.hr", "lq_size": "crop.lq"}


def options_of(step: Mapping[str, Any], mode: str) -> dict[str, Any]:
    """Return the options as a trainer completes them, at the step's own crops."""
    options: dict[str, Any] = json.loads(step[OWN_CODE]["config"])
    train = options.setdefault("datasets", {}).setdefault("train", {})
    train.update({name: step[field] for name, field in SIDE_OPTIONS.items() if name in train})
    train.update(phase="train", scale=options.get("scale", 1))
    paths = {
        name: "weights.pth" if value == "there" else value
        for name, value in (options.get("path") or {}).items()
    }
    return {
        **options,
        "name": "run", "is_train": True, "dist": mode == "ddp", "rank": 0, "world_size": 1,
        "num_gpu": 2 if mode == "dp" else 1, "auto_resume": False, "root_path": ".", "manual_seed": 0,
        "logger": {"print_freq": 100, "save_checkpoint_freq": ITERATION_MULTIPLE, "use_tb_logger": False},
        "path": {**paths, **dict.fromkeys(PATH_OPTIONS, "."), "resume_state": None},
    }  # fmt: skip


def as_asked_for(make: Callable[[Any], Any], options: Mapping[str, Any], step: Mapping[str, Any]) -> Any:
    """Return options as what makes a model annotates its first argument: a struct, or a mapping."""
    kind = _annotation(make)
    if not _is_struct(kind):
        return dict(options)
    struct = _struct(kind, options)
    train = (getattr(struct, "datasets", None) or {}).get("train")
    for name, field in SIDE_OPTIONS.items():  # the trainer's loop completes one from the other
        if hasattr(train, name) and field in step:
            setattr(train, name, step[field])
    return struct


def _annotation(make: Callable[[Any], Any]) -> Any:
    made: Any = make
    takes = made.__init__ if isinstance(make, type) else made
    known = [name for name in inspect.signature(takes).parameters if name != "self"]
    try:
        return typing.get_type_hints(takes).get(known[0]) if known else None
    except Exception:  # noqa: BLE001 - an annotation may be any expression of the repository's
        return None


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and hasattr(kind, "__struct_fields__")


def _struct(kind: Any, given: Mapping[str, Any]) -> Any:
    """Return a struct of what is given of its fields; what it has no field for is ours alone.

    A field that it needs and that is not given is about the user's disk, which nobody reads here: None.
    """
    fields = importlib.import_module("msgspec").structs.fields(kind)
    needed = {field.name: None for field in fields if field.required}
    named = {
        field.name: (field.type, given[field.encode_name]) for field in fields if field.encode_name in given
    }
    return kind(**needed | {name: _value(type_, value) for name, (type_, value) in named.items()})


def _value(kind: Any, value: Any) -> Any:
    """Return a value as a field of this type has it: a struct, a mapping or list of them, or converted."""
    kinds = _alternatives(kind)
    if isinstance(value, Mapping):
        if struct := next((alternative for alternative in kinds if _is_struct(alternative)), None):
            return _struct(struct, value)
        held = [
            typing.get_args(alternative)[1] for alternative in kinds if typing.get_origin(alternative) is dict
        ]
        if held and any(_is_struct(alternative) for alternative in _alternatives(held[0])):
            return {key: _value(held[0], item) for key, item in value.items()}
    msgspec = importlib.import_module("msgspec")
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise CannotTraceError(f"its options refuse {value!r}: {error}") from error


def _alternatives(kind: Any) -> tuple[Any, ...]:
    """Return the types that a value may have: of a union, and of an annotated type."""
    if typing.get_origin(kind) is typing.Annotated:
        return _alternatives(typing.get_args(kind)[0])
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        return tuple(inner for alternative in typing.get_args(kind) for inner in _alternatives(alternative))
    return (kind,)
