# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which of the releases that a schema tells apart the files around a job leave open."""

from __future__ import annotations

from collections.abc import Sequence

from trainlint.dialects.schema.dialect import Releases, Variant
from trainlint.files.safe_open import is_file
from trainlint.model.document import Document
from trainlint.repository.trainer.library_pins import Pin, pins_of


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
