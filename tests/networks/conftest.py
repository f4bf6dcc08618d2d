# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Modules that import torch are left out where it is not; two read the zoo's files alone."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

WITHOUT = ("test_notice.py", "test_withdrawn.py")

collect_ignore = (
    []
    if find_spec("torch")
    else [each for each in Path(__file__).parent.glob("test_*.py") if each.name not in WITHOUT]
)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Leave what is here to the rest, but for what is marked as quick."""
    if item.get_closest_marker("quick") is None:
        item.add_marker("torch")
