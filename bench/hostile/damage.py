# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Damage to a file's bytes: what editors, merges, generators and attackers leave in a config."""

from __future__ import annotations

import re
from collections.abc import Callable

from hypothesis import strategies as st

EVIL = (
    *("\n::stop-commands::x\n", "::error::x", " ::add-mask::x", "##[error]x", "##vso[task.complete]x"),
    *(
        "\x1b[2J\x1b]0;x\x07",
        "\r",
        "\x85",
        "\u202e",
        "\u061c",
        "\ufeff",
        "\U000e0041",
        "\u2028",
        "\x9b31m",
        "\x08",
    ),
)
"""What a terminal or a CI would obey."""

VALUES = (
    *(
        "NaN",
        ".nan",
        ".inf",
        "-1",
        "0",
        "1e400",
        "1e3",
        "-0.0",
        "1.5",
        "true",
        "~",
        "null",
        "[]",
        "{}",
        "[1, 2]",
    ),
    *(
        "{a: 1}",
        "!!float x",
        "!!int 1",
        "!!binary aGk=",
        "!!set {a}",
        "&a *a",
        "*a",
        "<<",
        "@",
        "`",
        "$((",
        "${A[",
    ),
    *("<<EOF", "\\", '"', "'", "é", "🎉", "漢字", "2020-01-01", "0x10", "1_000", "12:30:45", r'"\u0000"'),
    *(
        r'"\ud800"',
        "9" * 30,
        "9" * 400,
        "-" + "9" * 19,
        "1000000000",
        "4000000000",
        str(2**64),
        "1e-300",
        "1e300",
    ),
    *(
        "[" * 60 + "]" * 60,
        "{a: " * 101 + "}" * 101,
        "[0, 0, 0]",
        '"' + "a" * 5000 + '"',
        "&a [*a]",
        "^(a+)+$",
    ),
    *("!!python/object/apply:os.system [x]", "../../../../etc/passwd", "/dev/zero", "%(x)s", "{0.__class__}"),
    *("1-" * 50, *EVIL),
)
"""What comes in place of a value: of another type, out of range, unfinished, nested, or none at all."""

REPEATED_BYTES = 200_000
"""How much a repetition may make of a piece."""

Damage = Callable[[bytes, st.DrawFn], bytes]


def cut(data: bytes, draw: st.DrawFn) -> bytes:
    """End the bytes early."""
    return data[: draw(st.integers(0, len(data)))]


def without_lines(data: bytes, draw: st.DrawFn) -> bytes:
    """Leave up to six lines out."""
    lines = data.split(b"\n")
    gone = draw(st.sets(st.integers(0, len(lines) - 1), min_size=1, max_size=6))
    return b"\n".join(line for at, line in enumerate(lines) if at not in gone)


def other_value(data: bytes, draw: st.DrawFn) -> bytes:
    """Put another value behind a line's key."""
    lines = data.split(b"\n")
    at = draw(st.integers(0, len(lines) - 1))
    sign = next((sign for sign in (b": ", b" = ", b" ") if sign in lines[at].lstrip()), b"")
    kept = lines[at].partition(sign)[0] if sign else lines[at]
    lines[at] = kept + sign + draw(st.sampled_from(VALUES)).encode(errors="replace")
    return b"\n".join(lines)


def other_number(data: bytes, draw: st.DrawFn) -> bytes:
    """Put another number, or no number, where one is."""
    found = list(re.finditer(rb"\d+", data[:20_000]))
    if not found:
        return data
    number = found[draw(st.integers(0, len(found) - 1))]
    new = draw(st.one_of(st.integers(-9, 10**12).map(str), st.sampled_from(VALUES)))
    return data[: number.start()] + new.encode(errors="replace") + data[number.end() :]


def other_letter(data: bytes, draw: st.DrawFn) -> bytes:
    """Replace a byte."""
    if not data:
        return data
    at = draw(st.integers(0, len(data) - 1))
    return data[:at] + bytes([draw(st.integers(0, 255))]) + data[at + 1 :]


def inserted(data: bytes, draw: st.DrawFn) -> bytes:
    """Insert a few bytes, or a sign that means something to somebody."""
    at = draw(st.integers(0, len(data)))
    new = draw(
        st.one_of(st.binary(max_size=6), st.sampled_from([*EVIL, "\0", "\t", "&", "*", "{", "'", '"']))
    )
    return data[:at] + (new if isinstance(new, bytes) else new.encode()) + data[at:]


def swapped(data: bytes, draw: st.DrawFn) -> bytes:
    """Swap two lines."""
    lines = data.split(b"\n")
    one, other = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def repeated(data: bytes, draw: st.DrawFn) -> bytes:
    """Repeat a piece, up to REPEATED_BYTES."""
    start = draw(st.integers(0, len(data)))
    piece = data[start : start + draw(st.sampled_from([1, 2, 10, 100, 1000]))]
    times = min(draw(st.sampled_from([2, 10, 1000, 100_000])), REPEATED_BYTES // max(len(piece), 1))
    return data[:start] + piece * times + data[start:]


DAMAGES: tuple[Damage, ...] = (
    *(cut, without_lines, inserted, swapped, repeated, other_letter),
    *(other_value, other_value, other_value, other_number, other_number),
    lambda data, _: b"\xef\xbb\xbf" + data,
    lambda data, _: data.replace(b"\n", b"\r\n"),
    lambda data, _: data.replace(b"  ", b"\t", 3),
)


def damaged(data: bytes, draw: st.DrawFn, most: int = 4) -> bytes:
    """Return bytes with a few damages."""
    for _ in range(draw(st.integers(1, most))):
        data = draw(st.sampled_from(DAMAGES))(data, draw)
    return data
