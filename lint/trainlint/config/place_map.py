# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The path -> place map of a document, kept as plain offsets until somebody asks for one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from trainlint.model.document import Path, Place, Span

Offsets = tuple[int, int, int, int]
"""Start and end of the value, start and end of its key; NO_KEY twice where it has none."""

NO_KEY = -1


class Places(Mapping[Path, Place]):
    """Places made on demand: a config has hundreds of values and a message names two of them."""

    __slots__ = ("_offsets",)

    def __init__(self, offsets: dict[Path, Offsets]) -> None:
        self._offsets = offsets

    def __getitem__(self, path: Path) -> Place:
        start, end, key_start, key_end = self._offsets[path]
        key = None if key_start == NO_KEY else Span(key_start, key_end)
        return Place(Span(start, end), key)

    def __iter__(self) -> Iterator[Path]:
        return iter(self._offsets)

    def __len__(self) -> int:
        return len(self._offsets)

    def __contains__(self, path: object) -> bool:
        return path in self._offsets

    def starts(self) -> Iterator[tuple[Path, int, int]]:
        """Yield each path with the start of its value and of its key."""
        return ((path, start, key) for path, (start, _, key, _) in self._offsets.items())


def starts(places: Mapping[Path, Place]) -> Iterator[tuple[Path, int, int]]:
    """Yield each path with the start of its value and of its key, NO_KEY where it has none."""
    if isinstance(places, Places):
        return places.starts()
    return (
        (path, place.value.start, NO_KEY if place.key is None else place.key.start)
        for path, place in places.items()
    )


class MovedPlaces(Mapping[Path, Place]):
    """Places in a text that is inside another file, moved when somebody asks: few blocks are jobs."""

    __slots__ = ("_move", "_places")

    def __init__(self, places: Mapping[Path, Place], move: Callable[[Span], Span]) -> None:
        self._places = places
        self._move = move

    def __getitem__(self, path: Path) -> Place:
        place = self._places[path]
        return Place(self._move(place.value), place.key and self._move(place.key))

    def __iter__(self) -> Iterator[Path]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, path: object) -> bool:
        return path in self._places
