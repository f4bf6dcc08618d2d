# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""timm's steps, where timm is installed: what the loader, EMA, accumulation and old attention keep."""

from __future__ import annotations

import sys

import pytest

pytest.importorskip("timm")

from trainlint.errors import BadArgumentsError, CannotTraceError
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.tape import IN_ONE_PIECE
from trainlint.trace.trace import trace

STEP = {
    "recipe": "timm.train",
    "dialect": "timm",
    "networks.generator.arch": "resnet18",
    "optimizers": [{"role": "generator", "type": "SGD", "momentum": 1, "nesterov": True}],
}
PARAMETERS = 11_689_512
IMAGE = 3 * 224 * 224 * 4


def parts(batch=4, **changes):
    tape = trace(
        {**STEP, **{name.replace("__", "."): value for name, value in changes.items()}}, verify=False
    )
    samples = Samples(batch, batch)
    book = ledger(tape)
    moment = book.peak(samples)
    return tape, book.parts(samples, moment, lambda block: block.kind), moment.allocated


def test_the_network_is_as_published_and_the_input_has_its_own_size():
    tape, sizes, _ = parts()
    assert tape.networks[0].parameters == PARAMETERS
    assert sizes["parameters"] == pytest.approx(4 * PARAMETERS, rel=0.001)
    assert sizes["inputs"] == 4 * IMAGE + 512
    assert tape.affine == "exact"


def test_images_need_not_be_squares():
    _, square, _ = parts(crop__lq=224)
    for height, width in ((224, 448), (448, 224)):
        _, sizes, _ = parts(crop__lq=height, crop__lq_width=width)
        assert sizes["inputs"] == 8 * IMAGE + 512
        assert sizes["activations"] > 1.9 * square["activations"]


def test_the_prefetcher_holds_one_more_batch_on_its_own_stream():
    tape, sizes, _ = parts(prefetch__mode="prefetcher")
    assert sizes["inputs"] == 2 * (4 * IMAGE + 512)
    streams = {block.stream for block in tape.blocks if block.kind == "inputs"}
    assert streams == {1}
    sizes_of_bytes = [
        block.size.batch for block in tape.blocks if block.stream and block.size.batch == IMAGE // 4
    ]
    assert len(sizes_of_bytes) == 3  # one per load: the first two, then one a step


def test_ema_accumulation_and_checkpointing():
    _, plain, least = parts()
    _, sizes, _ = parts(ema=1)
    assert sizes["ema"] == pytest.approx(plain["parameters"], rel=0.01)
    _, sizes, _ = parts(accumulate=2)
    assert sizes["gradients"] == pytest.approx(plain["parameters"], rel=0.01)
    assert parts(checkpointing=True)[2] < least


def test_benchmark_keeps_gradients_where_torch_was_old():
    new = parts(recipe="timm.benchmark")[1]
    old = parts(recipe="timm.benchmark", options={"zeroed_gradients": True})[1]
    assert old["gradients"] == pytest.approx(old["parameters"], rel=0.01)
    assert new["gradients"] < old["gradients"]


def test_attention_written_out_keeps_its_matrices():
    network = {"networks__generator__arch": "vit_tiny_patch16_224"}
    fused = parts(**network)[2]
    written = parts(**network, options={"fused_attention": False})[2]
    matrices = 4 * 12 * 3 * 197 * 197 * 4  # samples, blocks, heads, tokens squared, fp32
    assert written - fused > 0.9 * matrices


def test_an_old_torch_keeps_softmaxs_input_and_gelu_in_fp32():
    """Samples, blocks, heads, tokens squared in fp16; and a GELU's input in fp32 instead of fp16."""
    network = {"networks__generator__arch": "vit_tiny_patch16_224", "precision": "fp16"}
    written = {"fused_attention": False}
    today, tenth, ninth = (
        parts(**network, options={**written, **options})[2]
        for options in ({}, {"old_torch": "1.10"}, {"old_torch": "1.9"})
    )
    scores, hidden = 4 * 12 * 3 * 197 * 197 * 2, 4 * 12 * 197 * 768 * 2
    assert tenth - today == pytest.approx(scores, rel=0.1)
    assert ninth - tenth == pytest.approx(hidden, rel=0.2)
    network |= {"precision": "fp32"}
    today, tenth, ninth = (
        parts(**network, options={**written, **options})[2]
        for options in ({}, {"old_torch": "1.10"}, {"old_torch": "1.9"})
    )
    assert ninth == tenth > today + scores


def test_augmentation_splits_multiply_the_batch():
    _, plain, _ = parts(batch=12)
    _, split, peak = parts(options={"splits": 3})
    assert split["inputs"] == plain["inputs"]
    assert split["activations"] == plain["activations"]
    loss = [{"role": "class", "type": "JsdCrossEntropy", "num_splits": 3}]
    assert parts(options={"splits": 3, "split_bn": True}, losses=loss)[2] > peak


def test_a_model_in_half_precision_halves_everything_but_class_numbers():
    _, plain, _ = parts()
    _, half, _ = parts(options={"model_dtype": "bfloat16"})
    for kind in ("parameters", "inputs", "optimizer"):
        assert half[kind] == pytest.approx(plain[kind] / 2, rel=0.02)
    assert half["activations"] == pytest.approx(plain["activations"] / 2, rel=0.1)  # indices stay as they are


def test_mixed_images_have_a_weight_for_every_class():
    soft = [{"role": "class", "type": "SoftTargetCrossEntropy"}]
    _, sizes, _ = parts(options={"mixup": True}, losses=soft)
    assert sizes["inputs"] == 4 * IMAGE + 4 * 1000 * 4 + 384  # rounded up to blocks of 512 bytes


def test_arguments_for_the_network_and_the_optimizer_reach_them():
    tape, *_ = parts(options={"model_kwargs": ["num_classes=10", "drop_rate=0.5"]})
    assert tape.networks[0].parameters == PARAMETERS - 990 * 513
    vit = {"networks__generator__arch": "vit_tiny_patch16_224", "crop__lq": 96}
    assert parts(**vit, options={"model_kwargs": {"img_size": 96}})[2] > 0
    adam = [{"role": "generator", "type": "Adam"}]
    _, twice, _ = parts(optimizers=adam)
    _, thrice, _ = parts(optimizers=adam, options={"opt_kwargs": ["amsgrad=True"]})
    assert thrice["optimizer"] == pytest.approx(1.5 * twice["optimizer"], rel=0.01)
    with pytest.raises(BadArgumentsError, match="Adam cannot be built"):
        parts(optimizers=adam, options={"opt_kwargs": ["amsgrd=True"]})


def test_optimizers_of_timm_and_layers_that_decay():
    _, momentum, _ = parts()
    square = [{"role": "generator", "type": "rmsprop", "weight_decay": 0.02}]  # timm gives it momentum
    assert parts(optimizers=square)[1]["optimizer"] > 1.9 * momentum["parameters"]
    layered = [{"role": "generator", "type": "AdamW", "weight_decay": 0.05, "layer_decay": 0.75}]
    assert parts(optimizers=layered)[1]["optimizer"] > 1.9 * momentum["parameters"]
    with pytest.raises(CannotTraceError, match='unknown optimizer "nosuch"'):
        parts(optimizers=[{"role": "generator", "type": "nosuch"}])


def test_an_optimizer_that_asks_for_the_cards_cache_steps_in_one_piece():
    asks = hasattr(sys.modules.get("timm.optim._helpers"), "_L2_CACHE_SIZE")  # timm 1.0.31, not 1.0.9
    lamb = [{"role": "generator", "type": "lamb", "weight_decay": 0.02}]
    for _ in range(2):  # timm remembers what it heard
        tape, sizes, _ = parts(optimizers=lamb)
        assert sizes["optimizer"] >= 2 * sizes["parameters"]
        assert (IN_ONE_PIECE in tape.notes) is asks
    assert IN_ONE_PIECE not in parts()[0].notes
    assert not getattr(sys.modules.get("timm.optim._helpers"), "_L2_CACHE_SIZE", {})


@pytest.mark.parametrize("mode", ["agc", "value"])
def test_other_ways_to_clip(mode):
    assert parts(gradient_clip=1, options={"clip_mode": mode})[2] > 0


def test_channels_last_keeps_the_loaders_images_too():
    _, plain, _ = parts(prefetch__mode="prefetcher")
    _, last, _ = parts(prefetch__mode="prefetcher", channels_last=True)
    assert sum(last.values()) >= sum(plain.values()) + 4 * IMAGE


def test_refusals_are_told_in_words():
    with pytest.raises(CannotTraceError, match='unknown network "resnet_18"'):
        parts(networks__generator__arch="resnet_18")
    with pytest.raises(BadArgumentsError, match="resnet18 cannot be built"):
        parts(networks__generator__args={"widht": 2})
    with pytest.raises(BadArgumentsError, match=r"Input height \(225\) doesn't match model") as told:
        parts(networks__generator__arch="vit_tiny_patch16_224", crop__lq=225)
    assert told.value.about == "crop.lq"
    with pytest.raises(BadArgumentsError, match="has no gradient checkpointing") as told:
        parts(networks__generator__arch="inception_v4", checkpointing=True)
    assert told.value.about == "checkpointing"
    with pytest.raises(CannotTraceError, match="no optimizer"):
        parts(optimizers=[])


@pytest.mark.parametrize("arch", ["efficientvit_b2", "efficientvit_l1"])
@pytest.mark.parametrize("precision", ["fp32", "fp16"])
def test_a_network_that_switches_autocast_off_at_its_tensors_device_is_traced(arch, precision):
    """Its attention asks for `torch.autocast(device_type=v.device.type, enabled=False)`: meta has none."""
    tape = trace(
        {**STEP, "networks.generator.arch": arch, "crop.lq": 64, "precision": precision}, verify=False
    )
    assert tape.networks[0].parameters > 20_000_000
    assert any(op.dtype == "float16" for op in tape.ops) == (precision == "fp16")
