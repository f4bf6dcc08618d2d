# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The size of an image from its header: PNG and JPEG; nothing is decoded."""

from __future__ import annotations

from typing import BinaryIO, Final

HEADER: Final = 1 << 18
"""Bytes in which a JPEG's size has to be; cameras put previews of 60 KB before it."""

MARKERS: Final = 200
"""Parts of a JPEG before its frame; cameras write some ten, a color profile of 256 KB four more."""

MOST_PIXELS: Final = 1 << 30
"""Of an image that OpenCV reads (OPENCV_IO_MAX_IMAGE_PIXELS, modules/imgcodecs/src/loadsave.cpp)."""

_PNG: Final = b"\x89PNG\r\n\x1a\n"
_SIZES: Final = frozenset((*range(0xC0, 0xC4), *range(0xC5, 0xC8), *range(0xC9, 0xCC), *range(0xCD, 0xD0)))
"""Markers of a JPEG's frame, which begins with its size (ITU-T T.81, table B.1)."""


def size_of(file: BinaryIO) -> tuple[int, int] | None:
    """Return an image's (height, width) in pixels; None where its header is not read, or cannot be."""
    data = file.read(HEADER)
    size = None
    if data.startswith(_PNG) and data[12:16] == b"IHDR" and len(data) >= 24:  # noqa: PLR2004  # the header's end
        size = int.from_bytes(data[20:24], "big"), int.from_bytes(data[16:20], "big")
    elif data.startswith(b"\xff\xd8"):
        size = _jpeg(data)
    return size if size is not None and 0 < size[0] * size[1] <= MOST_PIXELS else None


def _jpeg(data: bytes) -> tuple[int, int] | None:
    offset = 2
    for _ in range(MARKERS):
        if offset + 9 > len(data) or data[offset] != 0xFF:  # noqa: PLR2004 - every marker begins with it
            return None
        if data[offset + 1] in _SIZES:
            return int.from_bytes(data[offset + 5 : offset + 7], "big"), int.from_bytes(
                data[offset + 7 : offset + 9], "big"
            )
        offset += 2 + max(int.from_bytes(data[offset + 2 : offset + 4], "big"), 2)
    return None
