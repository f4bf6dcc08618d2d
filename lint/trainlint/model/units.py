# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Numbers as people read them: bytes in GiB or MiB, hours, counts."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trainlint.model.facts import Sessions
    from trainlint.model.target import Target

MIB = 2**20
GIB = 2**30
MB = 10**6
GB = 10**9
TB = 10**12
THOUSAND = 1000
MILLION = 10**6
HOUR_S = 3600
DAY_H = 24
LONG_H = 72
"""From three days on, days say more than hours."""
LONG_MIN_H = 3
"""Up to three hours a range that begins in minutes ends in minutes."""
ROUNDING = 1e-6
"""What a number may lack by the rounding of its computation."""
LARGE_DISK = 10 * TB
"""From here on terabytes are easier to read."""


def gib(size: float) -> str:
    """Write bytes as GiB with two decimals ("14.56"), at which cards differ; thousands without ("19,057")."""
    return f"{size / GIB:.2f}" if size < THOUSAND * GIB else f"{size / GIB:,.0f}"


def gib_between(low: float, high: float) -> str:
    """Write a range of bytes as GiB ("8.90 to 10.06"), and as one number where its ends read alike."""
    least, most = gib(low), gib(high)
    return least if least == most else f"{least} to {most}"


def bytes_text(size: float) -> str:
    """Write bytes with the unit that suits them ("512 B", "1.2 MiB", "34 MiB", "1.21 GiB", "20,978 GiB")."""
    if size >= GIB:
        return f"{gib(size)} GiB"
    if 10 * MIB > size >= MIB:
        return f"{size / MIB:.1f} MiB"
    if size >= MIB:
        return f"{size / MIB:.0f} MiB"
    return f"{size / 1024:.0f} KiB" if size >= THOUSAND else f"{size:.0f} B"


def disk(size: float) -> str:
    """Write bytes on a disk in the makers' decimal units ("25.8 GB", "196 MB", "16.0 TB")."""
    if size >= LARGE_DISK:
        return f"{size / TB:.1f} TB"
    if size >= GB:
        return f"{size / GB:.1f} GB"
    return f"{size / MB:.0f} MB" if size >= MB else bytes_text(size)


def dollars(value: float) -> str:
    """Write US dollars: cents below ten ("$0.40", "$120", "$1,304")."""
    return f"${value:.2f}" if value < 10 else f"${value:,.0f}"  # noqa: PLR2004  # two digits are enough


def hours(value: float) -> str:
    """Write hours as minutes, hours or days ("40 min", "9.5 h", "12 days")."""
    if value < 1:
        return f"{value * 60:.0f} min" if value * 60 >= 1 / 2 else "under 1 min"
    if value >= LONG_H:
        return f"{value / DAY_H:,.0f} days"
    return f"{value:.1f} h" if value < 10 else f"{value:.0f} h"  # noqa: PLR2004  # two digits are enough


def hours_between(low: float, high: float) -> str:
    """Write a range of hours in one unit, its low end rounded down ("60 to 141 h", "3 to 8 days")."""
    ends = hours(low), hours(high)
    if ends[0] == ends[1]:
        return ends[0]
    size: float
    if low >= LONG_H:
        size, unit, digits = DAY_H, "days", 0
    elif low >= 1:
        size, unit, digits = 1, "h", 1 if low < 10 else 0  # noqa: PLR2004 - as many digits as `hours` writes
    elif high < LONG_MIN_H:
        size, unit, digits = 1 / 60, "min", 0
    else:
        return " to ".join(ends)
    step = 10**digits
    least = floor(low / size * step + ROUNDING) / step
    most = high / size
    return f"{least:,.{digits}f} to {most:,.{digits if most < 10 else 0}f} {unit}"  # noqa: PLR2004 - as above


def hours_alone(low: float, high: float) -> str:
    """Write a range of hours as such, whatever their number, for tables: "0.36 to 1.5", "76 to 206"."""
    digits = _decimals(low)
    least = f"{floor(low * 10**digits + ROUNDING) / 10**digits:,.{digits}f}"
    most = f"{high:,.{_decimals(high)}f}"
    return least if least == most else f"{least} to {most}"


def _decimals(value: float) -> int:
    return 2 if value < 1 else 1 if value < 10 else 0  # noqa: PLR2004 - two digits are enough


def count_between(counts: Sessions) -> str:
    """Write a range of counts ("10 to 20", "7 or more"); no number is enough where the least is None."""
    least, _, most = counts
    if least is None:
        return "no number"
    return f"{least} or more" if most is None else str(least) if least == most else f"{least} to {most}"


def sessions_between(counts: Sessions) -> str:
    """Write how many sessions with the noun ("10 to 20 sessions", "1 session")."""
    words = count_between(counts)
    return f"{words} session{'' if words == '1' else 's'}"


def seconds(value: float) -> str:
    """Write a step's duration ("0.42 s", "85 ms"); what takes an hour or more as that ("166 days")."""
    if value >= HOUR_S:
        return hours(value / HOUR_S)
    if value >= 1 / 10:
        return f"{value:.2f} s"
    return f"{value * THOUSAND:.0f} ms" if value * THOUSAND >= 1 / 2 else "under 1 ms"


def parameters(count: int) -> str:
    """Write a parameter count ("16.7 M", "621 k", "99")."""
    if count >= MILLION:
        return f"{count / MILLION:.1f} M"
    return f"{count / THOUSAND:.0f} k" if count >= THOUSAND else str(count)


def plural(count: int, noun: str) -> str:
    """Write a count with its noun ("1 file", "2 files")."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def machine(target: Target) -> str:
    """Write a target's GPUs ("2 x Tesla T4")."""
    if target.gpu is None:
        return "no GPU"
    return target.gpu.title if target.gpu_count == 1 else f"{target.gpu_count} x {target.gpu.title}"
