# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Measure what one recording of a program takes, and its imports, and what is added to bare steps on meta.

    python -m bench dry_run_costs FOLDER --python PYTHON [--inputs FOLDER]

The arguments are those of `dry_runs`. Seconds are the CPU's, of all processes of a run together; they are
kept in bench/data/dry_run_costs.csv, and `python -m bench dry_run_tables` writes them into docs/dry-run.md.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from contextlib import chdir
from pathlib import Path
from typing import Any, Final

from bench.commands import parser_of
from bench.dry_run.cost_rows import PROGRAMS, Cost, keep_costs
from bench.dry_run.entries import Entry, entries
from bench.dry_run.runs import cpu_seconds, lay_out
from trainlint.dry_run.enclosure.supervision import usual_limits
from trainlint.dry_run.rehearsing.made_up_data import parse_made_up
from trainlint.dry_run.rehearsing.rehearsal import rehearsing
from trainlint.dry_run.rehearsing.request import Machine, Request
from trainlint.dry_run.starting.program import Program
from trainlint.dry_run.starting.typed_command import program_of
from trainlint.hardware.gpus_and_targets import load_hardware

NETWORKS: Final = ("rrdbnet", "vit", "unet", "llama")
"""Those of timed_steps.py."""
STEP: Final = re.compile(r"step: ([\d.]+)")
STEADY_STEPS: Final = slice(1, 3)
"""The steps that are compared: the first makes what stays, the last one may be the run's end."""
STEPS_PROGRAM: Final = Path(__file__).with_name("timed_steps.py")
SECONDS: Final = 1800.0
TORCH_ALONE: Final = Path(__file__).with_name("torch_alone.py")
"""What a recording of it takes beyond its imports is what trainlint adds to every one."""
IMPORTED: Final = re.compile(r"^import time: +\d+ \| +\d+ \| (\w\S*)$", re.MULTILINE)
"""A module of `python -X importtime` that no other one imported; `torch._dynamo`, which every optimizer
imports, is not one in a dry run: what plays the GPU imports it within torch."""
IMPORT_SCRIPT: Final = """\
import importlib, sys
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except Exception:
        pass
"""
OWN_MODULES: Final = ("trainlint", "sitecustomize")
DRY_RUN: Final = (sys.executable, "-m", "trainlint", "dry-run", "-q", "--show-output", "-t", "rtx-4090")


def main() -> int:
    """Time all."""
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--python", required=True)
    parser.add_argument("--inputs", type=Path, default=Path("inputs"))
    arguments = parser.parse_args()
    fills = {"inputs": str(arguments.inputs.resolve()), "python": arguments.python}
    found: list[Cost] = []
    for name, program in PROGRAMS:
        entry = next(entry for entry in entries(name) if entry.name == program)
        found.append(_recording(entry, arguments.folder, fills))
        print(found[-1], flush=True)
    found.append(_timed(TORCH_ALONE.name, program_of([arguments.python, str(TORCH_ALONE)])))
    print(found[-1], flush=True)
    for network in NETWORKS:
        bare = _steps([arguments.python, str(STEPS_PROGRAM), network, "meta"])
        words = [arguments.python, str(STEPS_PROGRAM), network, "cuda"]
        seen = _steps([*DRY_RUN, "--", *words])
        found.append(Cost(network, round(seen, 2), round(bare, 2)))
        print(found[-1], flush=True)
    keep_costs(found)
    return 0


def _recording(entry: Entry, root: Path, fills: dict[str, str]) -> Cost:
    """Return what the first run of a program takes in its dry run."""
    folder = root / entry.folder
    lay_out(entry, folder, fills)
    with chdir(folder):
        program = program_of(shlex.split(entry.command.format(**fills)))
        data = {"prepare": parse_made_up(entry.data).preparing(program, Path())} if entry.data else {}
        return _timed(entry.name, program, **data)


def _timed(name: str, program: Program, **data: Any) -> Cost:
    """Return what one run takes, and the imports of another one."""
    request = Request(Machine(load_hardware().gpu("rtx-4090"), 1))
    with rehearsing(program, Path(), usual_limits(SECONDS), **data) as rehearsal:
        before = cpu_seconds()
        outcome = rehearsal.run(request)
        seconds = cpu_seconds() - before
    if outcome.status not in ("recorded", "ended"):
        raise SystemExit(f"{name}: {outcome.status} ({outcome.reason or outcome.died})")
    shown = io.BytesIO()
    os.environ["PYTHONPROFILEIMPORTTIME"] = "1"
    try:
        with rehearsing(program, Path(), usual_limits(SECONDS), show=shown, **data) as rehearsal:
            rehearsal.run(request)
    finally:
        del os.environ["PYTHONPROFILEIMPORTTIME"]
    modules = IMPORTED.findall(shown.getvalue().decode(errors="replace"))
    own = [module for module in modules if module.partition(".")[0] not in OWN_MODULES]
    return Cost(name, round(seconds, 1), imports=round(_importing(own, program), 1))


def _importing(modules: Sequence[str], program: Program) -> float:
    """Return what importing takes in a program's own interpreter, from its script's folder."""
    script = Path(program.arguments[0])
    path = [str(script.parent.resolve()) if script.suffix == ".py" else ".", os.environ.get("PYTHONPATH", "")]
    path = [program.environment.get("PYTHONPATH", ""), *path]
    environment = {**os.environ, **program.environment, "PYTHONPATH": os.pathsep.join(filter(None, path))}
    before = cpu_seconds()
    words = [program.interpreter, "-c", IMPORT_SCRIPT, *modules]
    subprocess.run(words, env=environment, check=True, capture_output=True)  # noqa: S603 - the user names it
    return cpu_seconds() - before


def _steps(words: Sequence[str]) -> float:
    """Return the mean of the steady steps that the first run of a program prints."""
    ran = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 - our own program
    seconds = [float(text) for text in STEP.findall(ran.stdout + ran.stderr)][STEADY_STEPS]
    if not seconds:
        raise SystemExit(f"{words}: {ran.stderr[-2000:]}")
    return sum(seconds) / len(seconds)


if __name__ == "__main__":
    sys.exit(main())
