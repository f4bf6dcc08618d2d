# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""An editor as far as the server sees one: pygls' client over the server's standard input and output."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

WAIT_S = 240


class Editor:
    """Opens texts, types into them, and keeps what the server says."""

    def __init__(self, encoding: str | None = None) -> None:
        self.client = LanguageClient("editor", "1")
        self.said: dict[str, list[types.PublishDiagnosticsParams]] = {}
        self.logged: list[str] = []
        self.watched: list[str] = []
        self.news = asyncio.Event()
        self.versions: dict[str, int] = {}
        self.encoding = encoding
        self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(partial(self._published))
        self.client.feature(types.WINDOW_LOG_MESSAGE)(partial(self._logged))
        self.client.feature(types.CLIENT_REGISTER_CAPABILITY)(partial(self._registered))

    def _published(self, params: types.PublishDiagnosticsParams) -> None:
        self.said.setdefault(params.uri, []).append(params)
        self.news.set()

    def _logged(self, params: types.LogMessageParams) -> None:
        self.logged.append(params.message)

    def _registered(self, params: types.RegistrationParams) -> None:
        for one in params.registrations:
            self.watched += [watcher["globPattern"] for watcher in _plain(one.register_options)["watchers"]]
        self.news.set()

    async def start(self, folder: Path, *words: str, **options: object) -> types.InitializeResult:
        env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        await self.client.start_io(sys.executable, "-m", "trainlint", "lsp", *words, cwd="/", env=env)
        encodings = None if self.encoding is None else [types.PositionEncodingKind(self.encoding)]
        done = await self.client.initialize_async(
            types.InitializeParams(
                capabilities=types.ClientCapabilities(
                    general=types.GeneralClientCapabilities(position_encodings=encodings),
                    workspace=types.WorkspaceClientCapabilities(
                        did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(True)
                    ),
                ),
                root_uri=folder.as_uri(), initialization_options=options or None,
            )
        )  # fmt: skip
        self.client.initialized(types.InitializedParams())
        return done

    async def stop(self) -> int | None:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()
        return self.client._server.returncode

    def open(self, path: Path, text: str, language: str = "yaml") -> str:
        uri = path.as_uri()
        self.versions[uri] = 1
        item = types.TextDocumentItem(uri, language, 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def type(self, uri: str, text: str) -> None:
        self.versions[uri] += 1
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self.versions[uri], uri),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )

    async def diagnostics(self, uri: str) -> list[types.Diagnostic]:
        """Wait for what is said of the newest version of a text."""
        async with asyncio.timeout(WAIT_S):
            while True:
                self.news.clear()
                for params in self.said.get(uri, ()):
                    if params.version == self.versions[uri]:
                        return list(self.said[uri][-1].diagnostics)
                await self.news.wait()

    async def until(self, uri: str, holds: Callable[[list[str]], bool]) -> None:
        """Wait until what is said of a text is as it should be."""
        async with asyncio.timeout(WAIT_S):
            while not holds([one.message for one in self.said[uri][-1].diagnostics]):
                self.news.clear()
                await self.news.wait()

    async def hover(self, uri: str, line: int, character: int) -> types.Hover | None:
        at = types.Position(line, character)
        return await self.client.text_document_hover_async(
            types.HoverParams(types.TextDocumentIdentifier(uri), at)
        )

    async def complete(self, uri: str, line: int, character: int) -> dict[str, types.CompletionItem]:
        at = types.Position(line, character)
        found = await self.client.text_document_completion_async(
            types.CompletionParams(types.TextDocumentIdentifier(uri), at)
        )
        return {item.label: item for item in (found.items if found else ())}

    async def actions(self, uri: str, diagnostic: types.Diagnostic) -> list[types.CodeAction]:
        found = await self.client.text_document_code_action_async(
            types.CodeActionParams(
                types.TextDocumentIdentifier(uri), diagnostic.range, types.CodeActionContext([diagnostic])
            )
        )
        return list(found or ())


def _plain(options: object) -> Any:
    """Return what the protocol leaves open as plain values, whatever pygls made of it."""
    return json.loads(json.dumps(options, default=lambda part: part._asdict()))


@asynccontextmanager
async def editing(
    folder: Path, *words: str, encoding: str | None = None, **options: object
) -> AsyncIterator[Editor]:
    """Run the server for an editor that has a folder open, and see that it ends as it is asked to."""
    editor = Editor(encoding)
    await editor.start(folder, *words, **options)
    yield editor
    assert await editor.stop() == 0
