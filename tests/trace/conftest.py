# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Only where torch is."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Leave what is here to the rest, but for what is marked as quick."""
    if item.get_closest_marker("quick") is None:
        item.add_marker("torch")
