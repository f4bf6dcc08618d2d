# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What an enclosure has to do, as one file that the process reads which encloses itself."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

OVERLAY: Final = "overlay"
"""Every file system is seen through a private layer, which takes what is written."""
GUARDED_COPY: Final = "guarded copy"
"""The program runs in a copy, and Landlock refuses to write anywhere else."""
PLAIN_COPY: Final = "copy"
"""The program runs in a copy; absolute paths lead out of it."""


@dataclass(frozen=True)
class Plan:
    """The program, and what it may do.

    `private` is a new folder of ours: what is written may lie there. `out` inside of it is seen at its own
    path from both sides. `folder` is where the program starts. `files`: OVERLAY, GUARDED_COPY or PLAIN_COPY.
    """

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    folder: str
    private: str
    out: str
    files: str
    network: bool = False
    memory: int = 0
    cpu_s: int = 0
    room: int = 0
    laid: tuple[tuple[str, str], ...] = ()
    """Folders and files of the private folder, and where the program finds each: in a layer alone."""

    def save(self, path: Path) -> None:
        """Write it where its process finds it."""
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")


def load_plan(path: str) -> Plan:
    """Read a plan that `save` wrote."""
    with open(path, encoding="utf-8") as file:
        fields: dict[str, Any] = json.load(file)
    laid = tuple((source, target) for source, target in fields["laid"])
    return Plan(**{**fields, "argv": tuple(fields["argv"]), "laid": laid})


def note(plan: Plan, **noted: Any) -> None:
    """Write down how the program was enclosed, for the report."""
    with open(os.path.join(plan.out, "enclosure.json"), "w", encoding="utf-8") as file:
        json.dump(noted, file)
