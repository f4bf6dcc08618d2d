# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Write the files that each shipped recipe saves, and hold their lengths against the estimate.

    python -m bench checkpoint_bytes [RECIPE ...]

For every recipe that a stored profile has, of a network that is shipped: the one whose files are smallest is
traced again, and what its checkpoint() returns is given real tensors of the same storages on the CPU and
written by torch.save or safetensors. (A GPU's name in the pickle is two bytes longer, once for each storage.)
Exit 1 where a length is more than 1 % off.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor, nn

from bench.commands import parser_of
from bench.profiles.build import PROFILES
from trainlint.errors import CannotTraceError
from trainlint.estimate.tapes.stored_profiles import SUFFIX
from trainlint.tape import File
from trainlint.tape.encoding import decode
from trainlint.tape.provenance import NOT_SHIPPED, SOURCES_KEY
from trainlint.trace import trace as tracer
from trainlint.trace.recording.recorder import Recorder
from trainlint.trace.recording.storage_ledger import StorageLedger
from trainlint.trace.stage import Recipe
from trainlint.trace.torch_private import address_of

TOLERANCE = 0.01


def real(content: Any, storages: dict[int, tuple[Any, torch.UntypedStorage]]) -> Any:
    """Return what a recipe saves with tensors that have elements; equal storages stay one."""
    if isinstance(content, Tensor):
        meta = content.untyped_storage()
        key = address_of(meta)  # the same for every tensor of a storage
        if key not in storages:
            storages[key] = (meta, torch.UntypedStorage(meta.nbytes()))  # type: ignore[no-untyped-call]  # torch's has no types
        made = torch.empty(0, dtype=content.dtype).set_(
            storages[key][1], content.storage_offset(), content.size(), content.stride()
        )
        return nn.Parameter(made, content.requires_grad) if isinstance(content, nn.Parameter) else made
    if isinstance(content, Mapping):
        changed = {name: real(value, storages) for name, value in content.items()}
        kind: Callable[[object], object] = type(content)
        return kind(changed)
    if isinstance(content, list | tuple):
        return type(content)([real(value, storages) for value in content])
    return content


def written(content: Any, name: str, folder: Path) -> int:
    """Write a file and return its length."""
    path = folder / name
    if isinstance(content, bytes | bytearray):
        path.write_bytes(content)
    elif name.endswith(".safetensors"):
        from safetensors.torch import save_file  # noqa: PLC0415 - few recipes

        save_file({key: value.contiguous() for key, value in real(content, {}).items()}, path)
    else:
        torch.save(real(content, {}), path)
    return path.stat().st_size


def lengths(step: Mapping[str, Any], batch: int) -> dict[str, tuple[int, int]]:
    """Return {file: (estimated, written)} of a step's recipe."""
    found: dict[str, tuple[int, int]] = {}
    of = tracer._files  # noqa: SLF001 - where the recipe is at its end, with all that it made

    def both(recipe: Recipe) -> tuple[File, ...]:
        files = of(recipe)
        with torch.no_grad(), Recorder(StorageLedger()):
            contents = recipe.checkpoint()
        with tempfile.TemporaryDirectory() as folder:
            for file in files:
                found[file.name] = (
                    file.size,
                    written(contents[file.name], Path(file.name).name, Path(folder)),
                )
        return files

    with patch.object(tracer, "_files", both):
        tracer.trace(step, batches=(batch,))
    return found


def smallest() -> dict[str, tuple[Mapping[str, Any], int]]:
    """Return {recipe: (step, batch)} of the profiles whose files are the smallest."""
    best: dict[str, tuple[int, Mapping[str, Any], int]] = {}
    for path in sorted(PROFILES.glob(f"*{SUFFIX}")):
        tape = decode(path.read_bytes())
        total, recipe = sum(file.size for file in tape.files), str(tape.step.get("recipe"))
        shipped = tape.made_with.get(SOURCES_KEY) != NOT_SHIPPED
        if tape.files and shipped and tape.step.get("parallel", "none") == "none":
            one = (total, tape.step, tape.batches[0] if tape.batches else 2)
            best[recipe] = min(best.get(recipe, one), one, key=lambda each: each[0])
    return {recipe: (step, batch) for recipe, (_, step, batch) in sorted(best.items())}


def main() -> int:
    """Print each file's lengths; return 1 where one is far off."""
    parser = parser_of(__doc__)
    parser.add_argument("recipes", nargs="*", metavar="RECIPE", help="these alone")
    only = parser.parse_args().recipes
    far = tried = 0
    for recipe, (step, batch) in smallest().items():
        if only and recipe not in only:
            continue
        try:
            found = lengths(step, batch)
        except CannotTraceError as error:
            print(f"{recipe}: not traced: {error}", flush=True)
            continue
        for name, (estimated, real_size) in found.items():
            off = estimated / real_size - 1
            tried, far = tried + 1, far + (abs(off) > TOLERANCE)
            print(f"{recipe}: {name}: estimated {estimated:,}, written {real_size:,}, {off:+.4%}", flush=True)
    print(f"{tried} files, {far} more than {TOLERANCE:.0%} off")
    return 1 if far else 0
