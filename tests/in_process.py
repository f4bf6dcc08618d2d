# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Runs the command in the test's own process, where what it prints is all that counts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import chdir
from pathlib import Path

from click.testing import CliRunner, Result

from trainlint.cli.main import main
from trainlint.dialects.forgetting import forget


def run(folder: Path, cache: Path, *words: str) -> Result:
    """Run `trainlint WORDS` in a folder, with a user's cache and no user's settings."""
    own = {"XDG_CACHE_HOME": str(cache), "XDG_CONFIG_HOME": str(cache / "config")}
    return run_with(folder, os.environ | own, *words)


def run_with(folder: Path, env: Mapping[str, str], *words: str) -> Result:
    """Run `trainlint WORDS` in a folder, with these variables and no others."""
    others = dict.fromkeys(os.environ.keys() - env.keys())  # to which CliRunner gives no value
    forget()  # what the test wrote since
    with chdir(folder):
        return CliRunner(env=others | env).invoke(main, words, prog_name="trainlint", standalone_mode=False)
