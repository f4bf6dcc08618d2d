# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Write lint/trainlint/dialects/check/torch_signatures.json: what torch's optimizers and schedulers take.

    python -m bench torch_signatures

Read from the torch that runs this, so that arguments are checked where there is none.
"""

from __future__ import annotations

import inspect
import json
from typing import Any

import torch

from bench import ROOT
from bench.commands import parser_of

TARGET = ROOT / "lint" / "trainlint" / "dialects" / "check" / "torch_signatures.json"
REMOVED_ARGUMENTS = {"schedulers": ("verbose",)}
"""Arguments of earlier versions: schedulers take `verbose` up to torch 2.6 (pytorch/pytorch#147301)."""


def signatures(module: Any, base: type) -> dict[str, list[str]]:
    """Return class -> the keywords of its constructor, without the first (the parameters, the optimizer)."""
    return {
        name: list(inspect.signature(found).parameters)[1:]
        for name, found in sorted(vars(module).items())
        if isinstance(found, type) and issubclass(found, base) and found is not base and name[0] != "_"
    }


def table() -> dict[str, Any]:
    """Return the whole table, with the version it is from."""
    schedulers = signatures(torch.optim.lr_scheduler, torch.optim.lr_scheduler.LRScheduler)
    return {
        "torch": torch.__version__.partition("+")[0],
        "optimizers": signatures(torch.optim, torch.optim.Optimizer),
        "schedulers": {
            name: [*found, *REMOVED_ARGUMENTS["schedulers"]] for name, found in schedulers.items()
        },
    }


def main() -> None:
    """Write the table, a class a line."""
    parser_of(__doc__).parse_args()
    found = table()
    parts = [f'"torch": {json.dumps(found["torch"])}']
    for kind in ("optimizers", "schedulers"):
        rows = (f"  {json.dumps(name)}: {json.dumps(taken)}" for name, taken in found[kind].items())
        parts.append(f"{json.dumps(kind)}: {{\n" + ",\n".join(rows) + "\n }")
    TARGET.write_text("{\n " + ",\n ".join(parts) + "\n}\n", encoding="utf-8")
