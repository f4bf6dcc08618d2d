# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What comes from the editor and is no message is passed over and said once; the next one is answered."""

from __future__ import annotations

import io
import json
from importlib.util import find_spec

import pytest

if find_spec("pygls") is None:
    pytest.skip("pygls is not installed", allow_module_level=True)

from trainlint.cli.commands.lsp_command import CachedPipelines
from trainlint.editor.document_service import DocumentService
from trainlint.editor.language_server import Service
from trainlint.editor.message_stream import MOST_MESSAGE_BYTES, REFUSED_REQUEST, UNREADABLE, MessageStream


def framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def message(method: str, number: int | None = None, params: object = None) -> bytes:
    named = {"jsonrpc": "2.0", "method": method, "params": params}
    return json.dumps(named if number is None else {**named, "id": number}).encode()


BEGIN = framed(message("initialize", 1, {"processId": None, "capabilities": {}}))
END = message("shutdown", 9)


class Dribble(io.BytesIO):
    """A pipe: what is asked for comes in pieces, which end anywhere."""

    def read1(self, _size: int = -1) -> bytes:
        return self.read(7)


def read(data: bytes) -> list[dict]:
    """Return the messages that pygls gets of an input, after `initialize` and up to `shutdown`."""

    async def trace(_path: str, _targets: tuple[str, ...]) -> bool:
        return False

    server = Service(DocumentService(CachedPipelines()), trace, trace=False).server
    stream = MessageStream(Dribble(BEGIN + data + framed(END)), server.protocol.structure_message)
    got = []
    while header := stream.readline():
        assert stream.readline() == b"\r\n"
        body = stream.read(0)
        assert header == b"Content-Length: %d\r\n" % len(body)
        got.append(json.loads(body))
    assert got[0]["method"] == "initialize"
    assert got[-1]["method"] == "shutdown"
    return got[1:-1]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (framed(b'{"jsonrpc":"2.0","id":9,"met'), "truncated"),
        (b"Content-Length: 99\r\n\r\n" + END, "ended after"),
        (END, "no message are passed over"),
        (b"Content-Length: %d\r\n\r\n" % (MOST_MESSAGE_BYTES + 1), "are read"),
        (b"Content-Length: " + b"9" * 3000 + b"\r\n\r\n", "passed over"),
        (b"Content-Length: -5\r\n\r\n", "passed over"),
        (framed(b"[]"), "got `array`"),
        (framed(b"[" * 100_000), "recursion"),
        (framed(b'{"jsonrpc":"2.0","method":"\xff"}'), "utf-8"),
        (framed(b'{"jsonrpc":"2.0","id":NaN,"method":"shutdown"}'), "malformed"),
        (framed(message("textDocument/didOpen", None, 5)), "textDocument/didOpen: invalid value"),
    ],
)
def test_what_is_no_message_is_said_once(data: bytes, why: str) -> None:
    (said,) = read(data)
    assert said["method"] == UNREADABLE
    assert why in said["params"]["why"]


def test_the_rest_of_a_message_that_is_longer_than_it_says_is_passed_over() -> None:
    cut, rest = read(b"Content-Length: 20\r\n\r\n" + END)
    assert "truncated" in cut["params"]["why"]
    assert "passed over" in rest["params"]["why"]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (message("textDocument/hover", 5, {"position": {"line": "a"}}), "$.params.text_document"),
        (message("initialize", 5, {"processId": None, "capabilities": {}}), "once"),
        (b'{"jsonrpc":"2.0","id":5}', "no method"),
    ],
)
def test_a_request_that_cannot_be_read_is_answered(data: bytes, why: str) -> None:
    (refused,) = read(framed(data))
    assert (refused["method"], refused["id"]) == (REFUSED_REQUEST, 5)
    assert why in refused["params"]["why"]


def test_a_message_with_further_headers_comes_as_it_is() -> None:
    hover = message(
        "textDocument/hover", 3, {"textDocument": {"uri": "x"}, "position": {"line": 0, "character": 0}}
    )
    typed = b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n"
    for data in (typed + framed(hover), framed(hover).replace(b"\r\n\r\n", b"\r\n" + typed + b"\r\n")):
        assert read(data) == [json.loads(hover)]
