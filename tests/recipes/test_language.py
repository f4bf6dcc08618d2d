# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Steps that train a language model further: what they hold, and what each setting changes of it."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
import torch

from trainlint.catalogue.base_models import base_model
from trainlint.errors import CannotTraceError
from trainlint.estimate.replay.gpu_ledger import Samples, check_closed, ledger
from trainlint.estimate.tapes.trains import trained
from trainlint.tape.crops.crop_tapes import check, merged
from trainlint.trace.trace import trace
from trainlint_zoo.blocks.byte_optimizers import byte_optimizer
from trainlint_zoo.transformers.recipes.sft import Sft

TINY = {
    "model_type": "llama", "vocab_size": 512, "hidden_size": 64, "intermediate_size": 128,
    "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
    "max_position_embeddings": 256, "tie_word_embeddings": False,
}  # fmt: skip
ADAMW = [{"role": "model", "type": "AdamW"}]
LITGPT = {
    "recipe": "litgpt.finetune", "dialect": "litgpt", "model.config": TINY, "adapter.kind": "lora",
    "adapter.rank": 4, "adapter.dropout": 1, "adapter.targets": ["query", "value"], "weights.dtype": "bf16",
    "sequence.length": 32, "optimizers": ADAMW,
}  # fmt: skip
SFT = {
    "recipe": "transformers.SFT", "model.config": TINY, "adapter.kind": "lora", "adapter.rank": 4,
    "adapter.targets": ["all-linear"], "weights.dtype": "bf16", "precision": "bf16", "sequence.length": 32,
    "sequence.exact": True, "optimizers": ADAMW, "gradient_clip": 1,
}  # fmt: skip
TUNE = {
    "recipe": "torchtune.single_device", "dialect": "torchtune", "model.config": TINY,
    "weights.dtype": "bf16", "sequence.length": 64, "sequence.packing": True, "loss.kernel": "chunked",
    "optimizers": [ADAMW[0] | {"fused": True}],
}  # fmt: skip
FOUR_BITS = {"quant.bits": 4, "quant.kind": "nf4"}
CUBLAS = 8_519_680
"""Bytes of the workspace that cuBLAS takes on a card of compute capability 8.6."""

needs_transformers = pytest.mark.skipif(
    find_spec("transformers") is None or find_spec("peft") is None,
    reason="transformers or peft is not installed",
)


def traced(step, **changes):
    tape = trace(step | changes, batches=(2,), verify=False)
    check_closed(tape)
    return tape


def peak(step, **changes):
    return ledger(traced(step, **changes)).peak(Samples(2, 2)).allocated


def test_the_adapters_of_litgpt_are_counted():
    (network,) = traced(LITGPT).networks
    by_layer = 4 * 64 * 2 + 4 * (64 + 32)  # two thin matrices of queries, and of values in half as many heads
    assert network.trainable == 2 * by_layer


@pytest.mark.parametrize("family", ["gemma", "gemma2", "phi", "gpt_neox", "falcon", "qwen2", "qwen3"])
def test_every_family_of_litgpt_traces(family):
    traced(LITGPT, **{"model.config": TINY | {"model_type": family}})


def test_all_weights_of_litgpt_are_trained_without_adapters():
    full = {name: value for name, value in LITGPT.items() if not name.startswith("adapter.")}
    (network,) = traced(full).networks
    assert network.trainable == network.parameters


def test_an_unknown_family_of_litgpt_is_said():
    with pytest.raises(CannotTraceError, match="mixtral"):
        traced(LITGPT, **{"model.config": TINY | {"model_type": "mixtral"}})


def test_quantised_weights_keep_their_count_and_take_less():
    plain, quantised = traced(LITGPT), traced(LITGPT, **FOUR_BITS)
    assert quantised.networks[0].parameters == plain.networks[0].parameters + 2 * 64  # the embedding's norm
    held = [sum(b.size.const for b in tape.blocks if b.kind == "parameters") for tape in (plain, quantised)]
    assert held[1] < held[0]


def test_old_versions_of_bitsandbytes_keep_what_goes_in():
    assert peak(LITGPT, **FOUR_BITS, **{"quant.keeps_inputs": True}) > peak(LITGPT, **FOUR_BITS)


def test_eight_bits_are_not_traced():
    with pytest.raises(CannotTraceError, match="int8"):
        traced(LITGPT, **{"quant.bits": 8, "quant.kind": "int8"})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "batch", "changes", "measured"),
    [
        ("meta-llama/Llama-3.2-1B", 1, {}, 4.49),
        ("meta-llama/Llama-3.2-1B", 2, {**FOUR_BITS, "quant.keeps_inputs": True}, 5.53),
    ],
)
def test_the_peak_of_litgpt_is_as_its_authors_measured_it(name, batch, changes, measured):
    """config_hub/finetune/README.md: max_memory_allocated of an A10G, in units of 10^9 bytes."""
    shape = {"model.config": base_model(name).model.config, "sequence.length": 512, "adapter.rank": 32}
    tape = trace(LITGPT | shape | changes | {"accumulate": 2}, batches=(batch,), verify=False)
    allocated = ledger(tape).peak(Samples(batch, batch)).allocated + CUBLAS
    assert allocated / 1e9 == pytest.approx(measured, rel=0.0125)


@needs_transformers
def test_a_small_step_of_transformers_traces():
    (network,) = traced(SFT).networks
    assert network.trainable == 2 * 4 * (
        2 * (64 + 64) + 2 * (64 + 32) + 2 * (64 + 128) + (128 + 64)
    )  # query and output, key and value, gate and up, down


@needs_transformers
@pytest.mark.parametrize(
    "family",
    [
        "stablelm", "starcoder2", "apertus", "seed_oss", "olmo3", "smollm3", "granite",
        "hunyuan_v1_dense",
    ],
)  # fmt: skip
def test_families_of_transformers_trace(family):
    named = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
    tape = traced(SFT, **{"model.config": TINY | named | {"model_type": family}})
    assert tape.networks[0].trainable > 0


@needs_transformers
def test_a_kernel_of_an_activation_keeps_its_input_alone():
    """Apertus' activation: written out, autocast computes half of it in fp32 and keeps that."""
    named = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0, "model_type": "apertus"}
    longer = SFT | {"sequence.length": 128, "model.config": TINY | named}
    trained = [traced(longer | kernel).networks for kernel in ({}, {"activation.kernel": "xielu"})]
    assert trained[0] == trained[1]
    inner = 2 * 2 * 128 * TINY["intermediate_size"]  # of two samples, in bfloat16
    assert peak(longer) - peak(longer, **{"activation.kernel": "xielu"}) > 4 * inner


@needs_transformers
def test_what_saves_memory_saves_it():
    longer = SFT | {"sequence.length": 128}
    whole = peak(longer)
    assert peak(longer, checkpointing=True) < whole
    assert peak(longer, **{"loss.kernel": "liger"}) < whole
    assert peak(longer, **{"loss.kernel": "cut"}) < whole
    assert peak(longer, **{"attention.implementation": "eager"}) > whole


@needs_transformers
@pytest.mark.parametrize("reentrant", [True, False])
def test_checkpointing_of_quantised_weights_reaches_the_adapters(reentrant):
    step = FOUR_BITS | {
        "quant.double": True,
        "weights.upcast": True,
        "checkpointing": True,
        "reentrant": reentrant,
    }
    tape = traced(SFT, **step)
    gradients = {block.owner for block in tape.blocks if block.kind == "gradients"}
    assert len(gradients) == 2 * 7 * 2  # blocks, layers, thin matrices


@needs_transformers
@pytest.mark.parametrize(
    "changes",
    [
        {"adapter.kind": "dora"},
        {"adapter.kind": "freeze", "adapter.layers": 1},
        {"adapter.kind": "none"},
        {"adapter.targets": ["q_proj", "v_proj"], "adapter.saved": ["lm_head"]},
        {"sequence.exact": None},
        {"model.config": {**TINY, "model_type": "gemma2"}},
    ],
)
def test_ways_to_train_trace(changes):
    step = {name: value for name, value in (SFT | changes).items() if value is not None}
    assert traced(step).networks[0].trainable > 0


GEMMA2 = {"model.config": TINY | {"model_type": "gemma2"}}
GEMMA3 = {
    "model.config": TINY | {"model_type": "gemma3_text", "sliding_window": 256, "sliding_window_pattern": 2}
}
LONG = SFT | {"sequence.length": 1024}


@needs_transformers
def test_flash_attention_caps_scores_without_writing_them_out() -> None:
    written = peak(LONG, **GEMMA2)
    assert peak(LONG, **GEMMA2, **{"attention.implementation": "flash_attention_2"}) < written / 2


@needs_transformers
@pytest.mark.parametrize("kernel", ["liger", "cut"])
def test_fused_losses_cap_logits_where_they_are(kernel: str) -> None:
    wide = LONG | {"model.config": TINY | {"vocab_size": 16_384, "model_type": "gemma2"}}
    flash = {"attention.implementation": "flash_attention_2"}
    assert peak(wide, **flash, **{"loss.kernel": kernel}) < peak(wide, **flash)


@needs_transformers
@pytest.mark.parametrize(
    ("changes", "masks"),
    [
        (GEMMA2, {"full_attention": True, "sliding_attention": True}),
        (GEMMA3, {"full_attention": False, "sliding_attention": True}),
        (GEMMA3 | {"sequence.length": 128}, {"full_attention": False, "sliding_attention": False}),
        (GEMMA3 | {"sequence.exact": None}, {"full_attention": True, "sliding_attention": True}),
    ],
)
def test_each_kind_of_layers_has_its_mask(changes, masks, monkeypatch) -> None:
    seen = []
    inputs = Sft._inputs

    def watched(self, batch):
        made = inputs(self, batch)
        seen.append({kind: mask is not None for kind, mask in made["attention_mask"].items()})
        return made

    monkeypatch.setattr(Sft, "_inputs", watched)
    step = {name: value for name, value in (LONG | changes).items() if value is not None}
    traced(step)
    assert seen[0] == masks


@needs_transformers
def test_losses_of_trl_without_logits_take_less_than_all_logits() -> None:
    wide = SFT | {
        "recipe": "transformers.TRL", "sequence.length": 1024, "adapter.kind": "none",
        "model.config": TINY | {"vocab_size": 16_384},
    }  # fmt: skip
    peaks = [peak(wide, **{"loss.kernel": kernel}) for kernel in ("nll-entropy", "chunked-nll")]
    assert peaks[1] < peaks[0] / 2
    assert peak(wide | {"recipe": "transformers.SFT"}) < peaks[0]  # entropy is measured on a copy


@needs_transformers
def test_a_chunk_of_trl_since_1_13_does_not_copy_the_head_to_32_bits() -> None:
    step = SFT | {"recipe": "transformers.TRL", "weights.dtype": "bf16"}
    head = TINY["vocab_size"] * TINY["hidden_size"] * 4
    copies = [
        [block.size.const for block in traced(step, **{"loss.kernel": kernel}).blocks].count(head)
        for kernel in ("chunked-nll", "chunked-half")
    ]
    assert copies[0] > copies[1] == 0


@needs_transformers
def test_a_chunk_of_trl_before_1_13_keeps_its_logits_as_autocast_made_them() -> None:
    """In 16 bits, which is more than a narrow head's copy in 32 takes."""
    wide = SFT | {
        "recipe": "transformers.TRL", "precision": "bf16", "sequence.length": 512,
        "model.config": TINY | {"vocab_size": 16_384},
    }  # fmt: skip
    peaks = [peak(wide, **{"loss.kernel": kernel}) for kernel in ("chunked-nll", "chunked-half")]
    assert peaks[0] < peaks[1]


@needs_transformers
def test_tiles_of_trl_take_what_a_whole_tile_does() -> None:
    tape = traced(SFT | {"recipe": "transformers.TRL", "loss.kernel": "fused-head"})
    tiles = [block for block in tape.blocks if block.size.const == 4096 * 32_768 * 2]
    assert len(tiles) == 4  # forward and backward of two updates


@needs_transformers
def test_a_flat_batch_is_one_row_whose_mask_is_all_its_tokens_squared() -> None:
    step = SFT | {"recipe": "transformers.TRL", "sequence.flat": True, "sequence.length": 48}
    sizes = [
        {block.size.const for block in traced(step, **{"attention.implementation": kind}).blocks}
        for kind in ("sdpa", "flash_attention_2")
    ]
    assert (2 * 48) ** 2 in sizes[0] - sizes[1]


@needs_transformers
def test_trl_restores_four_bits_in_the_precision_that_they_had() -> None:
    step = SFT | FOUR_BITS | {"weights.dtype": "fp32", "adapter.dtype": "bf16"}
    sizes = [
        [block.size.const for block in traced(step, recipe=recipe).blocks].count(64 * 128 * 4)
        for recipe in ("transformers.SFT", "transformers.TRL")
    ]
    assert sizes[0] < sizes[1]


@needs_transformers
def test_frozen_layers_leave_nothing_for_the_backward():
    step = SFT | {"adapter.kind": "freeze", "adapter.layers": 1, "checkpointing": True, "reentrant": True}
    tape = traced({name: value for name, value in step.items() if not name.startswith("quant")})
    trained = {block.owner for block in tape.blocks if block.kind == "gradients"}
    assert trained
    assert all("layers.1." in owner for owner in trained)
    last = [block for block in tape.blocks if block.owner == "model:model.layers.1.mlp.down_proj.weight"]
    assert {block.size.const for block in last} == {64 * 128 * 4}  # fp32


def test_words_keep_their_state_in_floats():
    words, other = torch.empty(64, 128), torch.empty(64, 128)
    optimizer = byte_optimizer("AdamW8bit", [words, other], in_floats=[words])
    assert optimizer is not None
    words.grad, other.grad = words.clone(), other.clone()
    optimizer.step()
    assert optimizer.state[words]["state1"].dtype == torch.float32
    assert optimizer.state[other]["state1"].dtype == torch.uint8


@needs_transformers
def test_targets_that_match_nothing_are_refused_at_their_place():
    with pytest.raises(CannotTraceError, match="query_key_value"):
        traced(SFT, **{"adapter.targets": ["query_key_value"]})


@pytest.mark.parametrize("name", ["PagedAdamW8bit", "AdamW8bit", "Lion8bit", "Lion", "PagedAdamW"])
def test_optimizers_of_bytes_keep_their_state(name):
    whole = {name: value for name, value in LITGPT.items() if not name.startswith("adapter.")}
    state = {
        kind: sum(
            block.size.const
            for block in traced(whole, optimizers=[{"role": "model", "type": kind}]).blocks
            if block.kind == "optimizer"
        )
        for kind in (name, "AdamW")
    }
    assert 0 < state[name] < state["AdamW"] or name in {"Lion", "PagedAdamW"}


@needs_transformers
def test_a_step_trains_whose_optimizer_keeps_all_on_the_host():
    """Every matrix is one that bitsandbytes pages, and nothing is accumulated."""
    wide = {**TINY, "hidden_size": 2048, "intermediate_size": 2048, "num_attention_heads": 32}
    step = {"model.config": wide | {"num_key_value_heads": 32, "head_dim": 64}, "adapter.rank": 64}
    tape = traced(SFT, **step, optimizers=[{"role": "model", "type": "PagedAdamW"}])
    assert not any(block.kind == "optimizer" for block in tape.blocks)
    assert trained(tape) is tape


def test_the_default_precision_is_as_it_was():
    assert torch.get_default_dtype() is torch.float32


@needs_transformers
@pytest.mark.parametrize("exact", [True, None])
def test_memory_is_a_polynomial_of_the_length(exact):
    """Of degree 1 without a mask, of degree 2 with one: a fourth length is as three others say, to the byte.

    Fused attention works in blocks of 128 tokens.
    """
    step = {**SFT, "sequence.exact": exact}
    step = {name: value for name, value in step.items() if value is not None}
    tapes = {length: traced(step, **{"sequence.length": length}) for length in (640, 1152, 1664)}
    check(merged(tapes, 128), 896, traced(step, **{"sequence.length": 896}))


@pytest.mark.parametrize("family", ["mistral", "qwen2", "qwen3"])
def test_every_family_of_torchtune_traces(family):
    traced(TUNE, **{"model.config": TINY | {"model_type": family, "tie_word_embeddings": True}})


def test_an_unknown_family_of_torchtune_is_said():
    with pytest.raises(CannotTraceError, match="gemma"):
        traced(TUNE, **{"model.config": TINY | {"model_type": "gemma"}})


def test_torchtune_keeps_no_gradient_where_the_optimizer_steps_in_the_backward():
    deep = TUNE | {"loss.kernel": "linear", "sequence.length": 8}
    deep["model.config"] = TINY | {"num_hidden_layers": 8}
    layer = 2 * (64 * 64 * 2 + 64 * 32 * 2 + 3 * 64 * 128)
    assert peak(deep) - peak(deep, options={"in_backward": True}) > layer


def test_torchtunes_losses_keep_less_from_one_to_the_next():
    wide = {"model.config": TINY | {"vocab_size": 16384}}
    whole, chunked = peak(TUNE, **wide, **{"loss.kernel": "fp32"}), peak(TUNE, **wide)
    compiled = peak(TUNE, **wide, options={"compiled_loss": True})
    logits = 2 * 64 * 16384
    assert whole - chunked > 4 * logits  # one fp32 gradient and one fp32 copy less, pieces of both more
    assert chunked - compiled > 1.9 * logits  # fp32 pieces in place of those in bfloat16


def test_torchtunes_adapters_are_counted_and_its_four_bits_refused():
    adapters = {"adapter.kind": "lora", "adapter.rank": 4, "adapter.targets": ["q_proj", "mlp", "output"]}
    (network,) = traced(TUNE, **adapters).networks
    by_layer = 4 * (64 + 64) + 3 * 4 * (64 + 128)
    assert network.trainable == 2 * by_layer + 4 * (64 + 512)
    assert network.parameters == traced(TUNE).networks[0].parameters
    with pytest.raises(CannotTraceError, match="NF4"):
        traced(TUNE, **adapters, **{"quant.kind": "NF4 of torchao"})
