# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A blueprint gives back, to the byte, what a trace of a model records that it was not drawn from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from trainlint.estimate.tapes.stored_profiles import Store
from trainlint.tape import Event, Op, Tape
from trainlint.tape.blueprints.batch_parts import NotPartedError, affine, parted
from trainlint.tape.blueprints.blueprint import Blueprint
from trainlint.tape.blueprints.blueprint_file import decode_blueprint, encode_blueprint
from trainlint.tape.blueprints.drawing import drawn
from trainlint.tape.blueprints.model_shape import FEWEST_LAYERS, drawn_from, has_kind, kind_of
from trainlint.tape.profile_header import StaleError

torch = pytest.importorskip("torch")
nn = torch.nn

STEP: dict[str, Any] = {
    "recipe": "transformers.SFT",
    "model.config": {
        "model_type": "llama", "hidden_size": 512, "intermediate_size": 1408, "vocab_size": 4096,
        "num_hidden_layers": 8, "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 64,
    },
    "sequence.length": 256,
    "optimizers": [{"role": "model", "type": "AdamW"}],
}  # fmt: skip


ZEROS = (0, 0, 0)


class _Layer(nn.Module):  # type: ignore[misc, name-defined]  # torch is imported late
    def __init__(self, config: Mapping[str, int]) -> None:
        super().__init__()
        wide, inner = config["hidden_size"], config["intermediate_size"]
        self.heads, self.head = config["num_attention_heads"], config["head_dim"]
        self.qkv, self.out = (
            nn.Linear(wide, 3 * self.heads * self.head),
            nn.Linear(self.heads * self.head, wide),
        )
        self.up, self.down, self.norm = nn.Linear(wide, inner), nn.Linear(inner, wide), nn.LayerNorm(wide)

    def forward(self, x: Any) -> Any:
        batch, length, _ = x.shape
        q, k, v = self.qkv(self.norm(x)).view(batch, length, 3, self.heads, self.head).permute(2, 0, 3, 1, 4)
        attended = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(batch, length, -1))
        return x + self.down(nn.functional.gelu(self.up(x)))


class _Decoder(nn.Module):  # type: ignore[misc, name-defined]  # as above
    def __init__(self, config: Mapping[str, int]) -> None:
        super().__init__()
        self.embed = nn.Embedding(config["vocab_size"], config["hidden_size"])
        self.layers = nn.ModuleList(_Layer(config) for _ in range(config["num_hidden_layers"]))
        self.lm_head = nn.Linear(config["hidden_size"], config["vocab_size"], bias=False)

    def forward(self, tokens: Any) -> Any:
        x = self.embed(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.lm_head(x)


class _Recipe:
    def __init__(self, step: Mapping[str, Any], stage: Any) -> None:
        self.stage, self.length = stage, step["sequence.length"]
        self.net = _Decoder(step["model.config"])
        stage.register("model", self.net, arch="llama")
        self.model = stage.replicate("model", self.net)
        self.optimizer = stage.optimizer("model", self.net.parameters(), "AdamW", lr=1e-4)

    def train_step(self, batch: int) -> None:
        tokens = self.stage.input(batch, self.length, dtype=torch.int64)
        logits = self.model(tokens)
        nn.functional.cross_entropy(logits.view(-1, logits.shape[-1]), tokens.view(-1)).backward()
        self.optimizer.step()
        self.optimizer.zero_grad()

    def validate(self, height: int, width: int) -> None:
        """Nothing is validated."""

    def checkpoint(self) -> dict[str, Any]:
        return {"model.safetensors": self.net.state_dict(), "optimizer.pt": self.optimizer.state_dict()}


def _traced(step: Mapping[str, Any], *batches: int) -> Tape:
    from trainlint.trace.trace import trace  # noqa: PLC0415 - imports torch

    return trace(step, recipe=_Recipe, verify=False, batches=batches or (2, 3))


def _work(tape: Tape) -> list[Op]:
    return [tape.ops[number] for kind, number in tape.events if kind == Event.OP]


@cache
def _blueprint() -> Blueprint:
    return drawn([_traced(step) for step in drawn_from(STEP)])


def _changed(step: Mapping[str, Any], **config: int) -> dict[str, Any]:
    return {**step, "model.config": {**step["model.config"], **config}}


@pytest.mark.torch
@pytest.mark.rest
@pytest.mark.parametrize(
    ("config", "tokens"),
    [({}, 256), ({"num_hidden_layers": 5, "intermediate_size": 2048}, 136), ({"vocab_size": 5000}, 1000)],
)
def test_a_model_that_it_was_not_drawn_from(config: dict[str, int], tokens: int) -> None:
    step = {**_changed(STEP, **config), "sequence.length": tokens}
    traced, made = _traced(step), decode_blueprint(encode_blueprint(_blueprint())).at(step)
    assert made.events == traced.events
    assert tuple(made.blocks) == tuple(traced.blocks)
    assert _work(made) == _work(traced)
    assert (made.key, made.networks, made.marks) == (traced.key, traced.networks, traced.marks)
    for mine, theirs in zip(made.files, traced.files, strict=True):
        assert mine.name == theirs.name
        assert mine.size == pytest.approx(theirs.size, rel=0.001)


@pytest.mark.torch
@pytest.mark.rest
def test_tapes_of_one_batch_next_to_one_of_every_batch_draw_the_same() -> None:
    first, *others = drawn_from(STEP)
    two = [_traced(step, 2) for step in others]
    assert encode_blueprint(drawn([_traced(first), *two])) == encode_blueprint(_blueprint())
    both = [affine(tape, _traced(step, 3)) for tape, step in zip(two, others, strict=True)]
    assert encode_blueprint(drawn([_traced(first), *both])) == encode_blueprint(_blueprint())


def test_a_part_that_may_be_either_is_not_guessed() -> None:
    """A size of 12 and 6 a sample; what is known grows as 3, 4 and 5, or is the same."""
    alone = [((6, 8, 10), (0, 0, 0), ZEROS, ZEROS), ((0, 6, 6), (3, 0, 0), ZEROS, ZEROS)]
    parts = parted([*alone, ((12, 28, 32), (6, 0, 0), ZEROS, ZEROS)])
    assert parts[-1] == [(12, 16, 20), (6, 6, 6), ZEROS, ZEROS]
    with pytest.raises(NotPartedError, match="in 0 ways"):
        parted([*alone, ((7, 28, 32), (6, 0, 0), ZEROS, ZEROS)])
    either = [((4, 4, 4), ZEROS, ZEROS, ZEROS), ((0, 8, 10), (3, 0, 0), ZEROS, ZEROS)]
    with pytest.raises(NotPartedError, match="in 2 ways"):
        parted([*alone, *either, ((12, 28, 32), (6, 0, 0), ZEROS, ZEROS)])


@pytest.mark.torch
@pytest.mark.rest
def test_it_is_stored_by_its_kind_and_believed_where_it_is_ours_alone(tmp_path: Path) -> None:
    made = _blueprint()
    cache_store, project = Store(tmp_path, "cache"), Store(tmp_path, "project")
    cache_store.save_blueprint(made)
    found = cache_store.find_blueprint(kind_of(STEP), 2)
    assert found is not None
    assert (found.kind, found.formulas, found.loops) == (made.kind, made.formulas, list(made.loops))
    assert cache_store.find_blueprint(kind_of(STEP), 1) is None  # one sample has a step of its own
    assert project.find_blueprint(kind_of(STEP), 2) is None
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:-40])
    assert cache_store.find_blueprint(kind_of(STEP), 2) is None
    assert "damaged" in cache_store.refused[path]


@pytest.mark.torch
@pytest.mark.rest
def test_a_file_whose_loops_are_none_is_refused() -> None:
    made = _blueprint()
    ahead = made.loops[0]._replace(period=made.loops[0].end + 1)
    with pytest.raises(StaleError, match="loops"):
        decode_blueprint(encode_blueprint(replace(made, loops=(ahead, *made.loops[1:]))))


@pytest.mark.parametrize(
    "other",
    [
        _changed(STEP, num_key_value_heads=8),
        _changed(STEP, sliding_window=128),
        {**STEP, "sequence.length": 252},
        {**STEP, "checkpointing": True},
        _changed(STEP, head_dim=72),
    ],
    ids=["no groups", "window", "no multiple of eight", "checkpointing", "wide heads"],
)
def test_what_is_built_in_another_way_is_another_kind(other: dict[str, Any]) -> None:
    assert has_kind(other)
    assert kind_of(other) != kind_of(STEP)


def test_a_window_makes_no_other_kind_where_the_kernel_takes_lengths_for_a_mask() -> None:
    flash = {**STEP, "attention.implementation": "flash_attention_2"}
    assert kind_of(_changed(flash, sliding_window=128)) == kind_of(flash)


def test_few_heads_are_looked_for_further_off_where_states_are_whole_blocks() -> None:
    """Of TinyLlama, no five models whose widths are multiples of 256 lie near."""
    tiny = _changed(
        STEP, hidden_size=2048, intermediate_size=5632, vocab_size=32000, num_attention_heads=32,
        num_key_value_heads=4, head_dim=64,
    )  # fmt: skip
    step = {**tiny, "optimizers": [{"role": "model", "type": "AdamW8bit"}]}
    assert {kind_of(drawn_step) for drawn_step in drawn_from(step)} == {kind_of(step)}


def test_numbers_alone_make_no_other_kind() -> None:
    larger = _changed(STEP, hidden_size=1024, num_attention_heads=16, num_hidden_layers=40, vocab_size=9)
    assert kind_of({**larger, "sequence.length": 8192}) == kind_of(STEP)


def test_it_is_drawn_from_models_of_its_own_kind() -> None:
    steps = drawn_from(STEP)
    assert {kind_of(step) for step in steps} == {kind_of(STEP)}
    assert [step["model.config"]["num_hidden_layers"] for step in steps[:3]] == [
        FEWEST_LAYERS,
        FEWEST_LAYERS + 1,
        FEWEST_LAYERS + 2,
    ]
    quantised = {**STEP, "quant.bits": 4}
    for step in drawn_from(quantised):
        config = step["model.config"]
        assert config["hidden_size"] * config["intermediate_size"] % (64 * 256) == 0


def test_states_in_bytes_are_of_whole_blocks() -> None:
    """A block of 256 has one scale: the size of the scales is a formula where all blocks are whole."""
    large = _changed(
        STEP, hidden_size=4096, intermediate_size=14336, vocab_size=128256, num_attention_heads=32,
        num_key_value_heads=8, head_dim=128,
    )  # fmt: skip
    states = [{"role": "model", "type": "AdamW8bit"}]
    step = {**large, "adapter.kind": "lora", "adapter.rank": 32, "optimizers": states}
    for drawn_step in drawn_from(step):
        assert kind_of(drawn_step) == kind_of(step)
        shape = drawn_step["model.config"]
        for width in (shape["hidden_size"], shape["num_key_value_heads"] * shape["head_dim"]):
            assert drawn_step["adapter.rank"] * width % 256 == 0
    assert kind_of({**step, "adapter.rank": 64}) == kind_of(step)
    broken = _changed(step, num_key_value_heads=7, num_attention_heads=28)
    assert kind_of({**broken, "adapter.rank": 33}) != kind_of({**broken, "adapter.rank": 32})
    assert len({step["adapter.rank"] for step in drawn_from(step)}) > 1


@pytest.mark.parametrize("groups", [8, 32])
def test_paged_states_are_drawn_from_heads_of_several_widths(groups: int) -> None:
    """Fewer values than 100,000 are not paged: only large models with narrower heads are of the kind."""
    large = _changed(
        STEP, hidden_size=4096, intermediate_size=11008, vocab_size=32000, num_attention_heads=32,
        num_key_value_heads=groups, head_dim=128,
    )  # fmt: skip
    step = {
        **large,
        "adapter.kind": "lora",
        "adapter.rank": 32,
        "quant.bits": 4,
        "optimizers": [{"role": "model", "type": "PagedAdamW"}],
    }
    steps = drawn_from(step)
    assert {kind_of(drawn_step) for drawn_step in steps} == {kind_of(step)}
    assert len({drawn_step["model.config"]["head_dim"] for drawn_step in steps}) > 1
