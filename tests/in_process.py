# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Runs the command in the test's own process, where what it prints is all that counts."""

from __future__ import annotations

from contextlib import chdir
from pathlib import Path

from click.testing import CliRunner, Result

from trainlint.cli.main import main


def run(folder: Path, cache: Path, *words: str) -> Result:
    """Run `trainlint WORDS` in a folder, with a user's cache and no user's settings."""
    env = {"XDG_CACHE_HOME": str(cache), "XDG_CONFIG_HOME": str(cache / "config")}
    with chdir(folder):
        return CliRunner(env=env).invoke(main, words, prog_name="trainlint", standalone_mode=False)
