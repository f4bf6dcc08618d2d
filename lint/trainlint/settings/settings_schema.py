# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The JSON Schema of the settings, for editors: the same keys as `settings_keys.KINDS`, as a test checks."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from trainlint.settings import settings as module
from trainlint.settings.settings import MOST_COUNTED
from trainlint.settings.settings_bounds import TARGETS
from trainlint.settings.settings_keys import FILE_KEYS

ID = "https://trainlint.github.io/trainlint/settings.schema.json"
"""Where the site has it, which SchemaStore's entry names (docs/github/schemastore.json)."""

_STRINGS: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
_NAMES: dict[str, Any] = {"anyOf": [{"type": "string"}, _STRINGS]}
_COUNT: dict[str, Any] = {"type": "integer", "minimum": 1, "maximum": MOST_COUNTED}
_POSITIVE: dict[str, Any] = {"type": "number", "exclusiveMinimum": 0, "maximum": MOST_COUNTED}
_TEXT: dict[str, Any] = {"type": "string", "minLength": 1}
_FLAG: dict[str, Any] = {"type": "boolean"}

SHAPES: Mapping[str, dict[str, Any]] = {
    "target": {"anyOf": [{"type": "string"}, _STRINGS | {"maxItems": TARGETS}]},
    "fail-on": {"enum": ["warn", "fail"]},
    "trainer": _TEXT,
    "strict": _FLAG,
    "seconds-per-iteration": _POSITIVE,
    "session-budget-h": _POSITIVE,
    "sessions": {"enum": ["one", "many"]},
    "validation-size": {"type": "array", "items": _COUNT, "minItems": 2, "maxItems": 2},
    "validation-images": _COUNT,
    "dataset-size": _COUNT,
    "model-config": _TEXT,
    "context": {"type": "object", "additionalProperties": _POSITIVE},
    "calibration": _NAMES,
    "expandable-segments": _FLAG,
    "rules": _NAMES,
    "schemas": _NAMES,
    "gpus": _NAMES,
    "profiles": _TEXT,
    "select": _NAMES,
    "ignore": _NAMES,
    "levels": {"type": "object", "additionalProperties": {"enum": ["warn", "fail"]}},
    "per-file-ignores": {
        "type": "object",
        "propertyNames": {"pattern": "^[^#]+(#/.*)?$"},
        "additionalProperties": _NAMES,
    },
    "baseline": _TEXT,
    "exclude": _NAMES,
    "launcher": {"type": "string", "pattern": "^[a-z]+(:[1-9][0-9]*)?$"},
    "gpu-count": _COUNT,
    "reading": _TEXT,
    "files": {"type": "array"},
    "repo": _TEXT,
    "python": _TEXT,
    "networks": _NAMES,
    "trusted": _NAMES,
}
"""Key -> its JSON Schema, without the description."""


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a trainlint.toml."""
    words = dict(descriptions())
    properties: dict[str, Any] = {
        key: {**shape, "description": words[key.replace("-", "_")]} for key, shape in SHAPES.items()
    }
    some = {key: properties[key] for key in FILE_KEYS}
    properties["files"]["items"] = {
        "type": "object",
        "required": ["match"],
        "additionalProperties": False,
        "properties": {"match": {**_NAMES, "description": "Globs of the files."}, **some},
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": ID,
        "title": "Settings of trainlint (trainlint.toml, [tool.trainlint])",
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
    }


def descriptions() -> Iterator[tuple[str, str]]:
    """Yield each setting's name and the text below it in the source."""
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    (definition,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Settings")
    for line, below in zip(definition.body, definition.body[1:], strict=False):
        match line, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, " ".join(text.split())
