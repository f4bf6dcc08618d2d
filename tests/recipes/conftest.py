# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Only where torch is: every module here imports it."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

collect_ignore_glob = [] if find_spec("torch") else ["test_*.py"]


def pytest_itemcollected(item: pytest.Item) -> None:
    """Leave what is here to the rest, but for what is marked as quick."""
    if item.get_closest_marker("quick") is None:
        item.add_marker("torch")
