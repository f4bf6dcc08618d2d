# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The command that a trainer's files find when they are imported: neosr's networks read their scale by it.

neosr/archs/arch_util.py (31c7022) parses the command line and reads the option file that it names.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from trainlint.tape.checkout_files import OWN_CODE

NEOSR: Final = "neosr"
"""Dialect whose networks read the command. Its option files are TOML, or YAML in its first versions."""


def command(step: Mapping[str, Any], folder: Path) -> list[str]:
    """Write the options that a step keeps to a file in `folder`; return the command that names it."""
    kept = json.loads(step[OWN_CODE].get("config", "{}"))
    always = {"name": "run", "datasets": {"train": {}}, "path": {}, "num_gpu": 1}
    options = {**always, "scale": step.get("scale", 1), **kept}
    toml = step[OWN_CODE].get("form") == "toml"
    file = folder / ("options.toml" if toml else "options.yml")
    text = "\n".join(_assigned(options)) if toml else json.dumps(options)
    file.write_text(text, encoding="utf-8")
    return ["train.py", "-opt", str(file)]


def _assigned(table: Mapping[str, Any]) -> list[str]:
    """Return a table's keys and values as TOML writes them; it has no word for None."""
    return [f"{json.dumps(key)} = {_toml(value)}" for key, value in table.items() if value is not None]


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(_assigned(value))}}}"
    if isinstance(value, list):
        return f"[{', '.join(_toml(item) for item in value if item is not None)}]"
    return json.dumps(value)
