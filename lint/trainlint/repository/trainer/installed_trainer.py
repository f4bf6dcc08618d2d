# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The trainer that the user's interpreter (--python PATH) has installed: a release, or a checkout.

Asked are its version, whether its files are those of the release, and what else there builds on it: a name
that a released trainer does not have is wrong in that interpreter. Nothing of the trainer is imported.
"""

from __future__ import annotations

import json
import re
import subprocess
from functools import lru_cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

from msgspec import Struct
from msgspec.structs import replace

from trainlint import child_processes
from trainlint.files.enclosing_folders import folders_above
from trainlint.model.trainer import BY_CONFIG, BY_ENVIRONMENT, Signs, Trainer
from trainlint.shipped.resource_paths import PACKAGE

SCRIPT: Final = PACKAGE / "repository" / "survey" / "installed_package.py"
TIMEOUT_S: Final = 60
"""A cold disk with thousands of packages takes seconds."""


class InstalledTrainer(Struct, frozen=True):
    """One trainer in an interpreter: `released` where the schema speaks for it, `checkout` is its folder."""

    version: str
    released: bool
    checkout: Path | None


def installed_trainer(python: Path, signs: Signs) -> InstalledTrainer | None:
    """Return the trainer that an interpreter has installed; None where it has none, or cannot say."""
    if signs.installed is None:
        return None
    said = _asked(python, str(signs.installed["package"]))
    if not said:
        return None
    known = re.fullmatch(str(signs.installed["versions"]), said["version"]) is not None
    url = said["checkout"]
    checkout = None if url is None else Path(url2pathname(urlsplit(url).path))
    return InstalledTrainer(said["version"], known and said["released"] and not said["dependents"], checkout)


def held_to(trainer: Trainer, installed: InstalledTrainer, config: str) -> Trainer:
    """Return a config's trainer as the one that is installed, with what lies around the config."""
    if not installed.released:
        return trainer
    if trainer.basis == BY_CONFIG:
        around = [Path(config).absolute().parent, *folders_above(config)][-1]
        return Trainer(trainer.name, installed.version, BY_ENVIRONMENT, around=around)
    return replace(trainer, version=installed.version, around=trainer.root)


@lru_cache
def _asked(python: Path, package: str) -> dict[str, Any]:
    command = [str(python), "-I", "-", package]
    try:
        done = child_processes.run(
            command, SCRIPT.read_text(encoding="utf-8"), timeout=TIMEOUT_S, cwd=str(PACKAGE)
        )
        said = json.loads(done.stdout)
    except (OSError, subprocess.TimeoutExpired, ValueError):  # tracing says what is wrong with it
        return {}
    return said if isinstance(said, dict) else {}
