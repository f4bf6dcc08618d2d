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
from typing import Any

from torch import nn

from trainlint.estimate.checkout import OWN, made_of
from trainlint.tape import Tape
from trainlint.trace.build import networks_of
from trainlint.trace.closure import files_behind
from trainlint.trace.limits import limit
from trainlint.trace.repository import Repository
from trainlint.trace.trace import trace


@dataclass(frozen=True)
class Run:
    """A tape, and what the process was not kept from while it was made (None: from nothing it knows of)."""

    tape: Tape
    unlimited: str | None


def trace_own(step: Mapping[str, Any], root: Path, options: Mapping[str, Any]) -> Run:
    """Trace a step whose networks are classes of the repository at `root`."""
    sys.dont_write_bytecode = True
    # torch asks for folders of its own, and looks for them by writing
    tempfile.tempdir = os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(Path.cwd())
    unlimited = limit()
    repository = Repository(root)
    places: Mapping[str, str] = step[OWN]["networks"]

    def build(_dialect: str, arch: str, args: Mapping[str, Any]) -> nn.Module | None:
        return repository.network(places[arch], arch, args) if arch in places else None

    with repository.open(_files(places)), networks_of(build):
        tape = trace(step, **options)
    repository.stubs.check()
    files = files_behind(repository, _files(places))
    return Run(replace(tape, made_with={**tape.made_with, **made_of(root, files)}), unlimited)


def _files(places: Mapping[str, str]) -> list[str]:
    return [place.partition(":")[0] for place in places.values()]
