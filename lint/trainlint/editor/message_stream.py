# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The editor's messages as they come over standard input: what is none is passed over, and said once.

pygls reads whatever length a header names, and answers no request that it cannot read: an editor would wait.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, Final, Literal

import msgspec
from cattrs import ClassValidationError, IterableValidationError, transform_error
from msgspec import Struct, field

UNREADABLE: Final = "trainlint/unreadable"
"""The notification that takes the place of what was no message."""
REFUSED_REQUEST: Final = "trainlint/refused"
"""The request that takes the place of one that is answered with an error."""
INVALID_REQUEST, INVALID_PARAMS, NOT_INITIALIZED = -32600, -32602, -32002
"""The protocol's codes."""

MOST_MESSAGE_BYTES: Final = 2**26
"""Bytes of a message: the largest text that is read, with six for each of its characters (`\\u0000`)."""
MOST_HEADER_BYTES: Final = 4096
"""Bytes that are kept while no header has been seen."""
CHUNK_BYTES: Final = 2**16
OVERLAP: Final = 64
"""Bytes in which a header may have begun that is not all there."""

LENGTH_HEADER: Final = re.compile(rb"Content-Length: *[0-9]{1,15}\r\n", re.IGNORECASE)
"""How a header begins. It is in no message: JSON has no line end within a text."""
HEADER: Final = re.compile(
    rb"Content-Length: *([0-9]{1,15})\r\n(?:[A-Za-z-]{1,40}:[^\r\n]*\r\n)*\r\n", re.IGNORECASE
)
OTHER_HEADERS: Final = re.compile(rb"(?:[A-Za-z-]{1,40}:[^\r\n]*\r\n)*")
"""What may precede the length in a header."""


class Envelope(Struct, frozen=True):
    """What every message has."""

    jsonrpc: Literal["2.0"]
    method: str | None = None
    number: int | str | None = field(default=None, name="id")


class MessageStream:
    """Standard input for pygls: whole messages alone, which `structure` can read."""

    def __init__(self, stream: BinaryIO, structure: Callable[[dict[str, Any]], object]) -> None:
        self._stream: Any = stream
        self._structure = structure
        self._held = bytearray()
        self._message = b""
        self._empty_line = False
        self._begun = False

    def readline(self) -> bytes:
        """Return the lines of the next message's header, one a call; nothing where the input has ended."""
        if self._empty_line:
            self._empty_line = False
            return b"\r\n"
        message = self._next()
        if message is None:
            return b""
        self._message, self._empty_line = message, True
        return b"Content-Length: %d\r\n" % len(message)

    def read(self, _size: int) -> bytes:
        """Return the message whose header was read."""
        return self._message

    def _next(self) -> bytes | None:
        """Return the next message, or what takes its place; None where the input has ended."""
        while (header := HEADER.search(self._held)) is None:
            if len(self._held) > MOST_HEADER_BYTES:
                del self._held[:-MOST_HEADER_BYTES]
                return _note("input without a Content-Length is passed over")
            if not self._more():
                return None
        passed = bytes(self._held[: header.start()])
        size = int(header[1])
        if not OTHER_HEADERS.fullmatch(passed):
            del self._held[: header.start()]
            return _note(f"{len(passed)} bytes that are no message are passed over")
        del self._held[: header.end()]
        if size > MOST_MESSAGE_BYTES:
            return _note(f"a message of {size} bytes is passed over: at most {MOST_MESSAGE_BYTES} are read")
        return self._body(size)

    def _body(self, size: int) -> bytes | None:
        looked = 0
        while True:
            begun = LENGTH_HEADER.search(self._held, looked, size)
            if begun is not None:
                del self._held[: begun.start()]
                return _note(f"a message of {size} bytes ended after {begun.start()}")
            if len(self._held) >= size:
                body = bytes(self._held[:size])
                del self._held[:size]
                return self._checked(body)
            looked = max(0, len(self._held) - OVERLAP)
            if not self._more():
                return None

    def _more(self) -> bool:
        chunk = self._stream.read1(CHUNK_BYTES)
        self._held += chunk
        return bool(chunk)

    def _checked(self, body: bytes) -> bytes:
        """Return a message that can be read, or what takes its place."""
        try:
            message = msgspec.json.decode(body)
            envelope = msgspec.convert(message, Envelope)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            return _note(f"not a message: {error}")
        code, why = self._refusal(envelope, message)
        if not code:
            return body
        if envelope.number is None:
            return _note(f"{envelope.method}: {why}")
        return _encoded(REFUSED_REQUEST, {"code": code, "why": why}, envelope.number)

    def _refusal(self, envelope: Envelope, message: dict[str, Any]) -> tuple[int, str]:
        """Return why a message is not passed on, with the protocol's code; 0 where it is."""
        if envelope.method is None:
            return (0, "") if {"result", "error"} & message.keys() else (INVALID_REQUEST, "no method")
        if envelope.method != "exit" and (envelope.method == "initialize") == self._begun:
            return (
                (INVALID_REQUEST, "comes once alone")
                if self._begun
                else (NOT_INITIALIZED, "initialize first")
            )
        try:
            self._structure(message)
        except Exception as error:  # noqa: BLE001  # pygls' own and its converter's
            return INVALID_PARAMS, _reason(error.__cause__ or error)
        self._begun = True
        return 0, ""


def _reason(error: BaseException) -> str:
    """Say what a message has in place of what was expected, and where."""
    if isinstance(error, (ClassValidationError, IterableValidationError)):
        return "; ".join(transform_error(error, path="$"))
    return str(error)


def _note(why: str) -> bytes:
    return _encoded(UNREADABLE, {"why": why})


def _encoded(method: str, params: Mapping[str, object], number: int | str | None = None) -> bytes:
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    return msgspec.json.encode(message if number is None else message | {"id": number})
