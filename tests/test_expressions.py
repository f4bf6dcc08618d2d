# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What ships is written to be read: no expression of a rule or a dialect is longer than a line or two."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from trainlint.composed import longest
from trainlint.read import load_source, read
from trainlint.resources import resource

MOST = 200
"""Characters of one expression."""

KEYS = ("when", "assert", "certain", "try", "value", "role")
MAPPINGS = ("also", "set")

FILES = sorted((*resource("schemas").glob("[!.]*"), *resource("rules").glob("*.yaml")))


def written(value: Any) -> Iterator[Any]:
    """Yield what is an expression or made of some: by its key, wherever it is."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key in KEYS:
                yield item
            elif key in MAPPINGS and isinstance(item, dict):
                yield from item.values()
            else:
                yield from written(item)
    elif isinstance(value, list):
        for item in value:
            yield from written(item)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_no_expression_is_too_long_to_read(file: Path) -> None:
    (document,) = read(load_source(str(file)))
    texts = [longest(each) for each in written(document.value)]
    assert [text for text in texts if len(text) > MOST] == []


def test_expressions_are_found() -> None:
    (document,) = read(load_source(str(resource("schemas") / "basicsr.yaml")))
    assert len(list(written(document.value))) > 50
