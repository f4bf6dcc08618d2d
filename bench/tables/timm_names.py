# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Write lint/trainlint/dialects/check/timm_names.json: the models and optimizers that timm knows by name.

    python -m bench timm_names

Read from the timm that runs this, with the names that it has given up, so that a slip in one is seen where
there is no timm.
"""

from __future__ import annotations

import json
from pathlib import Path

import timm
from timm.models import _registry as registry
from timm.optim import list_optimizers

from bench.commands import parser_of

TARGET = Path(__file__).parents[2] / "lint" / "trainlint" / "dialects" / "check" / "timm_names.json"


def names() -> dict[str, object]:
    """Return the whole table, with the version it is from."""
    gone = {name for module in registry._deprecated_models.values() for name in module}  # noqa: SLF001 - no other list has them
    return {
        "timm": timm.__version__,
        "models": sorted({*timm.list_models(), *(name.partition(".")[0] for name in gone)}),
        "optimizers": sorted(list_optimizers()),
    }


def main() -> None:
    """Write the table."""
    parser_of(__doc__).parse_args()
    TARGET.write_text(json.dumps(names(), indent=1) + "\n", encoding="utf-8")
