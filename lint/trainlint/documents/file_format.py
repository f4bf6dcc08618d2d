# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which reader a file gets: by its suffix, and where that says nothing by its first characters."""

from __future__ import annotations

import os.path
import re
import sys
from collections import deque
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from trainlint.errors import UnreadableError
from trainlint.expressions.patterns import later
from trainlint.model.document import COMMAND, Cell, Document, ProgramText, Source
from trainlint.model.document import PYTHON as CALLS

if TYPE_CHECKING:
    from trainlint.documents.edited_page import ReadPage

Reader = Callable[[Source], tuple[Document, ...]]

YAML, JSON = ("config.yaml", "parse_yaml"), ("config.jsonc", "parse_json")
TOML, MAKE = ("config.toml", "parse_toml"), ("commands.makefiles", "parse_make")
ENV = ("config.environment", "parse_environment")
POSIX, BATCH = ("commands.scripts", "parse_posix"), ("commands.scripts", "parse_batch")
POWERSHELL, TEXT = ("commands.scripts", "parse_powershell"), ("commands.scripts", "parse_text")
MARKDOWN, NOTEBOOK = ("documents.markdown_page", "parse_markdown"), ("documents.notebook", "parse_notebook")
IPYTHON = ("documents.notebook", "parse_ipython")
PYTHON = ("documents.trainer_calls", "parse_python")
PROGRAM = ("documents.program_text", "parse_program")
"""Readers: module in trainlint, and function. A module is imported for the first file that needs it."""

_READERS: dict[str, tuple[str, str]] = {
    ".yml": YAML,
    ".yaml": YAML,
    ".json": JSON,
    ".jsonc": JSON,
    ".toml": TOML,
    ".env": ENV,
    ".sh": POSIX,
    ".bash": POSIX,
    ".sbatch": POSIX,
    ".slurm": POSIX,
    ".bat": BATCH,
    ".cmd": BATCH,
    ".ps1": POWERSHELL,
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".ipynb": NOTEBOOK,
    ".ipy": IPYTHON,
    ".txt": TEXT,
    ".mk": MAKE,
    ".py": PYTHON,
}
MAKEFILES = ("GNUmakefile", "Makefile", "makefile")
"""What make looks for, by names without a suffix."""
JOB = later(r"(?m)^(?:run[ \t]*:[ \t]*\||apiVersion[ \t]*:)")
"""A line that a file of a cluster's job has."""
_SCRIPTS = (POSIX, BATCH, POWERSHELL, TEXT, MAKE)
_OPTIONS = (YAML, JSON, TOML, ENV)
"""Readers of option files: programs of every kind keep theirs in these formats."""
_OTHER = frozenset(".pth .pt .safetensors .onnx .png .jpg .zip .csv .log .ini .cfg .xml .html".split())  # noqa: SIM905  # words in one text read better
_HEAD = 4_000
"""How many characters show a format."""
_SIGNS: tuple[tuple[re.Pattern[str], tuple[str, str]], ...] = (
    (later(r"#!.*\b(?:ba|z|k|da)?sh\b"), POSIX),
    (
        later(r"\s*+(?://[^\n]*+\n\s*+|/\*(?:[^*]++|\*(?!/))*+\*/\s*+)*+\{\s*+(?:\"|\}|//|/\*)"),
        JSON,
    ),
    (
        later(r"\s*(?:#[^\n]*\n\s*)*(?:\w+=\S*\s+)*(?:python[\d.]*|torchrun|accelerate launch)\s"),
        TEXT,
    ),
    (
        later(r"\s*(?:#[^\n]*\n\s*)*(?:\[[\w.\"' -]+\]\s*\n|[\w.-]+[ \t]*=[ \t]*[\"'\d\[{tf])"),
        TOML,
    ),
)


def is_option_file(path: str) -> bool:
    """Say by its suffix whether a file holds options, of whatever program."""
    return _READERS.get(_suffix(path)) in _OPTIONS


def _suffix(path: str) -> str:
    return os.path.splitext(path)[1].lower()  # noqa: PTH122  # the text as it was written


def read(source: Source) -> tuple[Document, ...]:
    """Read a file's documents; none for a script or page that holds no command line.

    Raises UnreadableError where it is not what its name claims, with line and column where known.
    """
    for known, documents in _LAST_READ:
        if known is source:
            return documents
    documents = _read(source)
    _LAST_READ.append((source, documents))
    return documents


@lru_cache(maxsize=1)
def read_to_edit(source: Source) -> tuple[Document, ...]:
    """Read a file as it is: one edited text after the other is held against it."""
    return _with_installs(_read_page(source).documents) if is_page(source.path) else read(source)


def read_edited(document: Document, edited: Source) -> tuple[Document, ...]:
    """Read an edited text of a document's file; of a page no block but its own that is as it was.

    The documents of such blocks are those of `read_to_edit`.
    """
    if not is_page(edited.path):
        return read(edited)
    return _with_installs(_read_page(document.source).edited(edited, document.index))


def words_again(source: Source, documents: Sequence[Document]) -> int:
    """Return how many words of shell are read again with an edited text; of a page those of one block."""
    if not any(document.format == COMMAND for document in documents):
        return 0
    if is_page(source.path):
        return _read_page(source).most_words
    return len(source.text.split()) if _READERS.get(_suffix(source.path)) in _SCRIPTS else 0


@lru_cache(maxsize=1)
def _read_page(source: Source) -> ReadPage:
    from trainlint.documents.edited_page import ReadPage  # noqa: PLC0415 - where a page's edits are tried

    return ReadPage.of(source)


def is_page(path: str) -> bool:
    """Say by its suffix whether a file is a page of Markdown."""
    return _READERS.get(_suffix(path)) == MARKDOWN


def commands_naming(source: Source, name: str) -> tuple[Document, ...]:
    """Read what of a page may start an option file: the commands of blocks that have its name."""
    from trainlint.documents.markdown_page import parse_markdown  # noqa: PLC0415 - where a page names a config

    return parse_markdown(source, naming=name)


_LAST_READ: Final = deque[tuple[Source, tuple[Document, ...]]](maxlen=1)
"""The file that was read last: its fixes are held against it."""


def is_set_by_flags(document: Document) -> bool:
    """Return whether a program's flags make what its trainer gets: the command has its settings."""
    return document.format == CALLS and () in document.meta["unknown"]


def forget() -> None:
    """Read a file again although its text is the same: scripts that its commands call may have changed."""
    _LAST_READ.clear()
    read_to_edit.cache_clear()
    _read_page.cache_clear()


def _read(source: Source) -> tuple[Document, ...]:
    if isinstance(source, ProgramText):
        return _reader(PROGRAM)(source)
    suffix = _suffix(source.path)
    if suffix in _OTHER:
        raise UnreadableError(f'"{suffix}" is not a format that trainlint reads; expected one of {_known()}')
    known = MAKE if os.path.basename(source.path) in MAKEFILES else _READERS.get(suffix)  # noqa: PTH119  # as above
    module, name = IPYTHON if isinstance(source, Cell) else known or _sniff(source.text)
    reader = _reader((module, name))
    documents = _read_page(source).documents if (module, name) == MARKDOWN else reader(source)
    if (module, name) == PYTHON and not documents:
        if not source.text.strip():
            raise UnreadableError("is empty")
        _refuse_broken(source)
        raise UnreadableError(
            f"this is a program: trainlint dry-run -t NAME -- python {source.path} tries it, "
            f"trainlint init {source.path} describes it in a job.yml"
        )
    if (module, name) == YAML and JOB.search(source.text):
        from trainlint.documents.cluster_jobs import with_commands  # noqa: PLC0415 - seldom one

        documents = with_commands(documents)
    return _with_installs(documents)


def _refuse_broken(source: Source) -> None:
    """Raise UnreadableError, at its line, for a program that is no Python."""
    from trainlint.files.syntax_tree import flaw_of  # noqa: PLC0415 - of programs that are not read alone

    flaw = flaw_of(source.text)
    if flaw is not None:
        running = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise UnreadableError(f"Python {running} cannot read it: {flaw.msg}", flaw.lineno, flaw.offset)


def _reader(place: tuple[str, str]) -> Reader:
    module, name = place
    reader: Reader = getattr(import_module(f"trainlint.{module}"), name)
    return reader


def _with_installs(documents: tuple[Document, ...]) -> tuple[Document, ...]:
    """Give the first command what its file installs: to say it once is enough."""
    first_command = next(
        (index for index, document in enumerate(documents) if document.format == COMMAND), None
    )
    if first_command is None:
        return documents
    from trainlint.commands.pip_installs import installs_of  # noqa: PLC0415 - where a command is written

    first = replace(documents[first_command], installs=installs_of(documents[first_command].source))
    return (*documents[:first_command], first, *documents[first_command + 1 :])


def _known() -> str:
    return ", ".join(sorted(_READERS))


def _sniff(text: str) -> tuple[str, str]:
    """Choose a reader by content (standard input without a name, a file without a suffix)."""
    for pattern, reader in _SIGNS:
        if pattern.match(text, 0, _HEAD):
            return reader
    return YAML
