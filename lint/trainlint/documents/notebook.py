# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Jupyter notebooks (nbformat 4), code cells at their place in the .ipynb file; and IPython's own scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from trainlint.commands.pip_installs import install_lines
from trainlint.commands.scripts import commands_of, numbered
from trainlint.commands.shell.shell import Shell
from trainlint.commands.shell.shell_flavours import POSIX
from trainlint.config.extracted_text import Excerpt
from trainlint.config.jsonc import parse_json
from trainlint.documents.ipython import Cells
from trainlint.documents.markdown_page import fragments
from trainlint.errors import TooLargeError, UnreadableError
from trainlint.expressions.patterns import later
from trainlint.files.read_limits import CODE_CHARACTERS
from trainlint.model.document import Cell, Document, Source, Span

_SKIPPED = frozenset(("outputs", "attachments", "widgets"))
_CHARACTER = later(r"\\u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|\\u\w{4}|\\.|.", re.DOTALL)
_OTHER_CELL = later(r"\s*%%(?!(?:capture|time|timeit|skip)\b)")
"""A cell that is handed to something else than Python."""
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_SUFFIXES = {"yml": "yaml", "yaml": "yaml", "json": "json", "toml": "toml"}


def parse_ipython(source: Source) -> tuple[Document, ...]:
    """Read a script of IPython (.ipy), or one cell, as the code cells of a notebook are read."""
    python = Cells(_written)
    if isinstance(source, Cell):
        python.know(source.before, source.variables)
    return numbered(python.documents(Excerpt.of(source)))


def parse_notebook(source: Source) -> tuple[Document, ...]:
    """Read a notebook's training commands and the configs that it writes; `cell` counts all cells from 1.

    An empty file is a notebook with no cells yet. Raises UnreadableError.
    """
    if not source.text.strip():
        return ()
    (document,) = parse_json(source, skip=_SKIPPED)
    cells = document.value.get("cells") if isinstance(document.value, dict) else None
    if not isinstance(cells, list):
        raise UnreadableError(
            'is not a notebook that trainlint can read: expected "cells" (nbformat 4)', 1, 1
        )
    return numbered(_documents(document, cells))


@lru_cache(maxsize=4)
def code_cells(source: Source) -> Mapping[int, Excerpt]:
    """Return the code of a notebook's cells by their number; nothing for what is none."""
    try:
        (document,) = parse_json(source, skip=_SKIPPED)
    except UnreadableError:
        return {}
    cells = document.value.get("cells") if isinstance(document.value, dict) else None
    return {
        index + 1: _code(document, ("cells", index, "source"), cell["source"])
        for index, cell in enumerate(cells if isinstance(cells, list) else ())
        if isinstance(cell, dict) and cell.get("cell_type") == "code" and "source" in cell
    }


def _documents(notebook: Document, cells: list[object]) -> Iterator[Document]:
    python = Cells(_written)
    shell = Shell(POSIX)
    code: dict[int, Excerpt] = {}
    left = CODE_CHARACTERS
    is_shell = _language(notebook) in ("bash", "sh", "shell")
    for index, cell in enumerate(cells):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code" or "source" not in cell:
            continue
        span = notebook.places["cells", index, "source"].value
        left -= span.end - span.start
        if left < 0:
            raise TooLargeError(
                f"holds more than {CODE_CHARACTERS:,} characters of code: clear data out of its cells"
            )
        excerpt = _code(notebook, ("cells", index, "source"), cell["source"])
        if is_shell:
            yield from commands_of(excerpt, shell, cell=index + 1)
        else:
            yield from python.documents(excerpt, cell=index + 1)
            code[index + 1] = excerpt
    yield from _trainings(notebook.source, code)


def _trainings(source: Source, code: Mapping[int, Excerpt]) -> Iterator[Document]:
    """Yield the trainings that cells write out as calls; a cell that is no Python is passed over."""
    if not any("Trainer" in excerpt.text for excerpt in code.values()):
        return
    from trainlint.documents.trainer_calls import trainings, without_magic  # noqa: PLC0415 - of few notebooks
    from trainlint.files.syntax_tree import parsed  # noqa: PLC0415 - as above

    parts: list[Excerpt] = []
    ends: dict[int, int] = {}
    length = 0
    for number, excerpt in code.items():
        if not _OTHER_CELL.match(excerpt.text) and parsed(without_magic(excerpt.text)) is not None:
            line_end = Excerpt(source, "\n", (excerpt.offsets[-1],) * 2)
            parts += [excerpt, line_end]
            length += len(excerpt.text) + 1
            ends[number] = length
    cells = (Source(source.path, excerpt.text) for excerpt in code.values())
    installs = [line[0] for cell in cells for line in install_lines(cell)]
    yield from trainings(Excerpt.join(parts, source), ends, installs)


def _written(excerpt: Excerpt, suffix: str) -> Iterator[Document]:
    """Read the file that a `%%writefile` cell writes."""
    if suffix in _SUFFIXES:
        yield from fragments(excerpt, _SUFFIXES[suffix])
    elif suffix in ("sh", "bash"):
        yield from commands_of(excerpt, Shell(POSIX))


def _language(notebook: Document) -> str:
    metadata = notebook.value.get("metadata")
    kernel = metadata.get("kernelspec") if isinstance(metadata, dict) else None
    return str(kernel.get("language", "python")).lower() if isinstance(kernel, dict) else "python"


def _code(notebook: Document, path: tuple[str | int, ...], source: object) -> Excerpt:
    """Join a cell's lines (or its one text), each character at its place in the file."""
    lines = [(*path, index) for index in range(len(source))] if isinstance(source, list) else [path]
    texts = [_decoded(notebook.source, notebook.places[line].value) for line in lines]
    return Excerpt.join(texts, notebook.source)


def _decoded(source: Source, span: Span) -> Excerpt:
    """Decode a JSON string; a value that is none gives no text."""
    raw = source.text[span.start : span.end]
    if not raw.startswith('"'):
        return Excerpt(source, "", range(1))
    body = Excerpt.of(source, span.start + 1, span.end - 1)
    if "\\" not in raw:
        return body
    characters: list[str] = []
    offsets: list[int] = []
    for match in _CHARACTER.finditer(body.text):
        characters.append(_character(match.group()))
        offsets.append(body.offsets[match.start()])
    return Excerpt(source, "".join(characters), [*offsets, body.offsets[-1]])


def _character(written: str) -> str:
    if not written.startswith("\\"):
        return written
    if written[1] != "u":
        return _SIMPLE.get(written[1], written[1])
    units = b"".join(int(unit, 16).to_bytes(2, "big") for unit in written[2:].split("\\u"))
    return units.decode("utf-16-be", errors="replace")[:1]
