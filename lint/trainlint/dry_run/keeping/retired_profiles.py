# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Profiles that `trace --run-code` made before there were dry runs: no step has their key any more."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Final

from trainlint.estimate.tapes.stored_profiles import Store

OWN_CODE: Final = "own"
"""Field of such a profile's step: what of it was code of the trainer's repository."""
RETIRED: Final = "the profile that trace --run-code stored is not read any more"


def retired_networks(store: Store) -> frozenset[str]:
    """Return the generators that a project has such profiles of."""
    try:
        changed_ns = store.folder.stat().st_mtime_ns
    except OSError:
        return frozenset()
    return _networks(store.folder, store.within, changed_ns)


@lru_cache(maxsize=8)
def _networks(folder: Path, within: Path | None, _changed_ns: int) -> frozenset[str]:
    steps = (header["step"] for header in Store(folder, within=within).headers())
    return frozenset(str(step.get("networks.generator.arch")) for step in steps if OWN_CODE in step)
