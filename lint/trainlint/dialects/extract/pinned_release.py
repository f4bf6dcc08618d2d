# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which releases of libraries the files around a job ask for, and which readings of a schema those leave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from trainlint.dialects.schema.dialect import Releases, Variant
from trainlint.files.safe_open import is_file
from trainlint.model.document import Document
from trainlint.model.trainer import Signs
from trainlint.repository.trainer.library_pins import Pin, pins_of

TORCH: Final = ("torch", "pytorch")
FUSED: Final = "2"
"""The first torch with attention of its own that keeps no matrix."""


def of_libraries(document: Document, signs: Signs) -> tuple[Pin, ...]:
    """Return what the files around a document ask of the version of a library that is the trainer.

    And of torch's, on which hangs how attention is computed and what it keeps: before 2 only where no other
    library attends.
    """
    if signs.library:
        return tuple(pin for name in (signs.library, *TORCH) for pin in pins_of(document, name))
    if not is_file(document.source.path):
        return ()
    pins = tuple(pin for name in TORCH for pin in pins_of(document, name))
    other = isinstance(document.value, dict) and document.value.get(signs.torch) is True
    return () if other and not all(pin.requirement.meets(FUSED, "") for pin in pins) else pins


def of_pins(variants: Sequence[Variant], document: Document) -> Sequence[Variant]:
    """Return the readings whose releases are asked for; where none of them are, those that need no pin."""
    libraries = {variant.release.library for variant in variants if variant.release}
    lies = is_file(document.source.path)  # a name alone lies nowhere
    pins = {library: pins_of(document, library) if lies else () for library in libraries}
    asked = [variant for variant in variants if _is_asked(variant.release, pins)]
    asked = [variant for variant in asked if not (variant.release and variant.release.no_other)] or asked
    return asked or [variant for variant in variants if variant.release is None or not variant.release.pinned]


def _is_asked(release: Releases | None, pins: dict[str, tuple[Pin, ...]]) -> bool:
    if release is None:
        return True
    own = pins[release.library]
    return (bool(own) or not release.pinned) and all(
        pin.requirement.meets(release.since, release.before) for pin in own
    )
