# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The language server: the protocol's requests to the desk, and the desk's answers to the editor.

Texts are judged in one thread of their own, so that the editor's messages are answered meanwhile. What goes
wrong there is written to the editor's log and ends that one answer.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final, TypeVar

from lsprotocol import types
from pygls.exceptions import FeatureRequestError, JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from trainlint import __version__
from trainlint.editor.document_service import DocumentService, text_of
from trainlint.editor.message_stream import REFUSED_REQUEST, UNREADABLE, MessageStream
from trainlint.editor.protocol_messages import Answers
from trainlint.editor.protocol_positions import EditorPlaces
from trainlint.editor.remarks import Severity
from trainlint.files.safe_open import is_path
from trainlint.model.document import Source
from trainlint.pipeline.deciding_files import globs
from trainlint.report.style import printable

DELAY_S: Final = 0.3
"""Seconds without a key before a text is judged: a person types faster than that within a word."""
SUFFIXES: Final = {
    "yaml": ".yml", "json": ".json", "jsonc": ".jsonc", "toml": ".toml", "shellscript": ".sh",
    "markdown": ".md",
}  # fmt: skip
"""Language of a text without a file -> how its name would end."""
MOST_LOGGED: Final = 500
"""Characters of a line in the editor's log: it may repeat what was sent."""
Answer = TypeVar("Answer")
Tracing = Callable[[str, tuple[str, ...]], Awaitable[bool]]
"""Traces a saved file's step in another process; True where it was done."""


class Server(LanguageServer):
    """pygls' server, whose errors are a line each in the editor's log: none interrupts who is typing."""

    def log(self, words: str) -> None:
        """Write a line into the editor's log."""
        line = printable(words[:MOST_LOGGED])
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, line))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log what pygls could not do with a message; whoever asked for an answer has one that says it."""
        if source is not FeatureRequestError:
            self.log(str(error) or type(error).__name__)


class Service:
    """One editor's connection."""

    def __init__(self, desk: DocumentService, tracing: Tracing, *, trace: bool) -> None:
        self.desk, self.trace, self._tracing = desk, trace, tracing
        self.server = Server(
            "trainlint", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full
        )
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="judge")
        self._waiting: dict[str, asyncio.Task[None]] = {}
        self._traced: set[Source] = set()
        self._tracing_now = asyncio.Lock()
        self._register()

    def _register(self) -> None:
        feature = self.server.feature  # which sets attributes: a partial has them, a method not
        feature(types.INITIALIZE)(partial(self.initialize))
        feature(types.INITIALIZED)(partial(self.initialized))
        feature(UNREADABLE)(partial(self.unreadable))
        feature(REFUSED_REQUEST)(partial(self.refused))
        feature(types.TEXT_DOCUMENT_DID_OPEN)(partial(self.opened))
        feature(types.TEXT_DOCUMENT_DID_CHANGE)(partial(self.changed))
        feature(types.TEXT_DOCUMENT_DID_SAVE)(partial(self.saved))
        feature(types.TEXT_DOCUMENT_DID_CLOSE)(partial(self.closed))
        feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(partial(self.configured))
        feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(partial(self.around))
        feature(types.TEXT_DOCUMENT_HOVER)(partial(self.hover))
        kinds = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
        feature(types.TEXT_DOCUMENT_CODE_ACTION, kinds)(partial(self.actions))
        triggers = types.CompletionOptions(trigger_characters=[":", " ", '"', "="])
        feature(types.TEXT_DOCUMENT_COMPLETION, triggers)(partial(self.completion))

    def serve(self) -> None:
        """Answer the editor over standard input and output until it leaves."""
        logging.getLogger("pygls").addHandler(
            logging.NullHandler()
        )  # tracebacks of what `log` says in a line
        logging.getLogger("pygls").propagate = False
        stream: Any = MessageStream(sys.stdin.buffer, self.server.protocol.structure_message)
        self.server.start_io(stream)

    def unreadable(self, params: Any) -> None:
        """Log what came and was no message."""
        self.server.log(str(params.why))

    def refused(self, params: Any) -> None:
        """Answer a request with the error that it was refused with."""
        raise JsonRpcException(str(params.why)[:MOST_LOGGED], int(params.code))

    def initialize(self, params: types.InitializeParams) -> None:
        """Take the editor's settings."""
        self._take(params.initialization_options)

    async def initialized(self, _params: types.InitializedParams) -> None:
        """Ask to be told when a file changes that a verdict may depend on, where the editor can watch."""
        workspace = self.server.client_capabilities.workspace
        watching = workspace.did_change_watched_files if workspace is not None else None
        if watching is None or not watching.dynamic_registration:
            return
        options = types.DidChangeWatchedFilesRegistrationOptions(
            [types.FileSystemWatcher(glob) for glob in globs()]
        )
        name = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        await self.server.client_register_capability_async(
            types.RegistrationParams([types.Registration("deciding-files", name, options)])
        )

    def _take(self, options: Any) -> None:
        """Take `target` (a name or several) and `trace`; anything else is no setting of ours."""
        if not isinstance(options, Mapping):
            return
        names = options.get("target")
        names = [names] if isinstance(names, str) else names
        if isinstance(names, list) and all(isinstance(name, str) for name in names):
            self.desk.targets = tuple(filter(None, names))
        if isinstance(options.get("trace"), bool):
            self.trace = options["trace"]

    def configured(self, params: types.DidChangeConfigurationParams) -> None:
        """Take changed settings and judge everything again."""
        settings = params.settings
        self._take(settings.get("trainlint") if isinstance(settings, Mapping) else None)
        self.again()

    def around(self, _params: types.DidChangeWatchedFilesParams) -> None:
        """Judge everything again: files around the texts changed, a checkout's often many in a row."""
        self.again(DELAY_S)

    def again(self, delay: float = 0) -> None:
        """Judge all texts that are open, by what lies around them now."""
        self._forget()
        for uri in self.server.workspace.text_documents:
            self._soon(uri, delay)

    def _forget(self) -> None:
        """Forget what is known, in the desk's thread: an answer that is being made is forgotten too."""
        self._thread.submit(self.desk.forget)

    def opened(self, params: types.DidOpenTextDocumentParams) -> None:
        """Judge a text at once, by what lies around it now: not every editor says what changed."""
        self._forget()
        self._soon(params.text_document.uri, 0)

    def changed(self, params: types.DidChangeTextDocumentParams) -> None:
        """Judge a text when its writer pauses."""
        self._soon(params.text_document.uri, DELAY_S)

    def saved(self, _params: types.DidSaveTextDocumentParams) -> None:
        """Judge everything again: what was saved may be what others name, or the settings."""
        self.again()

    def closed(self, params: types.DidCloseTextDocumentParams) -> None:
        """Take back what was said of a text."""
        uri = params.text_document.uri
        if uri in self._waiting:
            self._waiting.pop(uri).cancel()
        self._publish(uri, [], None)

    def _soon(self, uri: str, delay: float) -> None:
        if uri in self._waiting:
            self._waiting[uri].cancel()
        self._waiting[uri] = asyncio.get_running_loop().create_task(self._judge(uri, delay))

    async def _judge(self, uri: str, delay: float) -> None:
        """Publish what is to be said of a text, unless it has changed meanwhile."""
        await asyncio.sleep(delay)
        source = self.source(uri)
        if source is None:
            return
        version = self.server.workspace.text_documents[uri].version
        remarks = await self._ask(partial(self.desk.remarks, source))
        if remarks is None or source != self.source(uri):
            return
        answers = self._answers(uri, source)
        self._publish(uri, [answers.diagnostic(remark) for remark in remarks], version)
        if self.trace and any(remark.severity is Severity.INFORMATION for remark in remarks):
            await self._trace(uri, source)

    async def _trace(self, uri: str, source: Source) -> None:
        """Have a step that no profile knows traced in another process, once for a text; then judge again."""
        path = to_fs_path(uri)
        if path is None or source in self._traced:
            return
        self._traced.add(source)
        async with self._tracing_now:
            done = await self._tracing(path, self.desk.targets)
        if done:
            self.again()

    def source(self, uri: str) -> Source | None:
        """Return a text that is open under the name that decides how it is read; None for no file's."""
        document = self.server.workspace.text_documents.get(uri)
        if document is None:
            return None
        path = to_fs_path(uri) if uri.startswith("file:") else None
        if path is None and uri.startswith("untitled:"):
            path = f"untitled{SUFFIXES.get(document.language_id or '', '.txt')}"
        return text_of(path, document.source) if path is not None and is_path(path) else None

    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        """Say what is at a place."""
        uri = params.text_document.uri
        source = self.source(uri)
        if source is None:
            return None
        answers = self._answers(uri, source)
        hovered = await self._ask(partial(self.desk.hover, source, answers.offset(params.position)))
        return None if hovered is None else answers.hover(*hovered)

    async def completion(self, params: types.CompletionParams) -> types.CompletionList | None:
        """Say what the word at a place could become."""
        uri = params.text_document.uri
        source = self.source(uri)
        if source is None:
            return None
        answers = self._answers(uri, source)
        offered = await self._ask(partial(self.desk.offers, source, answers.offset(params.position)))
        return None if offered is None else answers.completions(*offered)

    async def actions(self, params: types.CodeActionParams) -> list[types.CodeAction] | None:
        """Offer the verified fixes of what is wrong at a place."""
        uri = params.text_document.uri
        source = self.source(uri)
        if source is None:
            return None
        answers = self._answers(uri, source)
        offered = await self._ask(partial(self.desk.repairs, source, answers.span(params.range)))
        given = params.context.diagnostics
        return [answers.action(repair, given, first=index == 0) for index, repair in enumerate(offered or ())]

    def _answers(self, uri: str, source: Source) -> Answers:
        workspace = self.server.workspace
        encoding = str(getattr(workspace.position_encoding, "value", workspace.position_encoding))
        return Answers(uri, EditorPlaces(source.text, encoding), workspace.text_documents[uri].version)

    async def _ask(self, question: Callable[[], Answer]) -> Answer | None:
        """Ask the desk, in its thread; None where it failed, which the editor's log says."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, question)
        except Exception as error:  # noqa: BLE001  # one text must not take the others with it
            self.server.log(f"internal error: {type(error).__name__}: {error}; please report it")
            return None

    def _publish(self, uri: str, diagnostics: list[types.Diagnostic], version: int | None) -> None:
        self.server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, diagnostics, version)
        )
