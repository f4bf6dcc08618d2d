# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Traces what is needed to judge the shipped profiles' steps at other crops, after `bench profiles`.

    python -m bench crops               trace what is missing or outdated; may be stopped and started again
    python -m bench crops --jobs 2      the same in two processes
    python -m bench crops --verify 12   trace two further crops of 12 of them, and compare

A step's crops are a file next to its tape, with what that lacks (tape/crops/sides_file.py); where a network
has an argument that gives the side of its input, which is then unlike the others, they are a file of their
own.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from bench.commands import parser_of
from bench.profiles.build import PROFILES, stored
from trainlint.errors import CannotTraceError
from trainlint.estimate.tapes.crop_source import PERIODS
from trainlint.estimate.tapes.stored_profiles import CROPS_SUFFIX, SIDES_SUFFIX, Store
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.tape import EVERY_BATCH
from trainlint.tape.crops.crop_side import NotPolynomialError, at_side, family_key, names_side, side_of
from trainlint.tape.crops.crop_tapes import check
from trainlint.tape.profile_header import read_header
from trainlint.tape.provenance import digest

RECIPES = (
    "basicsr.RealESRGANModel", "basicsr.RealESRNetModel", "basicsr.ESRGANModel", "basicsr.SRGANModel",
    "basicsr.SRModel", "basicsr.SwinIRModel", "basicsr.RealHATGANModel", "basicsr.RealHATMSEModel",
    "basicsr.HATModel", "basicsr.ImageRestorationModel", "trainner-redux.RealESRGANModel",
    "trainner-redux.SRModel", "neosr.image", "neosr.otf", "glfcr", "zoom23", "basicsr.VideoRecurrentModel",
    "basicsr.VideoRecurrentGANModel", "kair.plain",
)  # fmt: skip
"""Recipes whose steps are traced at other crops, those that people train most first.

The VAE's own command is stored at every side of its guide.
"""
PARALLEL_OFFSET = 9
"""Recipes by which a step on several GPUs comes after the same one on a single GPU."""
PATCHED = "fdl_loss"
"""neosr's loss whose DINOv2 pads what is no multiple of 14 pixels: no polynomial goes through all sides."""

Step = dict[str, Any]


def steps() -> Iterator[Step]:
    """Yield the stored steps whose crops are wanted; of those alike but for their crop, the largest."""
    headers = (read_header(path.read_bytes().partition(b"\n")[0]) for path in stored(Store(PROFILES)))
    found = [
        header["step"] for header in headers
        if not header["batches"] and header["step"].get("recipe") in RECIPES and side_of(header["step"])
        and PATCHED not in str(header["step"].get("losses"))
    ]  # fmt: skip
    of_family: dict[str, Step] = {}
    for step in sorted(found, key=lambda step: (_rank(step), -side_of(step))):
        of_family.setdefault(family_key(step, PERIODS[0]), step)
    yield from of_family.values()


def _rank(step: Step) -> int:
    return RECIPES.index(step["recipe"]) + PARALLEL_OFFSET * bool(step.get("parallel"))


def keep(step: Step, store: Store) -> str:
    """Save a step's crops unless they are stored; return what was done."""
    tapes = TapeSource((store,))
    begun = time.process_time()
    if tapes.crops.known(step, EVERY_BATCH) is not None:
        return ""
    try:
        crops = tapes.crops.crops(step, EVERY_BATCH)
    except CannotTraceError as error:
        return f"not at other crops: {error.reason}"
    try:
        path = store.save_sides(crops, tapes.tape(step))
    except NotPolynomialError:
        if crops.sides[0] > side_of(step):
            return f"not kept: {crops.sides} are all larger, and would take as much as a tape"
        path = store.save_crops(crops, family_key(step, crops.period))
    return f"{path.name}, {path.stat().st_size} bytes, {crops.sides}, {time.process_time() - begun:.1f} s"


def build(store: Store, processes: int) -> None:
    """Trace what is missing, step by step: what is saved stays where this is stopped."""
    for path in sorted(store.folder.glob(f"*{CROPS_SUFFIX}")):
        header = read_header(path.read_bytes().partition(b"\n")[0])
        if header["made_with"]["sources"] != digest(header["step"]):
            path.unlink()
            print(f"deleted {path.name}, traced from other sources")
    with ProcessPoolExecutor(processes) as pool:
        works = list(steps())
        for step, said in zip(works, pool.map(partial(keep, store=store), works), strict=True):
            if said:
                print(f"{_name(step)}: {said}", flush=True)
    for path in store.folder.glob(f"*{SIDES_SUFFIX}"):
        header = json.loads(path.read_bytes().partition(b"\n")[0])
        tape = store.folder / header["tape"]
        if not tape.exists() or hashlib.sha256(tape.read_bytes()).hexdigest() != header["digest"]:
            path.unlink()
            print(f"deleted {path.name}, whose tape is another one")
    sizes = [path.stat().st_size for path in files(store)]
    print(f"{len(sizes)} files of crops, {sum(sizes) / 1000:.0f} kB")


def _name(step: Step) -> str:
    validated = " with validation" if step.get("validation") else ""
    return f"{step['recipe']} {step.get('networks.generator.arch', '')} at {side_of(step)}{validated}"


def files(store: Store) -> list[Path]:
    """Return the stored crops."""
    return sorted(path for suffix in (CROPS_SUFFIX, SIDES_SUFFIX) for path in store.folder.glob(f"*{suffix}"))


def verify(store: Store, count: int) -> Iterator[str]:
    """Yield, for some stored crops, how two further crops that are traced compare with what is predicted."""
    tapes = TapeSource((store,), may_trace=False)
    known = [(step, tapes.crops.known(step, EVERY_BATCH)) for step in steps()]
    families = {id(crops): (step, crops) for step, crops in known if crops is not None}
    ordered = sorted(families.values(), key=lambda pair: hashlib.sha256(str(pair[0]).encode()).hexdigest())
    for step, crops in ordered[:count]:
        sides = range(crops.sides[0] + crops.period, crops.sides[-1], crops.period)
        free = [side for side in sides if side not in crops.sides and not names_side(at_side(step, side))]
        for side in (free[len(free) // 3], free[-1]):
            try:
                check(crops, side, TapeSource(()).tape(at_side(step, side), EVERY_BATCH))
            except NotPolynomialError as error:
                yield f"{_name(step)}: at {side} DIFFERS: {error}"
            else:
                yield f"{_name(step)}: at {side} as predicted"


def main() -> int:
    """Trace, or verify."""
    parser = parser_of(__doc__)
    parser.add_argument("--jobs", type=int, default=1, help="processes that trace")
    parser.add_argument("--verify", type=int, default=0, metavar="N", help="compare N of them with traces")
    store, given = Store(PROFILES, "shipped"), parser.parse_args()
    if not given.verify:
        build(store, given.jobs)
        return 0
    lines = []
    for line in verify(store, given.verify):
        print(line, flush=True)
        lines.append(line)
    return 1 if any("DIFFERS" in line for line in lines) else 0
