# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Run a training program on this machine's GPU as it is, and write what each of its updates took.

    python metered.py FILE [--limit BYTES] [--steps N] -- SCRIPT [ARGS...]

FILE becomes JSON: for each update the most that was allocated and reserved since the last one, its seconds,
and what the driver counts for the process. The program ends after N updates. `--limit` is all that torch
may have of the card. Weights that are made of zeros are given random values before they are first used, as
zeros can be quicker to multiply. Needs torch alone, so that it runs in any trainer's environment.
"""

from __future__ import annotations

import argparse
import json
import platform
import runpy
import sys
import time
import traceback
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import torch
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.optim.optimizer import register_optimizer_step_post_hook

SPAN: Final = 0.02
"""Ends of the uniform range of values: the standard deviation with which most models are initialised."""
PACKAGES: Final = ("torch", "transformers", "peft", "accelerate", "bitsandbytes", "diffusers", "trl")


class Enough(BaseException):
    """The program ran as many updates as were asked for; no trainer catches it."""


class Meter:
    """Reads the allocator after each update."""

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.updates: list[dict[str, float | int | None]] = []
        self.started = time.perf_counter()
        self._filled: set[int] = set()
        self._filling = register_module_forward_pre_hook(self._fill)
        register_optimizer_step_post_hook(self._updated)

    def _fill(self, module: torch.nn.Module, _inputs: Any) -> None:
        """Give a module's own weights random values, once."""
        if id(module) in self._filled:
            return
        self._filled.add(id(module))
        with torch.no_grad():
            for weight in module.parameters(recurse=False):
                if type(weight.data) is not torch.Tensor:  # a quantised one has its values
                    continue
                if weight.dtype in (torch.float32, torch.float16, torch.bfloat16):
                    weight.uniform_(-SPAN, SPAN)
                elif weight.dtype == torch.uint8:
                    weight.random_()

    def _updated(self, *_: Any) -> None:
        torch.cuda.synchronize()
        now = time.perf_counter()
        self.updates.append(
            {
                "seconds": now - self.started,
                "allocated": torch.cuda.max_memory_allocated(),
                "reserved": torch.cuda.max_memory_reserved(),
                "smi": _used(),
            }
        )
        self._filling.remove()
        torch.cuda.reset_peak_memory_stats()
        self.started = time.perf_counter()
        if len(self.updates) >= self.steps:
            raise Enough


def _used() -> int | None:
    """Return the bytes that the driver counts for the device; None without NVML."""
    try:
        free, total = torch.cuda.mem_get_info()
    except RuntimeError:
        return None
    return total - free


def run() -> int:
    """Run the program and write the file, whatever becomes of it."""
    words = sys.argv[1:]
    own, program = words[: words.index("--")], words[words.index("--") + 1 :]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--steps", type=int, default=8)
    options = parser.parse_args(own)
    if options.limit is not None:
        total = torch.cuda.get_device_properties(0).total_memory
        torch.cuda.set_per_process_memory_fraction(options.limit / total)
    meter = Meter(options.steps)
    outcome, said = "ended", ""
    sys.argv = program
    sys.path[0] = str(Path(program[0]).parent.absolute())
    try:
        runpy.run_path(program[0], run_name="__main__")
    except Enough:
        outcome = "ran"
    except torch.OutOfMemoryError as error:
        outcome, said = "out of memory", str(error)
    except BaseException as error:  # noqa: BLE001 - whatever the program does, the file says it
        outcome, said = "stopped", f"{type(error).__name__}: {error}"
        traceback.print_exc()
    options.file.write_text(json.dumps({
        "outcome": outcome, "said": said[:2000], "updates": meter.updates, "limit": options.limit,
        "peak": torch.cuda.max_memory_allocated() if torch.cuda.is_available() else None,
        "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
        "python": platform.python_version(), "versions": _versions(),
    }))  # fmt: skip
    return 0


def _versions() -> dict[str, str]:
    installed = {}
    for name in PACKAGES:
        try:
            installed[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return installed


if __name__ == "__main__":
    sys.exit(run())
