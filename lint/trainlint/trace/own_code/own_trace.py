# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Tracing a step of a repository's own code, in the process that the user permitted to run it.

Limits are set once torch is there and before the first of its files is imported.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import torch
from torch import nn

from trainlint.errors import CannotTraceError
from trainlint.tape import Tape
from trainlint.tape.checkout_files import OWN_CODE, made_of
from trainlint.trace.building.build import networks_of
from trainlint.trace.own_code.import_command import NEOSR, command
from trainlint.trace.own_code.model_step import ModelStep
from trainlint.trace.own_code.no_weights import unread
from trainlint.trace.own_code.process_limits import limit
from trainlint.trace.own_code.random_numbers import Chance
from trainlint.trace.own_code.repository import Repository, known
from trainlint.trace.own_code.source_closure import files_behind
from trainlint.trace.parallel.replicas import imitated
from trainlint.trace.stage import Stage
from trainlint.trace.trace import trace

FLEX_MODULE: Final = "torch.nn.attention.flex_attention"
"""The module of the operator that repositories compile alone: it is slow otherwise."""


@dataclass(frozen=True)
class OwnTrace:
    """A tape, and what the process was not kept from while it was made (None: from nothing it knows of)."""

    tape: Tape
    unlimited: str | None


def trace_own(step: Mapping[str, Any], root: Path, options: Mapping[str, Any]) -> OwnTrace:
    """Trace a step whose networks, or whose model class, are of the repository at `root`."""
    sys.dont_write_bytecode = True
    # torch asks for folders of its own, and looks for them by writing
    tempfile.tempdir = os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(Path.cwd())
    argv = command(step, Path.cwd())
    unlimited = limit()
    repository = Repository(root, str(step[OWN_CODE].get("package", "")))
    files = files_of(step[OWN_CODE])
    work, chance = _model if "model" in step[OWN_CODE] else _networks, Chance()
    compiled, called = patch.object(torch, "compile", _compiled), patch.object(sys, "argv", argv)
    with repository.open(files), chance.watching(), compiled, called:
        tape = chance.settled(lambda: work(step, repository, options, chance))
    repository.stubs.check()
    made = made_of(root, files_behind(repository, files))
    return OwnTrace(replace(tape, made_with={**tape.made_with, **made}), unlimited)


def _compiled(compiled: Any = None, *_args: Any, **_kwargs: Any) -> Any:
    """Return what replaces a compiled operator; refuse any other code."""
    if getattr(compiled, "__module__", "") == FLEX_MODULE:
        return known(f"torch.compile.{compiled.__name__}")
    raise CannotTraceError("its code calls torch.compile: what a compiled part keeps is not known")


def files_of(own: Mapping[str, Any]) -> list[str]:
    """Return the files of the classes that are its own, by their paths from the root."""
    places = [*own.get("networks", {}).values(), *([own["model"]] if "model" in own else [])]
    named = [place.rpartition(":")[0] for place in places]
    return list(dict.fromkeys([*own.get("files", ()), *filter(None, named)]))


def _networks(
    step: Mapping[str, Any], repository: Repository, options: Mapping[str, Any], chance: Chance
) -> Tape:
    """Trace a known step with its networks."""
    places: Mapping[str, str] = step[OWN_CODE]["networks"]

    def build(dialect: str, arch: str, args: Mapping[str, Any]) -> nn.Module | None:
        if arch not in places:
            return None
        made = repository.network(places[arch], arch, given(dialect, args, step))
        chance.begin()
        return made

    with networks_of(build):
        return trace(step, **options)


def given(dialect: str, args: Mapping[str, Any], step: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what its trainer gives a network: neosr's read the scale themselves, the zoo's are given it."""
    roles = (step.get(f"networks.{role}.args") or {} for role in ("generator", "discriminator"))
    if dialect != NEOSR or any("scale" in written for written in roles):
        return args
    return {name: value for name, value in args.items() if name != "scale"}


def _model(
    step: Mapping[str, Any], repository: Repository, options: Mapping[str, Any], chance: Chance
) -> Tape:
    """Trace the step of its model class."""
    made: list[ModelStep] = []

    def build(step: Mapping[str, Any], stage: Stage) -> ModelStep:
        model = ModelStep.__new__(ModelStep)
        made[:] = [model]
        model.__init__(step, stage, repository)  # type: ignore[misc]  # by hand: `wrap` needs the object while it is built
        chance.begin()
        return model

    def wrap(module: nn.Module) -> Any:
        return made[0].wrapped(module)

    with imitated(wrap):  # before its files take names out of torch.nn.parallel
        for file in files_of(step[OWN_CODE]):
            repository.import_file(file)
        with unread():  # after them, where their modules have what fetches
            return trace(step, recipe=build, **options)
