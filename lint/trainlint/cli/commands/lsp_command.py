# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`trainlint lsp`: the language server, over standard input and output.

It never runs code of the workspace: not even what the user's settings permit the command line.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE
from pathlib import Path

import click
from msgspec.structs import replace

from trainlint.child_processes import end_with_input
from trainlint.cli.baseline_options import baseline_for
from trainlint.cli.stand_in import with_target
from trainlint.dialects.forgetting import forget
from trainlint.editor.document_service import DocumentService, TextPipeline
from trainlint.errors import UsageError
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.toolbox import pipeline_for
from trainlint.settings.settings import Settings
from trainlint.settings.settings_file import load_settings

MISSING_PYGLS = "trainlint lsp needs pygls: pip install 'trainlint[lsp]'"


@click.command("lsp")
@click.option(
    "--target", "-t", multiple=True, metavar="NAME", help="Machine or GPU to judge against; repeatable."
)
@click.option(
    "--trace", is_flag=True, help="Trace steps that have no stored profile, in another process (needs torch)."
)
@click.option("--trace-file", hidden=True, type=click.Path(exists=True, dir_okay=False))
def lsp_command(target: tuple[str, ...], *, trace: bool, trace_file: str | None) -> None:
    """Serve an editor: findings as you type, fixes, memory on hover, completion of keys and values."""
    if trace_file is not None:
        end_with_input()  # which the server holds
        trace_saved(trace_file, target)
        return
    try:
        from trainlint.editor.language_server import Service  # noqa: PLC0415  # pygls, which is not always there
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("pygls", "lsprotocol", "cattrs"):
            raise
        raise UsageError(MISSING_PYGLS) from None

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # pygls would wait for the editor's next message
    Service(DocumentService(CachedPipelines(), targets=target), trace_elsewhere, trace=trace).serve()


class CachedPipelines:
    """Makes what judges a text, and keeps the tapes from one text to the next."""

    def __init__(self) -> None:
        self._tapes: tuple[Settings, TapeSource] | None = None

    def __call__(self, path: str, targets: tuple[str, ...], stand_in: bool) -> TextPipeline:
        """Return what judges a file, whose settings are read again. Raises UsageError."""
        settings = without_code(load_settings(Path(path)).with_options(target=targets))
        tapes = self._tapes_of(settings)
        settings = with_target(settings)[0] if stand_in and not settings.at(path).target else settings
        pipeline = pipeline_for(settings, tapes)
        return TextPipeline(pipeline, baseline_for(settings, pipeline).new)

    def forget(self) -> None:
        """Look for every tape again: it may have been traced meanwhile."""
        self._tapes = None
        forget()

    def _tapes_of(self, settings: Settings) -> TapeSource:
        if self._tapes is None or self._tapes[0] != settings:
            self._tapes = settings, tapes_for(settings, lambda _task: None, may_trace=False)
        return self._tapes[1]


def without_code(settings: Settings) -> Settings:
    """Return settings by which nothing of the user's or of a repository's is run."""
    return replace(settings, python=None, networks=(), trusted=())


def trace_saved(path: str, targets: tuple[str, ...]) -> None:
    """Judge a file with torch, which stores what was traced in the user's cache."""
    settings = without_code(load_settings(Path(path)).with_options(target=targets))
    tapes = tapes_for(settings, lambda _task: None, may_trace=True)
    for _ in pipeline_for(settings, tapes).lint_path(path, named=False):
        pass


async def trace_elsewhere(path: str, targets: tuple[str, ...]) -> bool:
    """Trace a saved file in a process of its own; modules are never looked for in the working folder (-P)."""
    named = [word for name in targets for word in ("--target", name)]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "trainlint", "lsp", *named, "--trace-file", path,
        stdin=PIPE, stdout=DEVNULL, stderr=DEVNULL,
    )  # fmt: skip
    try:
        return await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
