# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A value that is worked out when it is first asked for: most reports never ask for what takes longest."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Generic, TypeVar

Held = TypeVar("Held")


class Postponed(Generic[Held]):
    """What `work` returns; it is called once, or never. Copied to another process it is worked out here."""

    def __init__(self, work: Callable[[], Held]) -> None:
        self._work = work

    @cached_property
    def value(self) -> Held:
        """The value."""
        return self._work()

    def __eq__(self, other: object) -> bool:
        """Compare values."""
        return isinstance(other, Postponed) and bool(self.value == other.value)

    def __hash__(self) -> int:
        """Hash the value."""
        return hash(self.value)

    def __repr__(self) -> str:
        """Show the value."""
        return repr(self.value)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the value."""
        return _known, (self.value,)


def _known(value: Held) -> Postponed[Held]:
    return Postponed(lambda: value)
