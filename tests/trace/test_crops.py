# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A tape worked out from other crops against the one that is traced at that crop: equal to the byte."""

from __future__ import annotations

import pytest
from torch import nn

from trainlint.errors import CannotTraceError
from trainlint.estimate.memory.card import card_of
from trainlint.estimate.memory.crop_fit import largest_crop
from trainlint.estimate.replay.footprint import footprint, suffices
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.estimate.replay.workspace import libraries
from trainlint.estimate.run.placement import place
from trainlint.estimate.tapes.crop_source import CROPS_ASKED
from trainlint.estimate.tapes.stored_profiles import Store
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.model.spec import TrainSpec, Value
from trainlint.model.target import Gpu, Target
from trainlint.settings.settings import Settings
from trainlint.tape.crops.crop_file import decode_crops
from trainlint.tape.crops.crop_side import SIDE_FIELDS, NotPolynomialError, at_side, names_side, side_of
from trainlint.tape.crops.crop_tapes import check
from trainlint.tape.step import built
from trainlint.trace.trace import trace

GIB = 2**30

ADAM = {"role": "generator", "type": "Adam"}
PIXEL = {"role": "pixel", "type": "L1Loss", "loss_weight": 1}
SWIN = {"window_size": 8, "depths": [2], "embed_dim": 12, "num_heads": [2], "upsampler": "pixelshuffle"}
HAT = {
    "img_size": 64, "window_size": 16, "depths": [2], "embed_dim": 12, "num_heads": [2],
    "compress_ratio": 3, "squeeze_factor": 4, "upsampler": "pixelshuffle",
}  # fmt: skip


def crop_on(spec, target, tapes, settings, *, trace):
    return largest_crop(place(spec, target), target, tapes, settings, trace=trace)


def paired(arch, side, scale=4, recipe="basicsr.SRModel", **more):
    """Return the step of an image restorer."""
    return {
        "recipe": recipe,
        "dialect": "basicsr",
        "scale": scale,
        "channels": 3,
        "crop.lq": side,
        "crop.hr": side * scale,
        "networks.generator.arch": arch,
        "losses": [PIXEL],
        "optimizers": [ADAM],
        **more,
    }


GAN = {
    "networks.generator.args": {"num_in_ch": 3, "num_out_ch": 3, "num_block": 1, "scale": 4},
    "networks.discriminator.arch": "UNetDiscriminatorSN",
    "networks.discriminator.args": {"num_in_ch": 3, "num_feat": 8},
    "losses": [
        PIXEL,
        {"role": "perceptual", "type": "PerceptualLoss", "layer_weights": {"conv5_4": 1}, "vgg_type": "vgg19",
         "perceptual_weight": 1, "style_weight": 0},
        {"role": "gan", "type": "GANLoss", "gan_type": "vanilla", "loss_weight": 1},
    ],
    "optimizers": [ADAM, {"role": "discriminator", "type": "Adam"}],
    "options": {"high_order_degradation": True, "l1_gt_usm": True},
    "ema": 1,
}  # fmt: skip
STEPS = {
    "RRDBNet": (
        paired(
            "RRDBNet", 32, **{"networks.generator.args": {"num_in_ch": 3, "num_out_ch": 3, "num_block": 1}}
        ),
        8,
    ),
    "SwinIR": (
        paired("SwinIR", 48, 2, **{"networks.generator.args": {**SWIN, "img_size": 48, "upscale": 2}}),
        8,
    ),
    "HAT": (paired("HAT", 64, 2, **{"networks.generator.args": {**HAT, "upscale": 2}}), 16),
    "U-Net": (
        paired(
            "NAFNet",
            64,
            1,
            **{"networks.generator.args": {"width": 4, "enc_blk_nums": [1] * 4, "dec_blk_nums": [1] * 4}},
        ),
        16,
    ),
    "VAE": ({"recipe": "vae", "crop.hr": 64, "networks.generator.arch": "VAE", "optimizers": [ADAM]}, 8),
    "GAN": (paired("RRDBNet", 40, 4, "basicsr.RealESRGANModel", **GAN), 8),
}


def same(one, other, batch=3):
    """Say whether two tapes have the same blocks, work and figures."""
    assert one.blocks == other.blocks
    assert one.key == other.key
    for device in range(one.devices):
        samples, used = Samples(batch, batch * one.devices, 9), libraries(8.6, benchmark=True)
        assert footprint(ledger(one, device), samples, used) == footprint(
            ledger(other, device), samples, used
        )


@pytest.mark.slow
@pytest.mark.parametrize("name", STEPS)
def test_a_crop_between_is_what_a_trace_of_it_records(name, tmp_path):
    step, period = STEPS[name]
    step = built(step)
    tapes = TapeSource(save_to=Store(tmp_path), trace=trace)
    crops = tapes.crops.crops(step, 2)
    assert crops.period == period
    assert len(crops.sides) == (5 if name == "VAE" else 3)  # attention over all pixels: degree 4
    for number in (1, 5):
        side = crops.sides[0] + number * period
        traced = trace(at_side(step, side))
        if names_side(traced.step):  # img_size: the network keeps masks for it
            assert name in ("SwinIR", "HAT")
            with pytest.raises(NotPolynomialError, match=f"have {side} pixels as an argument"):
                crops.at(side)
        else:
            check(crops, side, traced)
            same(crops.at(side), traced)
    (path,) = tmp_path.glob("*.crops")
    assert path.stat().st_size < 50_000
    assert decode_crops(path.read_bytes())[1] == crops


class Padded:
    """A recipe whose network is unlike itself modulo 24: it pads to that, and its work differs there."""

    def __init__(self, step, stage):
        self.stage, self.side = stage, step["crop.lq"]
        self.net = stage.register("generator", nn.Conv2d(3, 4, 3, padding=1), arch="Padded")
        self.sgd = stage.optimizer("generator", self.net.parameters(), "SGD", lr=0.1)

    def train_step(self, batch):
        x = self.stage.input(batch, 3, self.side, self.side)
        self.sgd.zero_grad()
        if self.side % 24:
            x = nn.functional.pad(x, (0, -self.side % 24, 0, -self.side % 24))
        self.net(x).sum().backward()
        self.sgd.step()

    def checkpoint(self):
        return {"net.pth": self.net.state_dict()}


class Counting:
    """Traces, and counts what it traced."""

    def __init__(self, recipe=None):
        self.sides, self.recipe = [], recipe

    def __call__(self, step, **options):
        self.sides.append(side_of(step))
        return trace(step, recipe=self.recipe, **options)


class Patched(Padded):
    """A recipe whose network does more unless its side is a multiple of 7, as DINOv2's patches of 14 are."""

    def train_step(self, batch):
        x = self.stage.input(batch, 3, self.side, self.side)
        self.sgd.zero_grad()
        if self.side % 7:
            x = x + 1
        self.net(x).sum().backward()
        self.sgd.step()


class Cut(Padded):
    """A recipe whose network does more for crops above the config's 64, as NAFNetLocal's pooling does."""

    def train_step(self, batch):
        x = self.stage.input(batch, 3, self.side, self.side)
        self.sgd.zero_grad()
        if self.side > 64:
            x = x + 1
        self.net(x).sum().backward()
        self.sgd.step()


class Narrow(Padded):
    """A recipe whose network pads what is below 44 pixels, as MS-SSIM does after its halvings."""

    def train_step(self, batch):
        x = self.stage.input(batch, 3, self.side, self.side)
        self.sgd.zero_grad()
        if self.side < 44:
            x = nn.functional.pad(x, (5, 5, 5, 5))
        self.net(x).sum().backward()
        self.sgd.step()


def test_where_small_crops_are_unlike_the_larger_ones_are_worked_out():
    tapes = TapeSource(trace=Counting(Narrow))
    crops = tapes.crops.crops(paired("Narrow", 64), 2)
    assert (crops.period, crops.sides[0]) == (8, 48)
    step = at_side(crops.tape.step, 56)
    assert crops.at(56).blocks == trace(step, recipe=Narrow).blocks
    with pytest.raises(NotPolynomialError, match="not between"):
        crops.at(40)


def test_where_larger_crops_are_unlike_the_smaller_ones_are_worked_out():
    tapes = TapeSource(trace=Counting(Cut))
    crops = tapes.crops.crops(paired("Cut", 64), 2)
    assert crops.sides == (16, 40, 64)
    step = at_side(crops.tape.step, 56)
    assert crops.at(56).blocks == trace(step, recipe=Cut).blocks
    with pytest.raises(NotPolynomialError, match="not between"):
        crops.at(88)


@pytest.mark.parametrize("recipe", [Padded, Patched])
def test_sides_that_are_alike_by_chance_do_not_hide_what_others_do(recipe):
    """Around 64 three sides and the step's own are 16 modulo 24, and none of them is a multiple of 7."""
    assert {side % 24 for side in (16, 64, 88, 160)} == {16}
    with pytest.raises(CannotTraceError, match="need a trace of their own"):
        TapeSource(trace=Counting(recipe)).crops.crops(paired("Padded", 64), 2)


def test_what_pads_otherwise_is_traced_at_every_crop():
    step, counting = paired("Padded", 48), Counting(Padded)
    tapes = TapeSource(trace=counting)
    with pytest.raises(CannotTraceError, match=r"need a trace of their own.*modulo 8.*modulo 64"):
        tapes.crops.crops(step, 2)
    for side in (24, 32, 40, 56):
        tape = tapes.tape({**step, "crop.lq": side, "crop.hr": 4 * side})
        assert tape.blocks == trace(tape.step, recipe=Padded).blocks
        assert side in counting.sides


def test_the_third_crop_has_the_rest_worked_out(tmp_path):
    step, counting = STEPS["RRDBNet"][0], Counting()
    tapes = TapeSource(save_to=Store(tmp_path), trace=counting)
    for count, side in enumerate((32, 24, 40, 48, 56, 64), start=1):
        tape = tapes.tape(at_side(step, side), 4)
        assert tape.step["crop.hr"] == 4 * side
        if count == CROPS_ASKED:
            traced = list(counting.sides)
    assert counting.sides == traced
    stored = TapeSource([Store(tmp_path)], may_trace=False)
    assert stored.tape(at_side(step, 48)).blocks == tapes.tape(at_side(step, 48)).blocks
    with pytest.raises(CannotTraceError, match="no stored profile"):
        stored.tape(at_side(step, 36))


def card(name, gib):
    """Return a machine with one GPU of so much memory."""
    memory = round(gib * GIB)
    gpu = Gpu(name, name, memory, memory // 4, 8.6, 82, 1e12, 1e13, 0, 0, 0, False, "11.0", None, "none")
    return Target(name, gpu, 1)


def test_the_largest_crop_is_the_last_whose_own_trace_fits(tmp_path):
    step, batch = STEPS["RRDBNet"][0], 8
    at = (("datasets", "train", "gt_size"),)
    spec = TrainSpec(
        {name: Value(value, at if name == "crop.hr" else (), "written" if name == "crop.hr" else "derived")
         for name, value in {**step, "batch.per_gpu": batch, "gpus": 1}.items()}
    )  # fmt: skip
    tapes, settings = TapeSource(save_to=Store(tmp_path), trace=trace), Settings()
    target = card("middling", 1)
    assert crop_on(spec, target, tapes, settings, trace=False) is None
    found = crop_on(spec, target, tapes, settings, trace=True)
    assert (found.key, found.value % 32, found.open) == ("gt_size", 0, False)
    at_card = card_of(place(spec, target), target.gpu, {})
    room = at_card.capacity - at_card.context
    for hr, fits in ((found.value, True), (found.value + 32, False)):
        traced = ledger(trace(at_side(step, hr // 4)))
        assert suffices(traced, Samples(batch, batch), at_card.libraries, room) == fits
    tiny = crop_on(spec, card("tiny", 0.03), tapes, settings, trace=False)
    assert (tiny.value, tiny.least) == (0, 64)
    assert crop_on(spec, card("tiny", 0.03), tapes, settings, trace=True).least == 32
    assert crop_on(spec, card("huge", 500), tapes, settings, trace=False).open
    staged = TrainSpec(
        {**spec.fields, "stages": Value([{"size": 96, "batch": 2}, {"size": 128, "batch": 1}])}
    )
    with pytest.raises(CannotTraceError, match="progressive training"):
        crop_on(staged, target, tapes, settings, trace=False)


@pytest.mark.parametrize("may_trace", [False, True])
def test_a_crop_below_those_that_are_traced_together_is_found(tmp_path, may_trace):
    step, batch = at_side(STEPS["RRDBNet"][0], 8), 64
    fields = {**step, "batch.per_gpu": batch, "gpus": 1}
    spec = TrainSpec(
        {
            name: Value(value, (("gt_size" if name in SIDE_FIELDS else name,),))
            for name, value in fields.items()
        }
    )
    tapes, settings = TapeSource(save_to=Store(tmp_path), trace=trace), Settings()
    assert tapes.crops.crops(step, batch).sides[0] == 16
    used = card_of(place(spec, card("any", 1)), card("any", 1).gpu, {}).libraries
    room = footprint(ledger(trace(step)), Samples(batch, batch), used).segments
    target = card("small", room / GIB * 4 / 3 + 0.001)  # a fourth of it is the context
    found = crop_on(spec, target, tapes, settings, trace=may_trace)
    assert (found.value, found.open) == (32, False)
