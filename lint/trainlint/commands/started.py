# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""From a job that is a command to the start that it makes of the option file it names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from trainlint.commands.allocator_conf import allocator_of
from trainlint.commands.override import SHELL, assigned, debugging, override_of
from trainlint.commands.processes_and_gpus import visible_to
from trainlint.model.document import Document

if TYPE_CHECKING:
    from trainlint.model.job import Job
from trainlint.model.start import COMMANDS, FINE_TUNING, Override, Start

MOST_SHOWN_CHARACTERS: Final = 200
"""Characters of a command that are shown."""


def start_of(job: Job, place: str) -> Start | None:
    """Return the start that a command's job is; None where it names no option file, or not for certain."""
    options = job.spec.get("options") or {}
    document = job.document
    if (
        job.dialect.id not in COMMANDS
        or not isinstance(options.get("opt"), str)
        or document.broken is not None
    ):
        return None
    if {("opt",), ("launcher",), ("config",), ("@args", 0)} & set(document.meta.get("unresolved", ())):
        return None
    forced = [(word, override_of(word, unknown=unknown)) for word, unknown in _forced(document)]
    overrides = tuple(override for _, override in forced if override is not None)
    overrides += tuple(_assigned(job)) if job.dialect.id == FINE_TUNING else ()
    launched = str(job.spec.get("launcher", "none"))
    from trainlint.commands.accelerate_config import accelerated  # noqa: PLC0415 - of a command alone

    return Start(
        place,
        shown(document),
        str(document.meta.get("script") or ""),
        options["opt"],
        launched,
        (job.spec.get("gpus") or accelerated(document)) if launched != "none" else None,
        visible_to(document),
        document.value.get("auto_resume") is True,
        _edited(document, options["opt"])
        + overrides
        + (debugging() if document.value.get("debug") is True else ()),
        tuple(str(word) for word, override in forced if override is None),
        unheard=_goes_on(document),
        unseen=_is_unseen(document),
        allocator=allocator_of(document),
        document=document,
    )


def _assigned(job: Job) -> Iterator[Override]:
    """Yield what a command sets besides its file: KEY=VALUE, or flags that are keys of the file."""
    document = job.document
    words, unknown = document.meta.get("words", {}).get("@args", ((), frozenset()))
    for index, word in enumerate(words):
        key, equals, text = str(word).partition("=")
        if equals:
            yield assigned(key, text, str(word), unknown=index in unknown)
    for name, text in document.value.items():
        if not name.startswith("@") and name not in job.flags:
            value = " ".join(map(str, text)) if isinstance(text, list | tuple) else str(text)
            known = not any(mark in value for mark in SHELL)
            yield assigned(name, "true" if text is True else value, f"--{name} {value}", unknown=not known)


def shown(document: Document) -> str:
    """Return a command on one line, cut where it is long."""
    span = document.places[()].value
    text = " ".join(re.sub(r"\\+\s*\n[>\s]*", " ", document.source.text[span.start : span.end]).split())
    return text if len(text) <= MOST_SHOWN_CHARACTERS else f"{text[: MOST_SHOWN_CHARACTERS - 1]}…"


def _forced(document: Document) -> list[tuple[str, bool]]:
    """Return the words of --force_yml, each with whether it holds what only the shell knows."""
    words, unknown = document.meta.get("words", {}).get("force_yml", ((), frozenset()))
    return [(str(word), index in unknown) for index, word in enumerate(words)]


def _edited(document: Document, opt: str) -> tuple[Override, ...]:
    """Return that commands before this one write its option file: what is in it then is not known."""
    folder = document.meta.get("folder", "")
    edits = [edit for edit in document.meta.get("edits", ()) if edit.changes(opt, folder)]
    return tuple(Override((), None, edit.text, unknown=True, edits=True) for edit in edits[:1])


def _goes_on(document: Document) -> bool:
    """Return whether more arguments follow that only the shell knows: "$@", or a variable that is not set."""
    _, unknown = document.meta.get("words", {}).get("@args", ((), frozenset()))
    return bool(document.meta.get("partial")) or bool(unknown)


def _is_unseen(document: Document) -> bool:
    listed = document.meta.get("env", {}).get("CUDA_VISIBLE_DEVICES")
    return isinstance(listed, str) and any(mark in listed for mark in SHELL)
