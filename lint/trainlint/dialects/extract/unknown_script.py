# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A training script that no dialect knows, with a parser of its own: a dialect made of its flags.

Its flags are checked as argparse would; what their names say (batch, workers, epochs, amp, resume) fills
fields for the rules that need no memory. What the script is has not been said, so nothing of it is a fail.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from trainlint.dialects.check.own_parser import parser_around
from trainlint.dialects.schema.dialect import Dialect, parse_dialect
from trainlint.model.document import Document
from trainlint.repository.trainer.own_classes import Own
from trainlint.repository.trainer.training_steps import MatchedStep

ID: Final = "script"
NUMBERS: Final = {"int": "integer", "float": "number"}
FIELDS: Final = (
    (r"(?:train_)?batch(?:_?size)?|bs", ("int",), "batch.per_process"),
    (r"(?:num_|n_|train_)?(?:data_?)?workers?|nworkers", ("int",), "workers.per_process"),
    (r"(?:num_|n_?|max_|total_)?epochs?", ("int",), "duration.epochs"),
    (r"(?:num_|n_|max_|total_)?(?:iters?|iterations)", ("int",), "duration.iterations"),
    (r"resume(?:_from)?(?:_checkpoint)?", (None, "str"), "resume"),
)
"""A flag's name, the types with which it means this, and the field: how scripts call these things."""
SWITCHES: Final = (
    (r"(?:use_)?(?:amp|fp16|half|mixed_precision)", "precision", "'fp16'"),
    (r"(?:use_)?(?:bf16|bfloat16)", "precision", "'bf16'"),
    (r"(?:use_|enable_)?tf32", "tf32", "true"),
    (r"(?:use_|torch_)?compile", "compile", "true"),
)
"""A switch's name, the field and what it is when the switch is on."""
AMP: Final = SWITCHES[0][0]
DTYPE: Final = r"(?:amp_|autocast_|torch_|train_|model_)?(?:dtype|precision)|mixed_precision"
"""Flags that take the name of a type: whatever else they take, bf16 means one thing."""
BF16: Final = "value.lowerAscii() in ['bf16', 'bfloat16', 'torch.bfloat16']"

ON_ONE_GPU: Final = {"field": "parallel", "value": "'none'", "origin": "default"}
"""What is said where no launcher starts it: whether it spreads a batch over more cards is not known."""


def script_dialect(document: Document, repo: Path | None = None) -> Dialect | None:
    """Return a dialect for a command whose script lies around it, or in `repo`, with a parser; else None."""
    parser = parser_around(document, repo)
    name = Path(str(document.meta.get("script"))).name
    return None if parser is None else parse_dialect(_schema(name, parser))


def unknown_step(document: Document) -> Own:
    """Return what is known of such a script's training step: nothing."""
    script = str(document.meta.get("script"))
    name = Path(script).name
    why = f"{name} is a script that trainlint does not know: its flags are checked, its memory is not judged"
    return Own(step=MatchedStep(name, script, why=why))


def _schema(name: str, parser: Mapping[str, Any]) -> dict[str, Any]:
    flags = {flag["dest"]: flag for flag in parser["flags"]}
    properties = {dest: _property(flag) for dest, flag in flags.items() if not flag["positional"]}
    if any(_is_of_autocast(flag) for flag in flags.values()):  # which says what the switch turns on
        for dest in _autocast(flags):
            properties[dest].pop("x-spec", None)
    typed = {dest: _typed(flag, flags) for dest, flag in flags.items() if _names_type(flag)}
    properties |= {dest: {**properties[dest], **more} for dest, more in typed.items()}
    positional = any(flag["positional"] for flag in flags.values())
    whole = parser["whole"]
    needed = [dest for dest, flag in flags.items() if flag["required"] and not flag["positional"]]
    around: dict[str, Any] = {"@script": {}, "@launcher": {}, "@env": {}}
    return {
        "x-trainlint": {
            "id": ID,
            "title": name,
            "loader": "argparse",
            "formats": ["command"],
            "unknown": "reject",
            "recognise": {"scripts": [name]},
            "trainer": {"identified": False, "forks": False},
            "derive": [ON_ONE_GPU],
        },
        "type": "object",
        "properties": {**around, **({"@args": {}} if positional or not whole else {}), **properties},
        "required": needed,
        "additionalProperties": not whole,
    }


def _property(flag: Mapping[str, Any]) -> dict[str, Any]:
    """Return the subschema of one flag; {} where its values cannot be read from its call."""
    spellings = {"x-flags": [name for name in flag["names"] if name.startswith("-")]}
    action, kind, nargs = flag["action"], flag["type"], flag["nargs"]
    if action in ("store_true", "store_false", "store_const", "count", "append_const"):
        fields = _switch(flag) if action == "store_true" else {}
        return {"type": "boolean", **spellings, **fields}
    if action not in (None, "store"):
        return spellings
    inner = {"type": NUMBERS.get(kind, "string")} if kind in (*NUMBERS, "str", None) else {}
    if flag["choices"] is not None and kind != "?":
        inner["enum"] = flag["choices"]
    if nargs in ("+", "*") or isinstance(nargs, int):
        takes = {"x-takes": nargs} if isinstance(nargs, int) else {}
        return {"type": "array", "items": inner, **takes, **spellings}
    if nargs is not None or kind == "bool":
        return spellings
    return {**inner, **spellings, **_default(flag), **_field(flag)}


def _default(flag: Mapping[str, Any]) -> dict[str, Any]:
    return {"default": flag["default"]} if flag["default"] is not None else {}


def _field(flag: Mapping[str, Any]) -> dict[str, Any]:
    """Return the field that a flag's name says, at most one."""
    name = flag["dest"].lower()
    fields = (
        field for pattern, kinds, field in FIELDS if flag["type"] in kinds and re.fullmatch(pattern, name)
    )
    return next(({"x-spec": field} for field in fields), {})


def _names_type(flag: Mapping[str, Any]) -> bool:
    """Return whether a flag takes one word, which may be the name of a type."""
    plain = flag["action"] in (None, "store") and flag["nargs"] is None and flag["type"] in (None, "str")
    return plain and not flag["positional"] and re.fullmatch(DTYPE, flag["dest"].lower()) is not None


def _typed(flag: Mapping[str, Any], flags: Mapping[str, Any]) -> dict[str, Any]:
    """Return that bf16 is the precision; by a flag of autocast (--amp-dtype) where a switch turns that on."""
    on = [f"flat[?'{dest}'].orValue(false) == true" for dest in _autocast(flags)]
    on = on if _is_of_autocast(flag) else []
    when = f"{BF16} && ({' || '.join(on)})" if on else BF16
    return {"x-spec": {"field": "precision", "value": "'bf16'", "when": when}}


def _is_of_autocast(flag: Mapping[str, Any]) -> bool:
    return _names_type(flag) and flag["dest"].lower().startswith(("amp_", "autocast_"))


def _autocast(flags: Mapping[str, Any]) -> list[str]:
    """Return the switches that turn autocast on."""
    switches = (dest for dest, flag in flags.items() if flag["action"] == "store_true")
    return [dest for dest in switches if re.fullmatch(AMP, dest.lower())]


def _switch(flag: Mapping[str, Any]) -> dict[str, Any]:
    name = flag["dest"].lower()
    switches: Iterator[tuple[str, str]] = (
        (field, value) for pattern, field, value in SWITCHES if re.fullmatch(pattern, name)
    )
    field = next(switches, None)
    return (
        {} if field is None else {"x-spec": {"field": field[0], "value": field[1], "when": "value == true"}}
    )
