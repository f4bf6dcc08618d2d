# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which networks come from a library (spandrel, spandrel_extra_arches), and which are left out and why."""

from __future__ import annotations

from collections.abc import Collection

from trainlint.catalogue.zoo import withdrawn
from trainlint.catalogue.zoo.library_entry import Entry
from trainlint_zoo.libraries.presets import PRESETS
from trainlint_zoo.libraries.published import PUBLISHED, UNTRACEABLE


def entry(dialect: str, arch: str) -> Entry | None:
    """Return the library's entry for a dialect's name; its own name in that dialect wins."""
    own = f"{dialect}:{arch}"
    if own in withdrawn.names():  # the bare name is then another network's
        return PRESETS.get(own)
    return PRESETS.get(own) or PUBLISHED.get(arch)


def names() -> Collection[str]:
    """Return every name that a library builds; a preset's is written `dialect:name`."""
    return (*PRESETS, *PUBLISHED)


def unknown(dialect: str, arch: str) -> str:
    """Say that no network of this name can be built, with the reason where it was left out for one."""
    if (gone := withdrawn.find(dialect, arch)) is not None:
        return gone.reason()
    reason = UNTRACEABLE.get(arch)
    return f'network "{arch}": {reason}' if reason else f'unknown network "{arch}"'
