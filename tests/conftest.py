# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What every test may ask for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of third-party configs and measurements: not part of the project, tests pass without it."""
    folder = Path(os.environ.get("TRAINLINT_SHARED", ROOT.parent / "shared"))
    if not (folder / "corpus" / "INDEX.csv").is_file():
        pytest.skip("the shared corpus is not here (set TRAINLINT_SHARED)")
    return folder
