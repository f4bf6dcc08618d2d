# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The language server over stdio, asked by pygls' client. Needs the extra `lsp`; .ci/full installs it."""

from __future__ import annotations

import asyncio
import os
from functools import wraps
from importlib.util import find_spec
from pathlib import Path

import pytest

if find_spec("pygls") is None and "TRAINLINT_LSP" not in os.environ:
    pytest.skip("pygls is not installed", allow_module_level=True)

from lsprotocol import types

from tests.editor.client import editing
from tests.warm_cache import warm
from trainlint.editor.protocol_positions import EditorPlaces

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PLAIN = (EXAMPLES / "msrresnet_x4.yml").read_text("utf-8")
MARK = "print('this ran'); open({!r}, 'w').close()\n"


@pytest.fixture(autouse=True)
def _own_folders(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(warm(tmp_path / "cache")))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def run(test):
    @wraps(test)
    def wrapped(*args, **names):
        asyncio.run(test(*args, **names))

    return wrapped


def at(text: str, word: str, more: int = 0) -> tuple[int, int]:
    return EditorPlaces(text).position(text.index(word) + more)


@run
async def test_diagnostics_follow_the_text(folder) -> None:
    async with editing(folder, target="kaggle-t4x2") as editor:
        uri = editor.open(folder / "a.yml", PLAIN)
        found = {one.code: one for one in await editor.diagnostics(uri)}
        workers = found["workers-over-cores"]
        assert (workers.range.start.line, workers.range.start.character) == at(PLAIN, "5\n")
        assert workers.severity is types.DiagnosticSeverity.Warning
        editor.type(uri, PLAIN.replace("num_worker_per_gpu: 5", "num_worker_per_gpu: 2"))
        assert "workers-over-cores" not in {one.code for one in await editor.diagnostics(uri)}


@pytest.mark.rest
@run
async def test_typing_is_judged_when_it_pauses(folder) -> None:
    async with editing(folder, target="rtx-4090") as editor:
        uri = editor.open(folder / "a.yml", PLAIN)
        await editor.diagnostics(uri)
        for end in range(1, 30):
            editor.type(uri, PLAIN + "#" * end)
        await editor.diagnostics(uri)
        assert len(editor.said[uri]) == 2


@pytest.mark.rest
@run
async def test_a_fix_is_an_edit_of_this_version(folder) -> None:
    wrong = PLAIN.replace("lr: !!float 2e-4", "lr: 2e-4")
    async with editing(folder, target="rtx-4090") as editor:
        uri = editor.open(folder / "a.yml", wrong)
        (bad,) = [one for one in await editor.diagnostics(uri) if one.code == "number-as-string"]
        (action,) = await editor.actions(uri, bad)
        assert list(action.diagnostics) == [bad]
        assert (action.kind, action.is_preferred) == (types.CodeActionKind.QuickFix, True)
        (change,) = action.edit.document_changes
        assert (change.text_document.uri, change.text_document.version) == (uri, 1)
        (edit,) = change.edits
        assert (edit.range.start.line, edit.range.start.character) == at(wrong, "2e-4")
        assert edit.new_text == "2.0e-4"


@pytest.mark.rest
@run
async def test_hover_and_completion(folder) -> None:
    async with editing(folder, target=["kaggle-t4x2"]) as editor:
        uri = editor.open(folder / "a.yml", PLAIN)
        said = await editor.hover(uri, *at(PLAIN, "batch_size_per_gpu", 3))
        assert "0.58 to 0.82 of 14.56 GiB" in said.contents.value
        assert said.range.start.character == 4
        assert await editor.hover(uri, 9999, 9999) is None
        begun = PLAIN.replace("  upscale: 4\n", "  ups\n")
        editor.type(uri, begun)
        found = await editor.complete(uri, *at(begun, "  ups\n", 5))
        assert found["upscale"].text_edit.new_text == "upscale: "
        assert found["upscale"].text_edit.range.start.character == 2


@pytest.mark.rest
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_places_are_in_the_editors_units(folder, encoding) -> None:
    block = PLAIN[PLAIN.index("    type: Adam") : PLAIN.index("  scheduler:")]
    text = PLAIN.replace(block, "").replace(
        "optim_g:", 'optim_g: {"\N{GRINNING FACE}": 1, type: Adam, lr: 2e-4}'
    )

    async def ask() -> None:
        async with editing(folder, encoding=encoding, target="kaggle-t4x2") as editor:
            uri = editor.open(folder / "a.yml", text)
            (bad,) = [one for one in await editor.diagnostics(uri) if one.code == "number-as-string"]
            start = bad.range.start
            assert EditorPlaces(text, encoding).position(text.index("2e-4")) == (start.line, start.character)
            said = await editor.hover(uri, *EditorPlaces(text, encoding).position(text.index("gt_size") + 3))
            assert "crop.hr" in said.contents.value

    asyncio.run(ask())


@pytest.mark.rest
@run
async def test_what_cannot_be_read_says_so_and_what_is_no_config_nothing(folder) -> None:
    async with editing(folder, target="rtx-4090") as editor:
        uri = editor.open(folder / "a.yml", PLAIN)
        await editor.diagnostics(uri)
        editor.type(uri, PLAIN.replace("name: DIV2K", "name: [DIV2K"))
        (bad,) = await editor.diagnostics(uri)
        assert "not valid YAML" in bad.message
        other = editor.open(folder / "compose.yml", "services: [\n")
        assert await editor.diagnostics(other) == []


@pytest.mark.rest
@run
async def test_nothing_kills_the_server(folder) -> None:
    async with editing(folder, target="rtx-4090") as editor:
        missing = types.TextDocumentIdentifier((folder / "never-opened.yml").as_uri())
        here = types.Position(0, 0)
        assert await editor.client.text_document_hover_async(types.HoverParams(missing, here)) is None
        deep = editor.open(folder / "deep.yml", "x: " + "[" * 200_000)
        await editor.diagnostics(deep)
        editor.open(folder / "odd.yml", "\x00\x1b]0;x\x07: \u202e\n")
        endless = types.TextDocumentItem(f"file:///{'a/' * 100_000}a.yml", "yaml", 1, PLAIN)
        editor.client.text_document_did_open(types.DidOpenTextDocumentParams(endless))
        weird = types.TextDocumentItem("weird://h\N{SNOWMAN}st/%ff?x#y", "yaml", 1, PLAIN)
        editor.client.text_document_did_open(types.DidOpenTextDocumentParams(weird))
        editor.client.text_document_did_close(types.DidCloseTextDocumentParams(missing))
        editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams([1, None]))
        with pytest.raises(Exception, match=r"(?i)not found"):
            await editor.client.protocol.send_request_async("trainlint/nonsense", {})
        uri = editor.open(folder / "a.yml", PLAIN)
        assert await editor.diagnostics(uri) is not None
        assert await editor.hover(uri, *at(PLAIN, "gt_size", 2)) is not None


@pytest.mark.rest
@run
async def test_a_wrong_target_says_so_until_the_settings_change(folder) -> None:
    async with editing(folder, target="no-such-machine") as editor:
        uri = editor.open(folder / "a.yml", PLAIN)
        (wrong,) = await editor.diagnostics(uri)
        assert "no-such-machine" in wrong.message
        editor.client.workspace_did_change_configuration(
            types.DidChangeConfigurationParams({"trainlint": {"target": ["rtx-4090"]}})
        )
        await editor.until(uri, lambda messages: not any("no-such-machine" in one for one in messages))


@pytest.mark.rest
@run
async def test_an_internal_error_is_logged_and_ends_one_answer_alone(folder) -> None:
    """A rule of the project's that the engine cannot judge: it is loud, and the server goes on."""
    (folder / "rules").mkdir()
    (folder / "trainlint.toml").write_text('rules = ["rules"]\n')
    (folder / "rules" / "own.yaml").write_text("name: [\n")
    async with editing(folder, target="rtx-4090") as editor:
        uri = editor.open(folder / "a.yml", PLAIN)
        assert len(await editor.diagnostics(uri)) == 1
        (folder / "trainlint.toml").unlink()
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([]))
        await editor.until(uri, lambda messages: not any("own.yaml" in one for one in messages))


SCRIPT = """\
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--data_path", type=str, required=True)
parser.add_argument("--image_size", type=int, default=256)
parser.add_argument("--batch_size", type=int, default=4)
"""
COMMAND = "python train_vae.py --data_path x --image_size 256 --batch_size 4 --new_flag 3\n"


@pytest.mark.rest
@run
async def test_the_server_asks_to_hear_of_changed_sources_and_reads_them_again(folder) -> None:
    (folder / ".git").mkdir()
    (folder / ".git/HEAD").write_text("x")
    (folder / "train_vae.py").write_text(SCRIPT)
    async with editing(folder, target="rtx-4090") as editor:
        uri = editor.open(folder / "run.sh", COMMAND, "shellscript")
        assert any("new_flag" in one.message for one in await editor.diagnostics(uri))
        assert {"**/*.py", "**/*.yaml", "**/*.toml", "**/*.tape", "**/Makefile"} < set(editor.watched)
        (folder / "train_vae.py").write_text(f'{SCRIPT}parser.add_argument("--new_flag", type=int)\n')
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([]))
        await editor.until(uri, lambda messages: not any("new_flag" in one for one in messages))


@pytest.mark.rest
@run
async def test_code_of_the_workspace_never_runs(folder) -> None:
    """Modules that would be imported by name, and a network file that the workspace's own settings name."""
    ran = folder / "ran"
    for name in ("yaml", "trainlint", "pygls", "torch", "sitecustomize", "asyncio", "basicsr"):
        (folder / f"{name}.py").write_text(MARK.format(str(ran)))
    (folder / "trainlint.toml").write_text('target = ["rtx-4090"]\nnetworks = ["net.py"]\n')
    (folder / "net.py").write_text(MARK.format(str(ran)))
    async with editing(folder, "--trace") as editor:
        (folder / "a.yml").write_text(PLAIN.replace("num_feat: 64", "num_feat: 24"))
        uri = editor.open(folder / "a.yml", (folder / "a.yml").read_text())
        (wrong,) = await editor.diagnostics(uri)
        assert "would run code" in wrong.message
        (folder / "trainlint.toml").write_text('target = ["rtx-4090"]\n')
        editor.client.text_document_did_save(
            types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri))
        )
        await editor.until(uri, lambda messages: not any("run code" in one for one in messages))
        await asyncio.sleep(1)
    assert not ran.exists()


@pytest.mark.slow
@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
def test_a_step_that_no_profile_knows_is_traced_elsewhere(folder) -> None:
    text = PLAIN.replace("num_feat: 64", "num_feat: 24")

    async def ask() -> None:
        async with editing(folder, trace=True, target="rtx-4090") as editor:
            (folder / "a.yml").write_text(text)
            uri = editor.open(folder / "a.yml", text)
            first = await editor.diagnostics(uri)
            assert any("no stored profile" in one.message for one in first)
            await editor.until(uri, lambda messages: not any("no stored profile" in one for one in messages))
            said = await editor.hover(uri, *at(text, "gt_size", 2))
            assert " of 23.52 GiB, fits" in said.contents.value

    asyncio.run(ask())
