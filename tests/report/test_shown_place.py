# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Findings in notebooks are shown as the cell's code, at the cell's line."""

from __future__ import annotations

import json

from trainlint.documents.file_format import read
from trainlint.model.document import Source, Span
from trainlint.report.shown_place import shown

LINES = ["# two of them\n", "!python train.py \\\n", '  --data "a \u00e9" --batch-size 512\n']


def notebook(source) -> Source:
    cells = [{"cell_type": "markdown", "source": "words"}, {"cell_type": "code", "source": source}]
    return Source("a.ipynb", json.dumps({"cells": cells, "metadata": {}}, indent=1))


def test_the_cells_own_line_is_named_and_quoted() -> None:
    for source in (LINES, "".join(LINES)):
        text = notebook(source)
        at = text.text.index("512")
        seen = shown(text, (Span(at, at + 3),))
        assert (seen.place, seen.cell) == ("a.ipynb, cell 2, line 3", 2)
        (span,) = seen.spans
        assert seen.source.text[span.start : span.end] == "512"
        assert seen.source.line(3) == '  --data "a \u00e9" --batch-size 512'


def test_every_place_of_a_command_is_in_its_cell() -> None:
    text = notebook(LINES)
    (document,) = read(text)
    for place in document.places.values():
        assert shown(text, (place.value,)).cell == 2


def test_what_is_in_no_cell_is_shown_as_it_is() -> None:
    text = notebook(LINES)
    assert shown(text, (Span(0, 1),)).place == "a.ipynb:1:1"
    assert shown(Source("a.yml", "a: 1\n"), (Span(3, 4),)).place == "a.yml:1:4"
    assert shown(Source("a.ipynb", "no notebook"), (Span(3, 4),)).cell is None
