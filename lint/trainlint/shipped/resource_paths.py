# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where the data lives: inside the package in a wheel, at the root of a checkout."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]


def resource(name: str) -> Path:
    """Return the path of `rules`, `schemas` or `gpus.toml`.

    A wheel carries them inside the package; a checkout has them two folders up, next to `lint/`.
    """
    inside = PACKAGE / name
    return inside if inside.exists() else PACKAGE.parents[1] / name
