# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Spoiled profiles: bytes changed as a disk would, and contents changed by somebody who seals them again."""

from __future__ import annotations

import copy
import hashlib
import json
import lzma
from collections.abc import Iterator
from random import Random
from typing import Any

VALUES = (
    None, True, False, -1, 0, 1, 3, 2**31, 2**63, -(2**70), 10**400, 1.5, float("nan"), float("inf"), "",
    "x", "-1", "A" * 5000, "forward k0x0 0o 0x0x0 s0 p0 d0 g0", "\x1b[31m\n::error::", [], {}, [[]],
    {"a": 1}, [0] * 1000,
)  # fmt: skip
"""What a number, a text or a list is replaced by."""


def seal(header: Any, body: Any) -> bytes:
    """Return the bytes of a profile with these contents, with every checksum right."""
    line = json.dumps(header).encode()
    if isinstance(body, dict):
        body = {**body, "header": hashlib.sha256(line).hexdigest()}
    return line + b"\n" + lzma.compress(json.dumps(body).encode(), preset=0)


def opened(data: bytes) -> tuple[Any, Any]:
    """Return a profile's contents."""
    line, _, packed = data.partition(b"\n")
    return json.loads(line), json.loads(lzma.decompress(packed))


def corrupted(data: bytes, seed: int) -> bytes:
    """Return the bytes with bits flipped, cut, repeated or overwritten."""
    random = Random(seed)  # noqa: S311 - the same every time
    spoiled, at = bytearray(data), random.randrange(len(data))
    match random.randrange(5):
        case 0:
            for _ in range(random.randint(1, 4)):
                spoiled[random.randrange(len(data))] ^= 1 << random.randrange(8)
        case 1:
            del spoiled[at:]
        case 2:
            del spoiled[at : at + random.randint(1, 64)]
        case 3:
            spoiled[at:at] = spoiled[: random.randint(1, 64)]
        case _:
            end = min(len(data), at + random.randint(1, 64))
            spoiled[at:end] = random.randbytes(end - at)
    return bytes(spoiled)


def forged(data: bytes, seed: int) -> bytes:
    """Return a profile of which some values were replaced, removed or doubled, sealed again."""
    random = Random(seed)  # noqa: S311 - the same every time
    contents = list(copy.deepcopy(opened(data)))
    for _ in range(random.randint(1, 3)):
        places = list(_places(contents))
        holder, key = random.choice(places)
        action = random.randrange(6)
        if action == 0 and holder is not contents:
            del holder[key]
        elif action == 1 and isinstance(holder, list) and holder is not contents:
            holder.insert(key, holder[random.randrange(len(holder))])
        elif action == 2 and type(holder[key]) is int:
            holder[key] += random.choice((-1, 1, 7, -holder[key], 2**40))
        elif action == 3 and isinstance(holder[key], list):
            random.shuffle(holder[key])
        else:
            holder[key] = copy.deepcopy(random.choice(VALUES))
    return seal(*contents)


def _places(value: Any, most: int = 40) -> Iterator[tuple[Any, Any]]:
    """Yield every place of a value, of a long list only some."""
    keys = list(value) if isinstance(value, dict) else range(len(value))
    for key in list(keys)[:: max(1, len(keys) // most)]:
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key], most)
