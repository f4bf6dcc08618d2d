"""The length of a file that torch.save writes, without writing it or having the data."""

from __future__ import annotations

from typing import Any


def saved_bytes(content: Any, name: str) -> int:
    """Return the bytes of `torch.save(content, name)`."""
    return 0
