# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Steps that train a network that denoises: what they hold, and what each setting changes of it."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
import torch
from torch import nn

from trainlint.errors import CannotTraceError
from trainlint.estimate.replay.gpu_ledger import Samples, check_closed, ledger
from trainlint.trace.trace import trace
from trainlint_zoo.blocks.quanto import EightBitLinear, in_eight_bits
from trainlint_zoo.blocks.uintx import GROUP, PackedLinear, in_few_bits
from trainlint_zoo.diffusers.recipes.own_weights import FULL, add_changed_norms, add_whole_weights
from trainlint_zoo.diffusers.recipes.rebuilt_weights import (
    IA3,
    LOCON,
    LOHA,
    LOKR,
    add_rebuilt_weights,
    divided,
)
from trainlint_zoo.diffusers.recipes.script_controlnet import adding
from trainlint_zoo.diffusers.recipes.side_adapters import add_side_adapters

UNET = {
    "sample_size": 32, "block_out_channels": [32, 64],
    "down_block_types": ["DownBlock2D", "CrossAttnDownBlock2D"],
    "up_block_types": ["CrossAttnUpBlock2D", "UpBlock2D"], "cross_attention_dim": 32, "attention_head_dim": 4,
    "norm_num_groups": 8,
}  # fmt: skip
FLUX = {
    "num_layers": 1, "num_single_layers": 1, "attention_head_dim": 16, "num_attention_heads": 2,
    "joint_attention_dim": 32, "pooled_projection_dim": 16, "axes_dims_rope": [4, 6, 6],
}  # fmt: skip
LUMINA = {
    "hidden_size": 32, "num_layers": 2, "num_refiner_layers": 1, "num_attention_heads": 2, "num_kv_heads": 1,
    "multiple_of": 8, "axes_dim_rope": [4, 6, 6], "axes_lens": [300, 64, 64], "cap_feat_dim": 32,
}  # fmt: skip
SANA = {
    "in_channels": 4, "out_channels": 4, "num_attention_heads": 2, "attention_head_dim": 8, "num_layers": 2,
    "num_cross_attention_heads": 2, "cross_attention_head_dim": 8, "cross_attention_dim": 16,
    "caption_channels": 32, "sample_size": 8,
}  # fmt: skip
MMDIT = {
    "sample_size": 32, "num_layers": 2, "attention_head_dim": 16, "num_attention_heads": 2, "in_channels": 4,
    "joint_attention_dim": 32, "caption_projection_dim": 32, "pooled_projection_dim": 16, "out_channels": 4,
    "pos_embed_max_size": 32,
}  # fmt: skip
GEMMA = {
    "vocab_size": 99, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
    "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 16,
}  # fmt: skip
VAE = {"block_out_channels": [8, 8], "norm_num_groups": 4}
CLIP = {
    "vocab_size": 99, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
    "num_attention_heads": 2,
}  # fmt: skip
STEP = {
    "recipe": "diffusers.Denoiser", "adapter.kind": "lora", "adapter.rank": 4, "adapter.dtype": "fp32",
    "weights.dtype": "bf16", "precision": "bf16", "image.side": 256, "latents.cached": True,
    "text.embeddings": "cached", "optimizers": [{"role": "model", "type": "AdamW"}], "gradient_clip": 1,
}  # fmt: skip
KOHYA = {"options": {"adapters": "kohya", "autocast": 1}, "adapter.targets": ["attentions."]}
AI_TOOLKIT = {
    "options": {"adapters": "ai-toolkit", "autocast": 0},
    "adapter.targets": ["transformer_blocks."],
}
PEFT = {
    "options": {"adapters": "peft", "autocast": 1},
    "adapter.targets": ["to_q", "to_k", "to_v", "to_out.0"],
}

needs_diffusers = pytest.mark.skipif(
    any(find_spec(name) is None for name in ("diffusers", "transformers", "peft")),
    reason="diffusers, transformers or peft is not installed",
)


def model(name, given):
    diffusers = pytest.importorskip("diffusers")
    transformers = pytest.importorskip("transformers")
    parts = {
        name: (getattr(diffusers, name).from_config, given),
        "AutoencoderKL": (diffusers.AutoencoderKL.from_config, VAE),
    }
    with torch.device("meta"):
        counts = {
            part: sum(p.numel() for p in make(dict(config)).parameters())
            for part, (make, config) in parts.items()
        }
        clip = sum(
            p.numel() for p in transformers.CLIPTextModel(transformers.CLIPTextConfig(**CLIP)).parameters()
        )
    return {
        "model_type": name,
        "network": {"class": name, "config": given, "parameters": counts[name]},
        "tokens": 77,
        "vae": {"class": "AutoencoderKL", "config": VAE, "parameters": counts["AutoencoderKL"]},
        "text_encoders": [{"class": "CLIPTextModel", "config": CLIP, "parameters": clip}],
    }


def traced(*changes, network=("UNet2DConditionModel", UNET), size=None):
    step = STEP | {"model.config": model(*network)}
    for change in changes:
        step = step | change
    validation = None if size is None else (size, size)
    tape = trace(step, batches=(2,), validation=validation, verify=False)
    check_closed(tape)
    return tape


def peak(*changes, **options):
    return ledger(traced(*changes, **options)).peak(Samples(2, 2)).allocated


def held(tape, kind):
    return sum(block.size.const for block in tape.blocks if block.kind == kind)


@needs_diffusers
@pytest.mark.parametrize("style", [KOHYA, PEFT])
def test_only_the_adapters_are_trained(style):
    networks = traced(style).networks
    assert 0 < sum(network.trainable for network in networks) < networks[0].parameters / 10


@needs_diffusers
def test_convolutions_are_adapted_where_they_have_a_rank():
    targets = ["attentions.", "resnets.", "downsamplers.", "upsamplers."]
    steps = (
        {"options": KOHYA["options"] | rank, "adapter.targets": targets} for rank in ({}, {"conv_rank": 4})
    )
    plain, wide = (sum(network.trainable for network in traced(step).networks) for step in steps)
    assert wide > plain > 0


@needs_diffusers
def test_what_is_not_cached_stays_on_the_card():
    roles = {
        network.role
        for network in traced(KOHYA, {"latents.cached": False, "text.embeddings": "encoded"}).networks
    }
    assert {"VAE", "text encoder 1"} <= roles
    assert {"VAE", "text encoder 1"}.isdisjoint({network.role for network in traced(KOHYA).networks})


@needs_diffusers
def test_a_text_encoder_that_is_trained_has_adapters_too():
    def trained(tape):
        return next(network.trainable for network in tape.networks if network.role == "adapters")

    layers = 2 * (4 * 4 * (32 + 32) + 2 * 4 * (32 + 64))  # of two blocks: four of attention, two of the MLP
    assert trained(traced(KOHYA, {"text.embeddings": "trained"})) - trained(traced(KOHYA)) == layers


@needs_diffusers
def test_what_is_kept_is_held_and_not_run():
    kept = traced(PEFT, {"text.embeddings": "kept", "options": {**PEFT["options"], "vae": "kept"}})
    run = traced(PEFT, {"text.embeddings": "encoded", "latents.cached": False})
    assert held(kept, "losses") == held(run, "losses") > 0
    assert {"images into latents", "prompts into embeddings"}.isdisjoint(kept.marks)
    assert {"images into latents", "prompts into embeddings"} <= set(run.marks)


@needs_diffusers
@pytest.mark.parametrize(
    ("change", "trained"),
    [
        (PEFT, 2 * 4 * 4 * (32 + 32)),  # of two blocks: four layers of attention
        ({"adapter.kind": "none", "weights.dtype": "fp32", "options": {"adapters": "peft"}}, None),
    ],
)
def test_a_text_encoder_is_trained_as_the_network_is(change, trained):
    (encoder,) = (
        network
        for network in traced(change, {"text.embeddings": "trained"}).networks
        if network.role == "text encoder 1"
    )
    assert encoder.trainable == (trained or encoder.parameters)


@needs_diffusers
def test_the_state_of_the_optimizer_is_saved_where_the_script_saves_it():
    names = {file.name for file in traced(PEFT, {"options": {**PEFT["options"], "saves_state": 1}}).files}
    assert names == {"pytorch_lora_weights.safetensors", "optimizer.bin"}


@needs_diffusers
def test_captions_of_lumina_2_lengthen_its_joint_sequence():
    network = ("Lumina2Transformer2DModel", LUMINA)
    padded, tokens = {"text.tokens": 64}, ({"caption": 1}, {"caption": 32}, {}, {"caption": 999})
    peaks = [peak(PEFT, padded, {"options": {**PEFT["options"], **said}}, network=network) for said in tokens]
    assert peaks[0] < peaks[1] < peaks[2] == peaks[3]


def gemma(network):
    transformers = pytest.importorskip("transformers")
    with torch.device("meta"):
        made = transformers.Gemma2Model(transformers.Gemma2Config(**GEMMA))
    count = sum(parameter.numel() for parameter in made.parameters())
    return {
        **model(*network),
        "text_encoders": [{"class": "Gemma2Model", "config": GEMMA, "parameters": count}],
    }


@needs_diffusers
def test_what_is_offloaded_is_there_while_it_is_used():
    parts = {"model.config": gemma(("SanaTransformer2DModel", SANA)), "image.side": 256}
    parts |= {"text.embeddings": "encoded", "latents.cached": False}
    there = traced(PEFT, parts)
    moved = traced(PEFT, parts, {"options": {**PEFT["options"], "offload": 1}})
    assert {"VAE", "text encoder 1"} <= {network.role for network in there.networks}
    assert {network.role for network in moved.networks} == {"model"}
    assert held(moved, "losses") > held(there, "losses")  # anew in each step
    assert any("offload" in note for note in moved.notes)


@needs_diffusers
def test_what_saves_memory_saves_it():
    whole = peak(KOHYA)
    assert peak(KOHYA, {"checkpointing": True}) < whole
    assert peak(KOHYA, {"image.side": 128}) < whole
    assert peak(KOHYA, {"attention.implementation": "eager"}) > whole
    assert peak(KOHYA, {"latents.cached": False}) > whole


@needs_diffusers
@pytest.mark.parametrize(
    ("kind", "style"),
    [("qfloat8", AI_TOOLKIT), ("fp8", KOHYA | {"adapter.targets": ["transformer_blocks."]})],
)
def test_eight_bits_halve_the_frozen_weights(kind, style):
    flux = ("FluxTransformer2DModel", FLUX)
    plain, quantised = traced(style, network=flux), traced(style, {"quant.kind": kind}, network=flux)
    assert held(quantised, "parameters") < 0.75 * held(plain, "parameters")


@needs_diffusers
def test_swapped_blocks_have_no_weights_on_the_card():
    network = ("FluxTransformer2DModel", {**FLUX, "num_layers": 4, "num_single_layers": 8})
    style = KOHYA | {"recipe": "diffusers.SwappedBlocks", "adapter.targets": ["transformer_blocks."]}

    def swapping(count):
        return traced(style, {"options": {**KOHYA["options"], "blocks_to_swap": count}}, network=network)

    none, two, four = (held(swapping(count), "parameters") for count in (0, 2, 4))
    assert none - two == two - four > 0
    with pytest.raises(CannotTraceError, match="refuses to swap 6"):
        swapping(6)


@needs_diffusers
def test_whole_networks_are_trained_without_adapters():
    full = {"adapter.kind": "none", "weights.dtype": "fp32", "checkpointing": True}
    (network,) = traced(full, {"options": {"autocast": 1}}).networks
    assert network.trainable == network.parameters


WHOLE = {"recipe": "diffusers.WholeModel", "adapter.kind": "none", "weights.dtype": "fp32"}


@needs_diffusers
def test_a_whole_model_is_saved_with_what_is_not_trained():
    model_bytes, halved = (
        traced(WHOLE, {"options": {"autocast": 1, **saved}}).files[0].size
        for saved in ({}, {"saved_dtype": "fp16"})
    )
    parts = model("UNet2DConditionModel", UNET)
    counts = [part["parameters"] for part in (parts["network"], parts["vae"], *parts["text_encoders"])]
    assert model_bytes > 4 * sum(counts) > 1.9 * halved > 3.6 * sum(counts)


@needs_diffusers
def test_the_end_of_the_first_of_two_text_encoders_is_not_trained():
    both = model("UNet2DConditionModel", UNET)
    both["text_encoders"] *= 2
    trained = {**WHOLE, "text.embeddings": "trained", "options": {"autocast": 1}}
    one, two = (
        traced(trained, {"model.config": each}) for each in (model("UNet2DConditionModel", UNET), both)
    )
    added = held(two, "gradients") - held(one, "gradients")
    assert 0 < added < held(one, "gradients")


@needs_diffusers
def test_steps_in_the_backward_leave_no_gradients():
    adafactor = {"optimizers": [{"role": "model", "type": "transformers.Adafactor"}], "image.side": 64}
    late, soon = (
        peak(WHOLE, adafactor, {"options": {"autocast": 1, "in_backward": soon}}) for soon in (0, 1)
    )
    assert soon < late - 2**20  # the two largest layers alone have as much


@needs_diffusers
def test_full_fp16_has_gradients_in_16_bits_scaled_back():
    """torch's own scaler refuses such gradients, and so do trainers that leave it so."""
    half = {**WHOLE, "weights.dtype": "fp16", "precision": "fp16", "options": {"autocast": 1}}
    whole = {**half, "weights.dtype": "fp32"}
    assert held(traced(half), "gradients") < 0.6 * held(traced(whole), "gradients")
    with pytest.raises(CannotTraceError, match="unscale FP16 gradients"):
        traced({**half, "recipe": "diffusers.Denoiser"})


@needs_diffusers
def test_adafactor_of_transformers_keeps_its_state_in_32_bits():
    of = {"options": {"autocast": 1}, **WHOLE, "weights.dtype": "bf16"}
    ours, torchs = (
        held(traced(of, {"optimizers": [{"role": "model", "type": kind}]}), "optimizer")
        for kind in ("transformers.Adafactor", "Adafactor")
    )
    assert ours > 1.9 * torchs


@needs_diffusers
@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"quant.kind": "uint3"}, "uint3"),
        ({"adapter.kind": "lokr"}, "lokr"),
        ({"recipe": "diffusers.LycorisAdapters", "adapter.kind": LOKR, "quant.kind": "fp8"}, "lokr"),
        ({"image.side": 0}, "resolution"),
    ],
)
def test_what_is_not_known_is_said(change, says):
    with pytest.raises(CannotTraceError, match=says):
        traced(KOHYA, change)


def test_adapters_lie_beside_the_layers_of_a_part():
    net = nn.ModuleDict(
        {"attentions": nn.Sequential(nn.Linear(8, 16), nn.Conv2d(4, 6, 3)), "other": nn.Linear(8, 8)}
    )
    assert len(add_side_adapters(net, ["attentions."], 2, 0, torch.float32, converts=False)) == 1
    adapters = add_side_adapters(net, ["attentions."], 2, 4, torch.float32, converts=True)
    assert sum(p.numel() for p in adapters.parameters()) == 2 * (8 + 16) + 4 * (4 * 9 + 6)


@pytest.mark.parametrize(
    ("size", "factor", "parts"),
    [(640, 8, (8, 80)), (640, 12, (10, 64)), (250, -1, (10, 25)), (127, 4, (1, 127)), (4, 8, (2, 2))],
)
def test_a_size_is_divided_as_lycoris_does(size, factor, parts):
    assert divided(size, factor) == parts


@pytest.mark.parametrize(
    ("kind", "rank", "full", "counted"),
    [
        (LOKR, 99, False, (4 + 4 * 8) + (4 + 4 * 3 * 9)),  # both factors whole
        (LOKR, 1, False, (4 + 4 + 8) + (4 + 4 * 3 * 9)),  # of the rank where that is smaller
        (LOKR, 1, True, (4 + 4 * 8) + (4 + 4 * 3 * 9)),
        (LOHA, 2, False, 4 * (8 + 16) + 2 * 3 * (8 * 9 + 6)),
        (LOCON, 2, False, 2 * (8 + 16) + 3 * (8 * 9 + 6)),
        (IA3, 2, False, 16 + 6),
    ],
)
def test_a_rebuilt_weight_is_of_the_layers_shape(kind, rank, full, counted):
    net = nn.ModuleDict(
        {"blocks": nn.Sequential(nn.Linear(8, 16), nn.Conv2d(8, 6, 3)), "other": nn.Linear(8, 8)}
    )
    made = add_rebuilt_weights(net, kind, ["blocks."], (rank, 3), torch.float32, factor=2, full_matrix=full)
    changes = [one.difference(one.layers[0].weight) for one in made]
    assert [tuple(change.shape) for change in changes] == [(16, 8), (6, 8, 3, 3)]
    assert sum(p.numel() for p in made.parameters()) == counted


def test_a_rebuilt_weight_changes_what_a_layer_gives():
    net = nn.Sequential(nn.Linear(4, 4, bias=False)).requires_grad_(requires_grad=False)
    (kron,) = add_rebuilt_weights(net, LOKR, ["0."], (9, 9), torch.float32, factor=2, full_matrix=False)
    x, before = torch.ones(1, 4), net[0].weight.clone()
    nn.init.ones_(kron.small), nn.init.ones_(kron.large)
    net(x).sum().backward()
    assert torch.allclose(net(x), x @ (before + 1).T, atol=1e-5)
    assert kron.small.grad is not None
    assert torch.equal(net[0].weight, before)


def test_the_gradients_of_an_elementwise_product_are_those_of_autograd():
    net = nn.Sequential(nn.Linear(5, 3))
    (hada,) = add_rebuilt_weights(net, LOHA, ["0."], (2, 2), torch.float64, factor=-1, full_matrix=False)
    for factor in hada.factors:
        nn.init.normal_(factor)
    assert torch.autograd.gradcheck(lambda *_: hada.change(), tuple(hada.factors))


def test_rows_are_scaled_and_wide_layers_left_alone_where_their_rank_is_none():
    net = nn.Sequential(nn.Linear(4, 3, bias=False), nn.Conv2d(3, 3, 3)).requires_grad_(requires_grad=False)
    (rows,) = add_rebuilt_weights(net, IA3, ["."], (2, 0), torch.float32, factor=-1, full_matrix=False)
    nn.init.ones_(rows.scales)
    x = torch.ones(1, 4)
    assert torch.allclose(net[0](x), 2 * x @ net[0].weight.T, atol=1e-5)


def test_a_whole_weight_is_taken_off_its_layer():
    net = nn.Sequential(nn.Conv2d(2, 3, 3, padding=1), nn.Linear(4, 4))
    (own,) = add_whole_weights(net, ["0."], (4, 4), torch.float32)
    nn.init.ones_(own.weight), nn.init.zeros_(own.bias)
    assert [name for name, _ in net.named_parameters()] == ["1.weight", "1.bias"]
    assert net[0](torch.ones(1, 2, 4, 4))[0, :, 1, 1].tolist() == [18.0] * 3


def test_a_changed_norm_is_added_to_what_the_norm_gives():
    net = nn.Sequential(nn.LayerNorm(4), nn.GroupNorm(2, 4)).requires_grad_(requires_grad=False)
    made = add_changed_norms(net, ["0", "1"], torch.float32)
    for one in made:
        nn.init.ones_(one.weight), nn.init.zeros_(one.bias)
    x = torch.randn(3, 4)
    assert torch.allclose(net[0](x), 2 * nn.functional.layer_norm(x, (4,)), atol=1e-5)
    assert torch.allclose(net[1](x), 2 * nn.functional.group_norm(x, 2), atol=1e-5)


@needs_diffusers
def test_adapters_of_lycoris_are_played():
    kinds = {LOKR: "LoKr", LOHA: "LoHa", LOCON: "LoCon", IA3: "IA3", FULL: "whole weights"}
    for kind, name in kinds.items():
        options = {"options": {"adapters": "kohya", "autocast": 1, "factor": 4}}
        parts = {
            "recipe": "diffusers.LycorisAdapters",
            "adapter.kind": kind,
            "adapter.targets": ["down_blocks.", "mid_block.", "up_blocks."],
        }
        rebuilt = traced(KOHYA, {**options, **parts})
        assert kind == FULL or held(rebuilt, "activations") > held(traced(KOHYA), "activations")
        assert next(one.arch for one in rebuilt.networks if one.role == "adapters") == name


@needs_diffusers
def test_norms_that_are_trained_keep_what_they_norm_once_more():
    parts = {
        "recipe": "diffusers.LycorisAdapters", "adapter.kind": LOCON, "adapter.targets": ["down_blocks."]
    }  # fmt: skip
    alone, both = (
        traced(KOHYA, parts, {"options": {"adapters": "kohya", "autocast": 1, **more}})
        for more in ({}, {"norms": 1})
    )
    assert both.networks[-1].parameters > alone.networks[-1].parameters
    assert held(both, "activations") > held(alone, "activations")


@needs_diffusers
def test_gradients_that_are_zeroed_stay():
    freed = {"adapter.rank": 32}
    zeroed = {**freed, "recipe": "diffusers.ZeroedGradients"}
    assert peak(PEFT, zeroed) > peak(PEFT, freed)


def test_a_layer_in_eight_bits_gives_its_input_a_gradient():
    net = nn.Sequential(nn.Linear(4, 3)).requires_grad_(requires_grad=False)
    in_eight_bits(net, "qint8")
    (layer,) = net
    assert isinstance(layer, EightBitLinear)
    layer.weight.data = torch.arange(12, dtype=torch.int8).reshape(3, 4)
    layer.scales = torch.full((3, 1), 0.5)
    x = torch.ones(2, 4, requires_grad=True)
    net(x).sum().backward()
    assert torch.equal(x.grad[0], 0.5 * torch.arange(12.0).reshape(3, 4).sum(0))


@pytest.mark.parametrize(("bits", "stored"), [(2, 32), (3, 48), (4, 64), (7, 112)])
def test_a_layer_in_few_bits_gives_its_input_a_gradient(bits, stored):
    net = nn.Sequential(nn.Linear(GROUP, 2), nn.Linear(2, 2)).requires_grad_(requires_grad=False)
    in_few_bits(net, f"uint{bits}")
    layer, whole = net
    assert (type(layer), type(whole), layer.weight.numel()) == (PackedLinear, nn.Linear, stored)
    layer.scales, layer.zero_points = torch.full((2, 1), 0.5), torch.full((2, 1), 1, dtype=torch.uint8)
    layer.unpacked = lambda: torch.arange(2 * GROUP, dtype=torch.uint8)
    x = torch.ones(3, GROUP, requires_grad=True)
    layer(x).sum().backward()
    assert torch.equal(x.grad[0], 0.5 * (torch.arange(2.0 * GROUP).reshape(2, GROUP) - 1).sum(0))


@needs_diffusers
def test_a_network_in_few_bits_holds_less():
    packed = {"recipe": "diffusers.PackedWeights", "quant.kind": "uint3"}
    tape = traced(AI_TOOLKIT, packed)
    assert held(tape, "parameters") < held(traced(AI_TOOLKIT, {"quant.kind": "qint8"}), "parameters")
    assert sum(network.trainable for network in tape.networks) > 0
    with pytest.raises(CannotTraceError, match="cache their embeddings"):
        traced(AI_TOOLKIT, packed, {"text.embeddings": "encoded"})


@needs_diffusers
def test_peft_adapts_layers_in_eight_bits():
    tape = traced(PEFT, {"quant.kind": "qint8"})
    assert held(tape, "parameters") < held(traced(PEFT), "parameters")
    assert sum(network.trainable for network in tape.networks) > 0


def sampled(**sampling):
    how = {"guided": True, "precision": "fp16", "text": "own", "vae": "own"} | sampling
    tape = traced(PEFT, {"latents.cached": False, "text.embeddings": "encoded", "sampling": how}, size=512)
    return ledger(tape, validation=True).peak(Samples(2, 2)).allocated


@needs_diffusers
def test_a_sample_image_takes_what_is_loaded_for_it():
    with_own = sampled()
    assert sampled(guided=False) <= with_own
    assert sampled(text="fp32") > with_own
    assert sampled(vae="fp32") > with_own


@needs_diffusers
def test_a_network_that_is_cast_by_itself_leaves_text_and_decoder_as_they_are():
    step = {"latents.cached": False, "text.embeddings": "kept", "adapter.kind": "none"}
    step |= {"weights.dtype": "fp32", "precision": "fp16"}

    def made(precision):
        how = {"guided": True, "precision": precision, "text": "own", "vae": "own"}
        return len(traced(PEFT, step, {"sampling": how}, size=512).blocks)

    assert made("network") < made("fp16")  # no copies of their weights in fp16


@needs_diffusers
def test_a_sample_image_without_a_decoder_is_refused():
    how = {"guided": False, "precision": "fp32", "text": "none", "vae": "own"}
    with pytest.raises(CannotTraceError, match="decodes"):
        traced(PEFT, {"sampling": how}, size=512)


def of_side_network(recipe, **more):
    step = {"recipe": f"diffusers.{recipe}", "adapter.kind": "none", "options": {"text_dtype": "fp32"}}
    return traced(step, {"latents.cached": False, "text.embeddings": "trained"}, more)


@needs_diffusers
def test_a_controlnet_is_trained_next_to_a_network_that_stays():
    tape = of_side_network("ControlNet", **{"text.embeddings": "encoded", "options": {"autocast": 1}})
    trained = {network.role: network.trainable for network in tape.networks}
    assert trained["model"] > 0
    assert trained["UNet"] == trained["text encoder 1"] == trained["VAE"] == 0
    assert {"controlnet forward", "model forward", "model backward"} <= set(tape.marks)
    saving = of_side_network(
        "ControlNet", **{"text.embeddings": "encoded", "options": {}, "checkpointing": True}
    )
    assert ledger(saving).peak(Samples(2, 2)).allocated < ledger(tape).peak(Samples(2, 2)).allocated


@needs_diffusers
@pytest.mark.parametrize(
    ("network", "options"),
    [(("FluxTransformer2DModel", FLUX), {"double_layers": 1, "single_layers": 1}),
     (("SD3Transformer2DModel", MMDIT), {"double_layers": 1})],
)  # fmt: skip
def test_a_controlnet_of_a_transformer_has_its_blocks(network, options):
    of = {"recipe": "diffusers.ControlTransformer", "adapter.kind": "none", "latents.cached": False}
    few, more = (
        traced(of, {"options": {**options, "double_layers": count}}, network=network) for count in (1, 2)
    )
    small, large = (next(net for net in tape.networks if net.role == "model") for tape in (few, more))
    assert small.arch.endswith("ControlNetModel")
    assert 0 < small.trainable < large.trainable
    assert {"controlnet forward", "model forward", "model backward"} <= set(few.marks)


@needs_diffusers
def test_gradients_of_a_controlnet_may_be_zeroed_and_stay():
    of = {"text.embeddings": "encoded", "precision": "fp32", "weights.dtype": "fp32"}
    freed, stay = (
        ledger(of_side_network("ControlNet", **of, options={"autocast": 1, **kept})).peak(Samples(2, 2))
        for kept in ({}, {"zeroed_gradients": 1})
    )
    assert stay.allocated > freed.allocated


@needs_diffusers
def test_a_word_is_trained_through_a_network_that_stays():
    tape = of_side_network("TextualInversion")
    trained = {network.role: network.trainable for network in tape.networks}
    assert trained == {"model": 0, "VAE": 0, "text encoder 1": 99 * 32}  # the table of words alone
    kept = [block.size.const for block in tape.blocks if block.kind == "optimizer"]
    assert kept.count(4 * 99 * 32) >= 2  # its two averages


@needs_diffusers
def test_residuals_are_added_in_place_before_the_middle():
    """So does sd-scripts' UNet: what goes into the middle has the last one in it, and its gradient."""

    class Half(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv_in, self.mid_block = nn.Identity(), nn.Identity()
            self.down_blocks = nn.ModuleList([Down()])

        def forward(self, sample):
            first = self.conv_in(sample)
            sample, results = self.down_blocks[0](first)
            return self.mid_block(sample), (first, *results)

    class Down(nn.Module):
        def forward(self, sample):
            made = sample * 2
            return made, (made,)

    half, residuals = Half(), [torch.full((1,), value, requires_grad=True) for value in (10.0, 100.0, 1000.0)]
    with adding(half, residuals[:2], residuals[2]):
        middle, results = half(torch.ones(1))
    assert (middle.item(), [result.item() for result in results]) == (1102.0, [11.0, 1102.0])
    assert middle.requires_grad
    assert half(torch.ones(1))[0].item() == 2.0


@needs_diffusers
def test_a_frozen_unet_next_to_sd_scripts_controlnet_runs_under_autocast():
    of = {"text.embeddings": "encoded", "weights.dtype": "fp32", "options": {"autocast": 1}}
    ours, theirs = (of_side_network(recipe, **of) for recipe in ("ControlNet", "ScriptControlNet"))
    assert held(theirs, "losses") == held(ours, "losses")
    kept = [sum(block.kind == "activations" for block in tape.blocks) for tape in (ours, theirs)]
    assert kept[0] < kept[1]
    written_out = of_side_network("ScriptControlNet", **of, **{"attention.implementation": "eager"})
    peaks = [ledger(tape).peak(Samples(2, 2)).allocated for tape in (theirs, written_out)]
    assert peaks[0] < peaks[1]


@needs_diffusers
def test_a_word_of_sd_scripts_is_trained_through_a_network_under_autocast():
    tape = of_side_network("ScriptWords")
    trained = {network.role: network.trainable for network in tape.networks}
    assert trained == {"model": 0, "VAE": 0, "text encoder 1": 99 * 32}
    assert [file.name for file in tape.files] == ["word.safetensors"]
    assert tape.files[0].size < 1000
    assert "prompts into embeddings" in tape.marks


@needs_diffusers
def test_images_are_denoised_without_text():
    given = {"block_out_channels": [32, 64], "down_block_types": ["DownBlock2D"] * 2,
             "up_block_types": ["UpBlock2D"] * 2, "norm_num_groups": 8}  # fmt: skip
    full = {"adapter.kind": "none", "weights.dtype": "fp32", "options": {"autocast": 1}, "image.side": 64}
    small, large = (
        ledger(traced(full, {"image.side": side}, network=("UNet2DModel", given))).peak(Samples(2, 2))
        for side in (64, 128)
    )
    assert large.allocated > small.allocated


@needs_diffusers
@pytest.mark.parametrize("norm", [None, "rms_norm"])
@pytest.mark.parametrize("dual", [(), (0,)])
def test_joined_layers_of_stable_diffusion_3_have_one_adapter(norm, dual):
    """sd-scripts' transformer: what its adapters and its attention keep is less than diffusers'."""
    network = ("SD3Transformer2DModel", {**MMDIT, "qk_norm": norm, "dual_attention_layers": dual})
    style = KOHYA | {"adapter.targets": ["transformer_blocks."]}
    tapes = [
        traced(style, {"recipe": f"diffusers.{it}"}, network=network) for it in ("ScriptMMDiT", "Denoiser")
    ]
    joined, apart = (sum(net.trainable for net in tape.networks) for tape in tapes)
    layers, width, rank = 4 + len(dual), 32, 4
    assert apart - joined == layers * 2 * width * rank
    (ours, theirs) = (ledger(tape).peak(Samples(2, 2)).allocated for tape in tapes)
    assert norm or dual or ours < theirs  # the norms are written out, two heads make many
