# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Notebooks: commands in code cells, at their line in the .ipynb file."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from trainlint.documents.notebook import parse_notebook
from trainlint.errors import UnreadableError
from trainlint.model.document import Document, Source


def code(*lines: str, **more: Any) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "metadata": {},
        "outputs": [],
        "source": [line + "\n" for line in lines],
        **more,
    }


def read(*cells: Any, **more: Any) -> tuple[Document, ...]:
    text = json.dumps({"cells": list(cells), "nbformat": 4, **more}, indent=1)
    return parse_notebook(Source("a.ipynb", text))


def test_commands_of_every_form() -> None:
    documents = read(
        {"cell_type": "markdown", "source": ["    !python train.py --no"]},
        code("import os", "BATCH = 16  # why", "os.environ['CUDA_VISIBLE_DEVICES'] = \"0,1\"", "for x in y:"),
        code("%env A=1", "!python train.py --b {BATCH} --c $BATCH \\", '   --d "q w"', "print(1)"),
        code("%run train.py --e 1"),
        code("%%bash", "X=2", "python train.py --f $X"),
        code("%%capture out", "!torchrun train.py --g 3"),
        code("log = !python train.py --h 4", "if x:", "    !python train.py --i 5"),
        code("%%html", "!python train.py --j 6"),
        code("!python test.py", "!pip install train", "!ls {BATCH}"),
    )
    assert [(document.cell, next(iter(document.value))) for document in documents] == [
        (3, "b"), (4, "e"), (5, "f"), (6, "g"), (7, "h"), (7, "i"),
    ]  # fmt: skip
    first = documents[0]
    assert first.value["b"] == first.value["c"] == "16"
    assert first.value["d"] == "q w"
    assert first.value["@env"] == {"CUDA_VISIBLE_DEVICES": "0,1", "A": "1"}
    assert documents[2].value["f"] == "2"
    assert [document.index for document in documents] == list(range(6))


def test_places_are_those_of_the_file() -> None:
    (document,) = read(code('!python train.py --a "é\\" b" \\', "  --c 1"))
    text = document.source.text
    line = next(number for number, row in enumerate(text.split("\n"), 1) if "--c 1" in row)
    assert document.source.position(document.places["c",].value.start)[0] == line
    assert document.raw(("c",)) == "1"
    assert document.raw(("a",)) == r"\"\u00e9\\\" b\""
    assert document.value["a"] == 'é" b'


def test_a_cell_may_be_one_text_or_nothing() -> None:
    documents = read(
        code(source="!python train.py --a 1\n!python train.py --b \U0001f600"),
        code(source=None), code(source=[1, None]), {"cell_type": "code"}, "no cell", None,
    )  # fmt: skip
    assert [document.value["@script"] for document in documents] == ["train.py", "train.py"]
    assert documents[1].value["b"] == "\U0001f600"


def test_files_that_a_cell_writes() -> None:
    documents = read(
        code("%%writefile options/x.yml", "network_g:", "  type: RRDBNet"),
        code("%%writefile run.sh", "python train.py --a 1"),
        code("%%writefile train.py", "!python train.py"),
        code("%%writefile broken.yml", "a: ["),
    )
    assert [(document.cell, document.format) for document in documents] == [(1, "yaml"), (2, "command")]
    assert documents[0].value == {"network_g": {"type": "RRDBNet"}}
    assert documents[0].raw(("network_g", "type")) == "RRDBNet"


def test_cells_that_are_not_python() -> None:
    documents = read(
        code("B=3", "python train.py --b $B"),
        metadata={"kernelspec": {"language": "bash"}},
    )
    assert documents[0].value["b"] == "3"
    assert read(code("SELECT * FROM train", "'''", '{{{ $( ` "')) == ()


def test_a_notebook_that_nobody_has_begun_holds_nothing() -> None:
    assert parse_notebook(Source("a.ipynb", "\n")) == ()


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('{"cells": [\n', 2, "ends"),
        ('{"cells": {}}', 1, 'expected "cells"'),
        ("[]", 1, 'expected "cells"'),
        ('{"cells": [\n{"outputs": [1,]}]}', 2, "not valid JSON"),
        ('{"cells": [\n{"outputs": ' + "[" * 100_000, 2, "nested too deep"),
    ],
)
def test_what_is_no_notebook(text: str, line: int, words: str) -> None:
    with pytest.raises(UnreadableError, match=words) as caught:
        parse_notebook(Source("a.ipynb", text))
    assert caught.value.line == line


def test_outputs_of_twenty_megabytes_are_stepped_over() -> None:
    image = {"output_type": "display_data", "data": {"image/png": "A" * 20_000_000}}
    numbers = {"output_type": "display_data", "data": {"application/json": list(range(500_000))}}
    start = time.process_time()
    (document,) = read(code("!python train.py --a 1", outputs=[image, numbers]))
    assert document.raw(("a",)) == "1"
    assert time.process_time() - start < 20
