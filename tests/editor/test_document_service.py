# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What an editor is to show, without one: test_lsp.py asks the same through the protocol."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trainlint.cli.commands.lsp_command import CachedPipelines, trace_saved
from trainlint.config.edit import apply_edits
from trainlint.editor.document_service import DocumentService, text_of
from trainlint.editor.protocol_positions import EditorPlaces
from trainlint.editor.remarks import Severity
from trainlint.editor.schema_markdown import markdown
from trainlint.model.document import Source, Span

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PLAIN = (EXAMPLES / "msrresnet_x4.yml").read_text("utf-8")


@pytest.fixture
def desk() -> DocumentService:
    return DocumentService(CachedPipelines(), targets=("kaggle-t4x2",))


@pytest.fixture
def text(tmp_path):
    """Make a source in a folder of its own."""
    return lambda content, name="c.yml": Source(str(tmp_path / name), content)


def test_what_check_finds_is_underlined(desk, text) -> None:
    source = text(PLAIN)
    found = {one.rule: one for one in desk.remarks(source)}
    workers = found["workers-over-cores"]
    assert source.text[workers.span.start : workers.span.end] == "5"
    assert workers.severity is Severity.WARNING
    assert workers.page.endswith("/rules/workers-over-cores/")
    assert (
        workers.message
        == "5 DataLoader workers share 4 cores: more than one per core is rarely faster (kaggle-t4x2)"
    )


WRONG = PLAIN.replace("lr: !!float 2e-4", "lr: 2e-4")
"""A number that PyYAML reads as text."""


def test_a_fix_is_offered_where_its_finding_is_and_its_edit_passes(desk, text) -> None:
    source = text(WRONG)
    (wrong,) = [one for one in desk.remarks(source) if one.rule == "number-as-string"]
    (repair,) = desk.repairs(source, wrong.span)
    key = source.text.rfind("\n", 0, wrong.span.start) + 1
    assert desk.repairs(source, Span(key, key)) == (repair,)
    assert repair.title == "train.optim_g.lr: 2e-4 -> 2.0e-4"
    assert repair.safe
    fixed = text(apply_edits(source.text, repair.edits))
    assert "number-as-string" not in {one.rule for one in desk.remarks(fixed)}
    assert desk.repairs(source, Span(0, 0)) == ()


def test_what_is_recommended_comes_first_and_what_changes_what_is_learned_last(desk, text) -> None:
    source = text((EXAMPLES / "typos.yml").read_text("utf-8"))
    found = desk.repairs(source, Span(0, len(source.text)))
    assert [(one.recommended, one.safe) for one in found] == [(True, False), (False, True), (False, False)]
    assert found[-1].title == "network_g.upscale: 2 -> 4 (changes what is learned) (not checked)"


@pytest.mark.rest
def test_a_fix_for_one_machine_of_two_names_it(text) -> None:
    source = text((EXAMPLES / "realesrgan_x4.yml").read_text("utf-8"))
    desk = DocumentService(CachedPipelines(), targets=("kaggle-t4x2", "rtx-4090"))
    (short,) = [one for one in desk.remarks(source) if one.rule == "vram-budget"]
    titles = [one.title for one in desk.repairs(source, short.span)]
    assert any("on kaggle-t4x2" in title for title in titles)


@pytest.mark.parametrize("content", ["services:\n  web: [1", "- just\n- a list\n", "", "\N{BOM}x: 1\n"])
def test_nothing_is_said_of_what_is_no_training_config(desk, text, content) -> None:
    assert desk.remarks(text(content)) == ()


def test_a_config_that_breaks_while_it_is_written_says_why(desk, text) -> None:
    assert desk.remarks(text("x: [\n")) == ()
    desk.remarks(text(PLAIN))
    (wrong,) = desk.remarks(text("x: [\n"))
    assert "not valid YAML" in wrong.message
    assert wrong.severity is Severity.ERROR


def test_wrong_settings_are_said_on_the_first_line(desk, text, tmp_path) -> None:
    (tmp_path / "trainlint.toml").write_text("tagret = ['x']\n")
    (wrong,) = desk.remarks(text(PLAIN))
    assert 'unknown setting "tagret"' in wrong.message
    assert desk.hover(text(PLAIN), 5) is None


def test_settings_of_a_project_hold(text, tmp_path) -> None:
    (tmp_path / "trainlint.toml").write_text('target = ["kaggle-t4x2"]\nignore = ["workers-over-cores"]\n')
    rules = {one.rule for one in DocumentService(CachedPipelines()).remarks(text(PLAIN))}
    assert "workers-over-cores" not in rules
    assert "session-straddles" in rules


HOVERS = {
    "batch_size_per_gpu": (
        "`batch.per_gpu` = 16",
        "0.58 to 0.82 of 14.56 GiB",
        "a sample keeps",
        " is safe, ",
    ),
    "gt_size": ("`crop.hr` = 128", "0.58 to 0.82 of 14.56 GiB, fits"),
    "num_feat": ("argument of MSRResNet: a positive integer, default 64",),
    "total_iter": ("`duration.iterations` = 400,000",),
}


@pytest.mark.parametrize("key", HOVERS)
def test_a_hover_says_what_a_key_is_and_needs(desk, text, key) -> None:
    words, span = desk.hover(text(PLAIN), PLAIN.index(f"{key}:") + 1)
    assert PLAIN[span.start : span.end] == key
    plain = words.replace("\\", "")
    assert all(part in plain for part in HOVERS[key])
    assert ("kaggle-t4x2" in words) == (key in ("batch_size_per_gpu", "gt_size"))


def test_a_hover_without_a_target_takes_the_stand_in(text) -> None:
    words, _ = DocumentService(CachedPipelines()).hover(text(PLAIN), PLAIN.index("gt_size"))
    assert "rtx-4090" in words


def test_a_hover_says_why_memory_is_not_judged(desk, text) -> None:
    source = text(PLAIN.replace("type: MSRResNet", "type: OwnNet"))
    words, _ = desk.hover(source, source.text.index("gt_size"))
    assert "memory is not judged" in words
    assert "OwnNet" in words


def complete(desk: DocumentService, source: Source) -> dict[str, str]:
    """Complete at the mark `|` of a text."""
    at = source.text.index("|")
    found, span, _ = desk.offers(Source(source.path, source.text.replace("|", "", 1)), at)
    assert span.start <= at <= span.end
    return {offer.text: offer.detail for offer in found}


KEYS = {
    "a new line": (PLAIN.replace("  upscale: 4\n", "  |\n"), "upscale"),
    "a word begun": (PLAIN.replace("  upscale: 4\n", "  up|\n"), "upscale"),
    "a key with its value": (PLAIN.replace("upscale: 4", "ups|: 4"), "upscale"),
    "at the root": (PLAIN.replace("scale: 4\n", "|\n", 1), "scale"),
    "an empty mapping": (PLAIN.replace("    reduction: mean", "    redu|"), "reduction"),
}


@pytest.mark.parametrize("case", KEYS)
def test_keys_are_completed(desk, text, case) -> None:
    content, wanted = KEYS[case]
    found = complete(desk, text(content))
    assert wanted in found
    assert "num_feat" not in found


VALUES = {
    "a network": (PLAIN.replace("type: MSRResNet", "type: |"), {"MSRResNet", "RRDBNet", "EDSR"}),
    "a word begun": (PLAIN.replace("type: MSRResNet", "type: MSR|"), {"MSRResNet"}),
    "a switch": (PLAIN.replace("use_rot: true", "use_rot: |"), {"true", "false"}),
    "a switch that is set": (PLAIN.replace("use_rot: true", "use_rot: t|rue"), {"true", "false"}),
}


@pytest.mark.parametrize("case", VALUES)
def test_values_are_completed(desk, text, case) -> None:
    content, wanted = VALUES[case]
    assert wanted <= set(complete(desk, text(content)))


def test_json_is_completed(desk, text) -> None:
    job = {"trainlint": 1, "model": "RRDBNet", "batch": 4}
    written = json.dumps(job, indent=2)
    assert "precision" in complete(
        desk, text(written.replace('"batch": 4', '"batch": 4,\n  "prec|"'), "a.json")
    )
    assert "precision" in complete(desk, text(written.replace('  "batch"', '  "|",\n  "batch"'), "a.json"))


@pytest.mark.parametrize("content", ["a: b|", "# c|", "[1, |]", "x: {a: |", "a|\nb: ]", "|"])
def test_nothing_is_offered_where_nothing_is_known(desk, text, content) -> None:
    assert complete(desk, text(content)) == {}


def test_what_no_file_holds_is_no_obstacle(desk) -> None:
    source = text_of("c.yml", PLAIN.replace("DIV2K", "\ud800\udfff"))
    assert source is not None
    assert source.text.count("\N{REPLACEMENT CHARACTER}") == 2 * PLAIN.count("DIV2K")
    assert desk.hover(source, source.text.index("gt_size")) is not None
    assert text_of("c.yml", "x" * 10_000_001) is None


PIECES = st.sampled_from(
    [
        "\x00",
        "\N{GRINNING FACE}",
        "\r",
        "\u2028",
        "\t",
        ":",
        "- ",
        "[",
        "{",
        "}",
        "&a ",
        "*a ",
        "<<: ",
        "'",
        '"',
        "#",
        "|\n",
        "? ",
        "%",
    ]
)


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, len(PLAIN)), PIECES, st.integers(0, 30))
def test_a_text_that_is_half_written_is_no_obstacle(desk, offset, piece, gone) -> None:
    source = Source("c.yml", PLAIN[:offset] + piece + PLAIN[offset + gone :])
    for one in desk.remarks(source):
        assert 0 <= one.span.start <= one.span.end <= len(source.text) + 1
    desk.hover(source, offset)
    desk.repairs(source, Span(0, len(source.text)))
    found, span, _ = desk.offers(source, offset)
    assert span.start <= offset <= span.end
    assert all(offer.text for offer in found)


TEXTS = st.text(st.sampled_from("a\N{GRINNING FACE}é\r\n\u2028\t"), max_size=30)


@given(TEXTS, st.sampled_from(["utf-8", "utf-16", "utf-32"]))
def test_places_lead_back_to_their_offset(content, encoding) -> None:
    places = EditorPlaces(content, encoding)
    for offset in range(len(content) + 1):
        inside_an_end = content[offset - 1 : offset + 1] == "\r\n" and offset
        assert inside_an_end or places.offset(*places.position(offset)) == offset


def test_places_count_the_units_of_the_editor() -> None:
    content = "a\r\n\N{GRINNING FACE}x\ry"
    assert EditorPlaces(content).position(4) == (1, 2)
    assert EditorPlaces(content, "utf-8").position(4) == (1, 4)
    assert EditorPlaces(content, "utf-32").position(4) == (1, 1)
    assert EditorPlaces(content).position(6) == (2, 0)
    assert EditorPlaces(content).offset(1, 99) == 5
    assert EditorPlaces(content).offset(99, 0) == len(content)


def test_a_config_can_write_no_markdown() -> None:
    assert markdown("[x](command:y) <b> `z`\n") == "\\[x\\]\\(command:y\\) \\<b\\> \\`z\\`\\\\n"


def test_what_runs_code_by_the_users_leave_does_not_here(tmp_path, monkeypatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "net.py").write_text('open("ran", "w").close()\nBUILDERS = {"OwnNet": "OwnNet"}\n')
    (home / "settings.toml").write_text(f'networks = ["{(tmp_path / "net.py").as_posix()}"]\n')
    monkeypatch.setattr("trainlint.settings.settings_file.user_settings_file", lambda: home / "settings.toml")
    monkeypatch.chdir(tmp_path)
    source = Source(str(tmp_path / "c.yml"), PLAIN.replace("type: MSRResNet", "type: OwnNet"))
    said = [one.message for one in DocumentService(CachedPipelines(), targets=("rtx-4090",)).remarks(source)]
    assert any("OwnNet" in message for message in said)
    assert not (tmp_path / "ran").exists()


OWN_NETWORK = """\
import pathlib
from torch import nn
pathlib.Path(__file__).with_name("ran").touch()
BUILDERS = {"OwnNet": "OwnNet"}
class OwnNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Conv2d(3, 3, 3)
    def forward(self, x):
        return self.body(x)
"""


def test_nor_does_it_where_a_saved_file_is_traced(tmp_path, monkeypatch) -> None:
    (tmp_path / "net.py").write_text(OWN_NETWORK)
    user = tmp_path / "home" / "settings.toml"
    user.parent.mkdir()
    user.write_text(f'networks = ["{(tmp_path / "net.py").as_posix()}"]\n')
    monkeypatch.setattr("trainlint.settings.settings_file.user_settings_file", lambda: user)
    monkeypatch.chdir(tmp_path)
    config = tmp_path / "tree" / "c.yml"  # the settings lie outside of it, and are the user's
    config.parent.mkdir()
    config.write_text("trainlint: 1\nmodel: OwnNet\ninput: [3, 8, 8]\nbatch: 2\n")
    trace_saved(str(config), ("rtx-4090",))
    assert not (tmp_path / "ran").exists()
