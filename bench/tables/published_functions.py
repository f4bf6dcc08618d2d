# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Write the digests of the functions that rules rest on, in all versions that were published.

    python -m bench published_functions MIRRORS

MIRRORS is a folder of git repositories named OWNER+NAME (bare, or with a work tree). All versions in the
histories of the repositories below count. Only digests are written, never a line of a source.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import yaml

from bench import ROOT
from bench.commands import parser_of
from bench.tables.published_code import versions
from trainlint.repository.code.published_functions import TABLE, definitions

REPOSITORIES: Final = {
    "basicsr": ("XPixelGroup+BasicSR", "xinntao+Real-ESRGAN", "megvii-research+NAFNet", "swz30+Restormer"),
    "basicsr-legacy": ("XPixelGroup+BasicSR", "andreistirb+mmsr"),
    "kair": ("cszn+KAIR",),
}


def main() -> None:
    """Write the table."""
    parser = parser_of(__doc__)
    parser.add_argument("mirrors", type=Path)
    mirrors = parser.parse_args().mirrors
    names = sorted(_rested_on())
    table: dict[str, dict[str, list[str]]] = {}
    for dialect, repositories in REPOSITORIES.items():
        known: dict[str, set[str]] = {name: set() for name in names}
        for repository in repositories:
            for _, content in versions(mirrors / repository / "repo", ["*.py"]):
                text = content.decode("utf-8", "replace")
                for name in names:
                    if f"def {name.rpartition('.')[2]}(" in text:
                        known[name] |= {digest for _, digest in definitions(text, name)}
        table[dialect] = {name: sorted(digests) for name, digests in known.items() if digests}
        print(
            f"{dialect}: {sum(map(len, table[dialect].values()))} digests of {len(table[dialect])} functions"
        )
    TABLE.write_text(json.dumps(table, indent=0) + "\n", encoding="utf-8")


def _rested_on() -> set[str]:
    """Return the names of all functions that a rule rests on."""
    rules = (yaml.safe_load(path.read_text(encoding="utf-8")) for path in (ROOT / "rules").glob("*.yaml"))
    return {name for rule in rules for name in rule.get("rests", ())}
