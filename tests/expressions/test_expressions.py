# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What ships is written to be read: no expression of a rule or a dialect is longer than a line or two."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path as File
from typing import Any

import pytest

from trainlint.documents.file_format import read
from trainlint.expressions.composed import longest
from trainlint.files.text_source import load_source
from trainlint.model.document import Path
from trainlint.shipped.resource_paths import resource

MOST = 200
"""Characters of one expression."""

KEYS = ("when", "assert", "certain", "try", "value", "role")
MAPPINGS = ("also", "set")

FILES = sorted((*resource("schemas").glob("[!.]*"), *resource("rules").glob("*.yaml")))


def written(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield what is an expression or made of some, with the keys that lead there: by its own key."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key in KEYS:
                yield (*path, key), item
            elif key in MAPPINGS and isinstance(item, dict):
                yield from (((*path, key, name), each) for name, each in item.items())
            else:
                yield from written(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from written(item, (*path, index))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_no_expression_is_too_long_to_read(file: File) -> None:
    (document,) = read(load_source(str(file)))
    texts = {longest(each): path for path, each in written(document.value)}
    long = [
        f"{document.located(path)}: {len(text)} characters, expected at most {MOST}"
        for text, path in texts.items()
        if len(text) > MOST
    ]
    assert long == []


def test_expressions_are_found() -> None:
    (document,) = read(load_source(str(resource("schemas") / "basicsr.yaml")))
    assert len(list(written(document.value))) > 50
