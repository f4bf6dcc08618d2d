# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Stands in for what runs inside of a program: a program here says itself what its step would take.

It is copied where the dry run puts its own (trainlint.trace.dry_run.program_start), and needs the
standard library alone."""

from __future__ import annotations

import atexit
import json
import os
import sys
import traceback

OPENED: list[str] = []
STATE: dict[str, object] = {}


def install(request):
    STATE["request"] = request
    STATE["pid"] = os.getpid()
    sys.addaudithook(
        lambda event, what: OPENED.append(what[0]) if event == "open" and isinstance(what[0], str) else None
    )
    sys.excepthook = _died
    atexit.register(lambda: os.getpid() == STATE["pid"] and _write(status="ended"))


def request():
    """What the dry run asks for."""
    return STATE["request"]


def train(batch, *, parameters=40, per_sample=8, saves=True, guesses=(), notes=(), **more):
    """Record a step of so many samples, in MiB, and end the program."""
    wanted = STATE["request"]["batch"] or {}
    if batch is not None:
        batch = int(wanted.get("set", batch * wanted.get("scale", 1)))
    out = STATE["request"]["out"]
    with open(os.path.join(out, "tape.json"), "w") as file:
        tape = {"batch": batch, "parameters": parameters, "per_sample": per_sample, "saves": saves}
        json.dump(tape, file)
    _write(
        status="recorded",
        tape="tape.json",
        batch=batch,
        rounds=3,
        guesses=list(guesses),
        notes=list(notes),
        **more,
    )
    sys.stdout.flush()
    os._exit(0)


def _died(kind, error, place):
    frames = [[frame.filename, frame.lineno, frame.name] for frame in traceback.extract_tb(place)]
    imitation = "imitated" in str(error)
    ours = kind.__name__ == "CannotTraceError"
    reason = str(error) if ours else "a kernel has no shape" if imitation else ""
    crash = {
        "type": kind.__name__,
        "message": str(error),
        "frames": frames,
        "imitation": imitation,
        "reason": reason,
        "lacks": {"name": error.name} if isinstance(error, ImportError) else None,
    }
    _write(status="crashed", crash=crash, guesses=STATE.get("guesses", []))
    sys.__excepthook__(kind, error, place)
    os._exit(1)


def _write(**facts):
    here = os.path.realpath(os.getcwd())
    sources = sorted({os.path.realpath(path) for path in OPENED if os.path.realpath(path).startswith(here)})
    whole = {
        "tape": None,
        "batch": None,
        "rounds": 0,
        "crash": None,
        "guesses": [],
        "notes": [],
        "sources": sources,
        "packages": {"torch": "2.13.0"},
        "imported": [name for name in sys.modules if "." not in name],
        "unseen": 0,
        "self_check": None,
        "shapes": [],
    }
    with open(os.path.join(STATE["request"]["out"], "outcome.json"), "w") as file:
        json.dump({**whole, **facts, "standing": STATE.get("standing")}, file)
