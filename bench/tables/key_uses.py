# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Write lint/trainlint/repository/keys/published_uses.json: digests of how published trainers use their keys.

    python -m bench key_uses MIRRORS

MIRRORS is a folder of git repositories named OWNER+NAME (bare, or with a work tree). Which revisions are read
is in bench/tables/key_uses.toml. Only digests and the schemas' keys are written, never a line of a source.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import ROOT
from bench.commands import parser_of
from bench.tables.bodies import exported
from trainlint.files.syntax_tree import parsed
from trainlint.repository.keys.key_uses import ANY_KEY, uses

SOURCES = Path(__file__).with_suffix(".toml")
OUTPUT = ROOT / "lint" / "trainlint" / "repository" / "keys" / "published_uses.json"


def main() -> None:
    """Read every source and write the digests."""
    parser = parser_of(__doc__)
    parser.add_argument("mirrors", type=Path)
    known: dict[str, dict[str, set[str]]] = {}
    for source, folder in exported(SOURCES, parser.parse_args().mirrors):
        schema = json.loads((ROOT / "schemas" / f"{source['dialect']}.json").read_text(encoding="utf-8"))
        keys = {*keys_of(schema), ANY_KEY}
        table = known.setdefault(source["dialect"], {})
        for file in sorted(folder.rglob("*.py")):
            tree = parsed(file.read_text(encoding="utf-8-sig", errors="replace"))
            for use in uses(tree, keys) if tree is not None else ():
                table.setdefault(use.key, set()).add(use.digest)
    plain = {
        dialect: {key: sorted(digests) for key, digests in keys.items()} for dialect, keys in known.items()
    }
    OUTPUT.write_text(json.dumps(plain, indent=0, sort_keys=True) + "\n", encoding="utf-8")


def keys_of(schema: Any) -> Iterator[str]:
    """Yield the names of all properties of a schema."""
    parts = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    named = schema.get("properties") if isinstance(schema, dict) else None
    if isinstance(named, dict):
        yield from named
    for part in parts:
        yield from keys_of(part)
