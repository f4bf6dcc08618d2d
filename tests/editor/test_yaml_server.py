# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The schemas in the real yaml-language-server, whose executable TRAINLINT_YAML_SERVER names (npm has it)."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

if "TRAINLINT_YAML_SERVER" not in os.environ:
    pytest.skip("no yaml-language-server is named", allow_module_level=True)

from lsprotocol import types

from tests.editor.client import WAIT_S, Editor
from trainlint.editor.protocol_positions import EditorPlaces

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SETTINGS = {"yaml": {"validate": True, "hover": True, "completion": True, "schemaStore": {"enable": False}}}


class YamlEditor(Editor):
    """An editor that starts yaml-language-server and answers what that asks for."""

    def __init__(self) -> None:
        super().__init__()
        feature = self.client.feature
        feature(types.WORKSPACE_CONFIGURATION)(
            lambda params: [SETTINGS.get(item.section, {}) for item in params.items]
        )

    async def serve(self, folder: Path) -> None:
        await self.client.start_io(os.environ["TRAINLINT_YAML_SERVER"], "--stdio", cwd=folder)
        capabilities = types.ClientCapabilities(
            workspace=types.WorkspaceClientCapabilities(configuration=True),
            text_document=types.TextDocumentClientCapabilities(
                completion=types.CompletionClientCapabilities(),
                publish_diagnostics=types.PublishDiagnosticsClientCapabilities(),
            ),
        )
        await self.client.initialize_async(types.InitializeParams(capabilities, root_uri=folder.as_uri()))
        self.client.initialized(types.InitializedParams())

    async def messages(self, uri: str) -> list[str]:
        async with asyncio.timeout(WAIT_S):
            while uri not in self.said:
                self.news.clear()
                await self.news.wait()
        await asyncio.sleep(1)  # it may say "nothing" before it has read the schema
        return [one.message for one in self.said[uri][-1].diagnostics]


def test_configs_are_checked_and_completed_by_the_modeline(tmp_path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "trainlint", "schema", "basicsr"],
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    (tmp_path / "schema.json").write_text(done.stdout, "utf-8")
    good = (
        f"# yaml-language-server: $schema=schema.json\n{(EXAMPLES / 'msrresnet_x4.yml').read_text('utf-8')}"
    )
    bad = good.replace("gt_size: 128", "gt_size: wide")
    asked = good.replace("    gt_size: 128\n", "    gt_\n")

    async def ask() -> None:
        editor = YamlEditor()
        await editor.serve(tmp_path)
        assert await editor.messages(editor.open(tmp_path / "good.yml", good)) == []
        wrong = await editor.messages(editor.open(tmp_path / "bad.yml", bad))
        assert wrong
        assert all("integer" in message for message in wrong)
        uri = editor.open(tmp_path / "asked.yml", asked)
        found = await editor.complete(uri, *EditorPlaces(asked).position(asked.index("    gt_\n") + 7))
        assert "gt_size" in found
        said = await editor.hover(uri, *EditorPlaces(asked).position(asked.index("batch_size_per_gpu") + 3))
        assert "samples per GPU" in str(said.contents)
        await editor.stop()

    asyncio.run(ask())
