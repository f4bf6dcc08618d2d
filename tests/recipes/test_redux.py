# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""traiNNer-redux's steps: peaks of the framework's own code (6862931) on meta, autocast emulated."""

from __future__ import annotations

import pytest
import torch

from bench.references.off_cuda import off_cuda
from tests.sampling import paired
from trainlint.errors import CannotTraceError
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.trace.building.build import build, networks_of
from trainlint.trace.trace import trace

CHARBONNIER = {"type": "charbonnierloss", "loss_weight": 1}
GAN = [
    {"type": "mssimloss", "loss_weight": 1},
    {"type": "perceptualloss", "criterion": "charbonnier", "loss_weight": 1},
    {"type": "hsluvloss", "criterion": "charbonnier", "loss_weight": 1},
    {"type": "ganloss", "gan_type": "vanilla", "loss_weight": 1},
]
ADAMW = [{"role": role, "type": "AdamW", "weight_decay": 0} for role in ("generator", "discriminator")]


def step(arch, args, precision, lq=64, hr=256, **more):
    return {
        "recipe": "trainner-redux.SRModel", "dialect": "trainner-redux", "scale": 4,
        "crop.lq": lq, "crop.hr": hr,
        "networks.generator.arch": arch, "networks.generator.args": args, "losses": [CHARBONNIER], "ema": 1,
        "optimizers": ADAMW[:1], "precision": precision, "channels_last": precision != "fp32", **more,
    }  # fmt: skip


def adversarial(arch, args, precision, **more):
    discriminator = {"networks.discriminator.arch": "dunet", "networks.discriminator.args": {}}
    return step(arch, args, precision, losses=GAN, optimizers=ADAMW, **discriminator, **more)


def slow(*values):
    return pytest.param(*values, marks=pytest.mark.slow)


COMPACT = step("compact", {}, "fp16", 96, 384)


@pytest.mark.parametrize(
    ("made", "peaks"),
    [
        (COMPACT, {2: 114792960, 16: 839649792}),
        (step("span", {"norm": False}, "fp32"), {2: 313349632}),
        (step("span", {"norm": False}, "fp16"), {2: 185100288}),
        (step("span_s", {"norm": False}, "fp16"), {2: 168562176}),
        (step("realcugan", {"pro": True, "fast": False}, "fp16"), {2: 112754688}),
        slow(step("esrgan", {"use_pixel_unshuffle": True}, "bf16"), {2: 1265283072}),
        slow(step("rcan", {}, "bf16"), {2: 965112320}),
        slow(step("swinir_m", {}, "fp16"), {2: 2487350272}),  # the trainer takes bf16 for it
        slow(step("dwt_s", {}, "bf16"), {2: 2503862272}),
        (step("dwt_s", {}, "bf16", 40, 160), {2: 1519659520}),  # padded to two windows
    ],
    ids=lambda value: (
        "" if "recipe" not in value else f"{value['networks.generator.arch']}-{value['precision']}"
    ),
)
def test_peak_of_the_framework(made, peaks):
    tape = trace(made, verify=False)
    for batch, peak in peaks.items():
        assert ledger(tape).peak(Samples(batch, batch)).allocated == pytest.approx(peak, rel=5e-5)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("made", "peak", "off", "uncast"),
    [
        (step("mosrv2", {}, "fp16"), 516339712, -0.203, 0.0),
        (adversarial("esrgan", {}, "fp16"), 2115488256, -0.0297, 0.0),
        (adversarial("span", {"norm": False}, "fp16"), 1061001728, -0.0591, 0.0),
    ],
    ids=["mosrv2", "esrgan-gan", "span-gan"],
)
def test_what_cuda_does_and_the_reference_did_not(made, peak, off, uncast):
    """The reference ran on meta: Mish's backward in nine operators, no cast to fp32 for HSLuv and MS-SSIM,
    and contiguous outputs of convolutions, which MoSRv2's norms over the channels copy.
    """

    def error():
        return ledger(trace(made, verify=False, batches=(2,))).peak(Samples(2, 2)).allocated / peak - 1

    assert error() == pytest.approx(off, abs=1e-3)
    with off_cuda():
        assert error() == pytest.approx(uncast, abs=5e-5)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("made", "batch", "peak"),
    [
        (adversarial("compact", {}, "fp16") | {"crop.lq": 96, "crop.hr": 384}, 8, 6743905280),
        (adversarial("span", {"norm": False}, "fp16"), 16, 6810296320),
    ],
    ids=["compact", "span"],
)
def test_peak_of_the_program_itself(made, batch, peak):
    """What `trainlint dry-run` records of Compact_gan and SPAN_gan (bench/data/dry_runs.csv)."""
    found = ledger(trace(made, verify=False)).peak(Samples(batch, batch)).allocated
    assert found == pytest.approx(peak, rel=5e-6)


@pytest.mark.slow
def test_the_losses_and_the_discriminator_decide_for_a_light_generator():
    alone, all_of_it = step("span", {"norm": False}, "fp16"), adversarial("span", {"norm": False}, "fp16")
    peaks = [ledger(trace(each, verify=False)).peak(Samples(16, 16)).allocated for each in (alone, all_of_it)]
    assert peaks[1] > 5 * peaks[0]


@pytest.mark.parametrize(
    ("made", "peak"), [(COMPACT, 52477952), (step("span", {"norm": False}, "fp16"), 124254208)],
    ids=["compact", "span"],
)  # fmt: skip
def test_peak_of_the_framework_while_it_tests_an_image(made, peak):
    """The image has taken the training batch's place; the last batch's output is still alive."""
    tape = trace(made, verify=False, batches=(16,), validation=(180, 320))
    found = ledger(tape, validation=True).peak(Samples(16, 16)).allocated
    assert found == pytest.approx(peak, rel=2e-4)


def loss(kind, **rest):
    return {"type": kind, "loss_weight": 1, **rest}


MAP = 4 * 256**2
"""Bytes of one plane of the target in fp32."""


@pytest.mark.parametrize(
    ("extra", "planes"),
    [
        (loss("tvloss"), 1.5),  # the reverse of the loss's own maps is all that outgrows Charbonnier's step
        (loss("cosimloss"), 14),
        (loss("ffloss"), 15),
        (loss("hfenloss"), 6),
        (loss("ssimloss"), 11.85),
        (loss("ssimloss", test_y_channel=False, downsample=True), 47.55),
        (loss("mssimloss"), 10),
        (loss("mssimloss", include_luminance=True, color_space="ycbcr"), 11.85),
        (loss("mssimloss", test_y_channel=False), 42),
        (loss("mssimloss", cosim=True), 46.77),  # an argument of the loss that it was until May 2025
        (loss("hsluvloss"), 172.5),
        (loss("hsluvloss", blur_strength=1), 181.6),
        (loss("hsluvloss", downscale_factor=2), 40.9),
        (loss("psnrloss"), 6),
        (loss("LaplacianPyramidLoss"), 8),
        (loss("ConsistencyLoss", blur=False), 59.3),
        (loss("distsloss"), 862.5),  # VGG16 on both images, with a graph for one
    ],
    ids=lambda value: value["type"] if isinstance(value, dict) else "",
)
def test_what_a_loss_keeps_per_sample(extra, planes):
    """Counts of this recipe; a change of one is a change of what is kept."""
    alone, more = (
        trace(step("compact", {}, "bf16", losses=losses), verify=False)
        for losses in ([CHARBONNIER], [CHARBONNIER, extra])
    )
    at = Samples(64, 64)
    grown = ledger(more).peak(at).allocated - ledger(alone).peak(at).allocated
    assert grown / 64 / MAP == pytest.approx(planes, rel=0.02)


def test_convnext_features_have_no_graph_and_cost_their_weights():
    alone, more = (
        trace(step("compact", {}, "bf16", losses=losses), verify=False)
        for losses in ([CHARBONNIER], [CHARBONNIER, loss("convnextperceptualloss")])
    )
    found = {network.role: network for network in more.networks}
    assert found["convnextperceptualloss"].parameters == 27_818_592 + 2  # and two weights of layers
    assert ledger(more).saved_per_sample == ledger(alone).saved_per_sample


def test_ldl_runs_the_average_without_a_graph():
    tape = trace(step("compact", {}, "bf16", losses=[CHARBONNIER, loss("ldlloss")]), verify=False)
    assert tape.affine == "exact"
    with pytest.raises(CannotTraceError, match="needs ema_decay"):
        trace(step("compact", {}, "bf16", losses=[loss("ldlloss")], ema=0), verify=False)


def test_the_pool_costs_its_samples():
    made = {**COMPACT, "recipe": "trainner-redux.RealESRGANModel"}
    tape = trace(made, verify=False)
    by_pool = [ledger(tape).peak(Samples(16, 16, pool)).allocated for pool in (0, 112)]
    assert by_pool[1] - by_pool[0] == 112 * 3 * (96**2 + 384**2) * 4


def test_accumulated_gradients_are_alive_in_the_next_forward():
    plain, twice = (trace({**COMPACT, "accumulate": n}, verify=False, batches=(2,)) for n in (1, 2))
    gradients = 4 * 621_424
    grown = ledger(twice).peak(Samples(2, 2)).allocated - ledger(plain).peak(Samples(2, 2)).allocated
    assert gradients <= grown < 1.2 * gradients


def test_files_of_a_save():
    files = {file.name: file.size for file in trace(COMPACT, verify=False, batches=(2,)).files}
    assert files["net_g_ema_N.safetensors"] == pytest.approx(2489807, rel=1e-3)
    assert files["net_g_N.safetensors"] == files["net_g_ema_N.safetensors"]
    plain = {**COMPACT, "options": {"save_checkpoint_format": "pth"}}
    assert "net_g_N.pth" in {file.name for file in trace(plain, verify=False, batches=(2,)).files}


@pytest.mark.parametrize(
    ("arch", "args", "parameters"),
    [
        ("compact", {}, 621_424),
        ("esrgan", {"scale": 4}, 16_697_987),
        ("span", {}, 2_621_964),
        ("span_s", {}, 2_236_728),
        ("rcan", {}, 15_592_355),
        ("mosrv2", {}, 4_179_888),
        ("realcugan", {"pro": True}, 1_406_812),
        ("swinir_m", {}, 11_900_199),
        ("dunet", {}, 3_231_457),
        ("paragonsr_tiny", {"scale": 2}, 69_267),
        ("paragonsr_s", {"scale": 4}, 1_100_163),
    ],
)
def test_parameters(arch, args, parameters):
    with torch.device("meta"):
        assert sum(p.numel() for p in build("trainner-redux", arch, args).parameters()) == parameters


@pytest.mark.parametrize(
    ("arch", "scale"),
    paired(["rcan", "esrgan", "esrgan_lite", "mosrv2", "realcugan", "compact", "span"], [2, 3, 4]),
)
def test_every_scale_enlarges_by_it(arch, scale):
    with torch.device("meta"):
        net = build("trainner-redux", arch, {"scale": scale}).eval()
        assert net(torch.empty(1, 3, 48, 40)).shape == (1, 3, 48 * scale, 40 * scale)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"losses": [{"type": "fooloss", "loss_weight": 1}]}, "unknown loss fooloss"),
        ({"losses": [{**CHARBONNIER, "loss_weight": 0}]}, "at least one loss"),
        ({"losses": [{**CHARBONNIER, "loss_weight": "1"}]}, "must be a number"),
        ({"losses": [{**GAN[1], "criterion": "fd"}]}, "unknown perceptual criterion fd"),
        ({"losses": [{**GAN[1], "antialiased": True}]}, "antialiased pooling is not modeled"),
        ({"losses": GAN}, "no discriminator network is named"),
        ({"optimizers": [{"role": "generator", "type": "Lion"}]}, "unknown optimizer Lion"),
        ({"networks.generator.arch": "foonet"}, 'unknown network "foonet"'),
        ({"networks.generator.args": {"act_type": "gelu"}}, 'act_type must be "relu" or "prelu"'),
    ],
)
def test_what_nobody_knows_is_named(change, message):
    with pytest.raises(CannotTraceError, match=message):
        trace({**COMPACT, **change}, verify=False, batches=(2,))


def test_a_clip_takes_its_frames_and_one_target():
    class Middle(torch.nn.Module):
        """A stand-in for a network of clips."""

        def __init__(self):
            super().__init__()
            self.conv = torch.nn.Conv2d(15, 48, 3, padding=1)

        def forward(self, x):
            return torch.nn.functional.pixel_shuffle(self.conv(x.flatten(1, 2)), 4)

    clips = step("middle", {}, "fp32", frames=5)
    with networks_of(lambda _dialect, arch, _args: Middle() if arch == "middle" else None):
        sizes = [
            ledger(tape, 0).peak(Samples(batch, batch)).allocated
            for batch in (2, 3)
            for tape in (trace(clips, verify=False, batches=(batch,)),)
        ]
        with pytest.raises(CannotTraceError, match="use_channels_last is for images alone"):
            trace({**clips, "precision": "fp16", "channels_last": True}, verify=False, batches=(2,))
    frames, image = 5 * 3 * 64 * 64 * 4, 3 * 256 * 256 * 4
    assert sizes[1] - sizes[0] == frames + 7 * image  # one target, the rest the output's and the loss's
