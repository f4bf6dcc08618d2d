# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""neosr's steps: what each version keeps, optimizer state, loss networks, the pool, validation, files."""

from __future__ import annotations

import pytest
import torch

from bench.references.off_cuda import contiguous_convolutions
from trainlint.errors import CannotTraceError
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.trace.building.build import build
from trainlint.trace.trace import trace
from trainlint_zoo.neosr.recipes.loss_table import LOSSES
from trainlint_zoo.neosr.recipes.losses import high_frequencies
from trainlint_zoo.neosr.recipes.optimizers import OWN_OPTIMIZERS

COMPACT = 621_424
MSSIM = {"role": "mssim", "type": "mssim_loss", "loss_weight": 1}
GAN = {"role": "gan", "type": "gan_loss", "gan_type": "bce", "loss_weight": 1}
ADAN = {"type": "adan_sf", "schedule_free": True, "weight_decay": 1}
OPTIMIZERS = [{"role": role, **ADAN} for role in ("generator", "discriminator")]


def step(*losses, **more):
    return {
        "recipe": "neosr.image", "dialect": "neosr", "scale": 4, "crop.lq": 32, "crop.hr": 128,
        "networks.generator.arch": "compact", "networks.generator.args": {}, "losses": [MSSIM, *losses],
        "optimizers": OPTIMIZERS, "ema": 1, "gradient_clip": 1, "precision": "bf16", "channels_last": True,
        **more,
    }  # fmt: skip


def adversarial(arch, *losses, **more):
    return step(*losses, GAN, **{"networks.discriminator.arch": arch, **more})


def peak(made, samples=2, **more):
    tape = trace(made, verify=False, batches=(samples,), **more)
    return ledger(tape, validation="validation" in more).peak(Samples(samples, samples)).allocated


def test_loss_networks_have_their_published_sizes():
    """DINOv2 ViT-B/14: 86,580,480 (its checkpoint); VGG19's features to conv5_4: 20,024,384 (torchvision)."""
    fdl = {"role": "fdl", "type": "fdl_loss", "model": "dinov2"}
    vgg = {"role": "perceptual", "type": "vgg_perceptual_loss", "criterion": "chc"}
    tape = trace(step(fdl, vgg), verify=False, batches=(2,))
    sizes = {network.role: network.parameters for network in tape.networks}
    assert sizes == {"generator": COMPACT, "mssim": 0, "fdl": 86_580_480, "perceptual": 20_024_384}


def test_ea2fpn_stands_on_resnet18():
    """ResNet-18 has 11,689,512 parameters (torchvision), its classifier included."""
    with torch.device("meta"):
        net = build("neosr", "ea2fpn", {})
    encoder = sum(p.numel() for part in (net.stem, net.layers, net.fc) for p in part.parameters())
    assert encoder == 11_689_512


@pytest.mark.parametrize(("arch", "side"), [("metagan", 2), ("ea2fpn", 128), ("unet", 128), ("patchgan", 14)])
def test_discriminators_return_a_map(arch, side):
    with torch.device("meta"):
        net = build("neosr", arch, {})
        assert net(torch.empty(2, 3, 128, 128)).shape[2:] == (side, side)


@pytest.mark.parametrize(
    ("name", "tensors"), [("adan", 4), ("adan_sf", 5), ("adamw_sf", 2), ("adamw_win", 4)]
)
def test_state_per_parameter(name, tensors):
    parameter = torch.nn.Parameter(torch.zeros(7))
    optimizer = OWN_OPTIMIZERS[name]([parameter])
    for _ in range(2):
        parameter.grad = torch.ones(7)
        optimizer.step()
    assert sum(value.numel() for value in optimizer.state[parameter].values()) == tensors * 7
    assert torch.isfinite(parameter).all()


def test_state_in_the_files():
    """Five tensors per parameter in the training state, one averaged copy in the weights' file."""
    files = {file.name: file.size for file in trace(step(), verify=False, batches=(2,)).files}
    assert set(files) == {"net_g_N.pth", "1000000.state"}
    assert files["net_g_N.pth"] == pytest.approx(4 * COMPACT, rel=0.01)
    assert files["1000000.state"] == pytest.approx(5 * 4 * COMPACT, rel=0.02)


def test_optimizers_state_decides_between_them():
    """adan_sf keeps five tensors, torch's AdamW two: three more of 4 bytes per parameter."""
    adamw = [{"role": "generator", "type": "adamw", "weight_decay": 1}]
    found = [peak(step(optimizers=chosen)) for chosen in (OPTIMIZERS, adamw)]
    assert found[0] - found[1] == pytest.approx(3 * 4 * COMPACT, rel=0.02)


def test_the_averaged_copy_costs_its_parameters():
    assert peak(step()) - peak(step(ema=0)) == pytest.approx(4 * COMPACT, rel=0.02)


def test_the_versions_differ_in_the_discriminators_graph():
    """A loss that only the newer versions know tells them: no graph of the discriminator in G's backward."""
    newer = {"role": "fdl", "type": "fdl_loss", "model": "vgg"}
    older = {"role": "perceptual", "type": "vgg_perceptual_loss"}
    made = adversarial("unet", older), adversarial("unet", newer), step(older), step(newer)
    with_old, with_new, old, new = (peak(each, 4) for each in made)
    assert with_old - old > 1.5 * (with_new - new)


@pytest.mark.slow
def test_wavelets_keep_two_more_images():
    made = adversarial("metagan", options={"wavelet_guided": True})
    assert peak(made) > peak(adversarial("metagan"))
    assert peak(adversarial("metagan", options={"wavelet_guided": "off"})) == peak(adversarial("metagan"))


def test_the_transform_keeps_the_side_and_three_bands():
    image = torch.empty(2, 3, 64, 48, device="meta")
    assert [bands.shape for bands in high_frequencies(image, image)] == [(2, 3, 64, 48)] * 2


def test_the_prefetcher_holds_the_next_batch():
    """Two more tensors than the step's own: the next input and target, 4 bytes a value."""
    tape = trace(step(), verify=False, batches=(2,))
    kinds = {block.stream for block in tape.blocks}
    assert 1 in kinds


def test_the_pool_costs_its_samples():
    tape = trace(step(recipe="neosr.otf"), verify=False)
    found = [ledger(tape).peak(Samples(8, 8, pool)).allocated for pool in (0, 176)]
    assert found[1] - found[0] == 176 * 3 * (32**2 + 128**2) * 4


def test_degraded_batches_stay_with_their_loaded_images():
    """The loader hands over 512 x 512 targets; this batch's and the next one's are alive."""
    plain, degraded = peak(step()), peak(step(recipe="neosr.otf"))
    assert degraded - plain > 2 * 2 * 3 * (512**2 - 128**2) * 4 - 2 * 2 * 3 * 32**2 * 4


def test_validation_is_not_mixed():
    """The last layers' 48 channels in fp32, and their shuffled sum: twice what bf16 would take."""
    shown = peak(step(ema=0), validation=(64, 64))
    assert shown > 64 * 64 * (48 + 48 + 48) * 4


def test_accumulated_gradients_are_alive_in_the_next_forward():
    plain, twice = (peak(step(accumulate=n)) for n in (1, 2))
    assert 4 * COMPACT <= twice - plain < 1.3 * 4 * COMPACT


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (step({"role": "msswd", "type": "msswd_loss"}), "unknown loss msswd_loss"),
        (step({"role": "dists", "type": "dists_loss", "as_loss": False}), "as_loss false"),
        (step({"role": "fdl", "type": "fdl_loss", "model": "effnet"}), "network effnet"),
        (step(options={"sam": "fsam"}), "sam is not modeled"),
        (step(options={"eco": True}), "eco is not modeled"),
        (step(recipe="neosr.default"), "from version to version"),
        (step({"role": "color", "type": "colorloss"}), "unknown loss colorloss"),
        (step(GAN), "a discriminator needs"),
        (step(optimizers=[{"role": "generator", "type": "soap_sf"}]), "unknown optimizer soap_sf"),
        (step(losses=[{"role": "consistency", "type": "consistency_loss"}]), "pixel/mssim"),
    ],
)
def test_refusals(made, message):
    with pytest.raises(CannotTraceError, match=message):
        trace(made, verify=False, batches=(2,))


@pytest.mark.parametrize(
    "kind",
    [
        "l1loss", "huberloss", "chc_loss", "mssim_loss", "consistency_loss", "ldl_loss",
        "vgg_perceptual_loss", "dists", "dists_loss", "gw_loss", "ff_loss",
    ],
)  # fmt: skip
def test_losses_have_gradients(kind):
    with torch.device("meta"):
        loss = LOSSES[kind]({"type": kind, "layer_weights": {"conv1_2": 1}})
    image = torch.empty(1, 3, 64, 64, device="meta", requires_grad=True)
    value = loss(image, torch.empty(1, 3, 64, 64, device="meta"))
    value.sum().backward()
    assert value.numel() == 1
    assert image.grad is not None


@pytest.mark.parametrize(
    ("kind", "options", "allocated"),
    [
        (
            "dists_loss",
            {},
            188_620_288,
        ),  # 34,816 of them the pooling's filters, which that run left on the CPU
        ("ff_loss", {}, 36_477_952),
        ("gw_loss", {}, 38_196_736),
        ("gw_loss", {"criterion": "l1"}, 36_361_728),
        ("gw_loss", {"corner": False}, 37_344_768),
    ],
)
def test_peaks_with_the_published_losses(kind, options, allocated):
    """This step with the losses of neosr 0.1.0 in the place of ours; gw_loss with its newest two lines."""
    role = kind.removesuffix("_loss")
    assert peak(step({"role": role, "type": kind, "loss_weight": 1, **options})) == allocated


@pytest.mark.parametrize(
    ("arch", "args", "changes", "allocated"),
    [
        ("flexnet", {}, {}, 409_869_312),
        ("flexnet", {}, {"precision": "fp32", "channels_last": False}, 475_966_464),
        pytest.param("flexnet", {"flash_attn": False}, {}, 601_510_912, marks=pytest.mark.slow),
    ],
)
def test_peaks_of_the_published_networks(arch, args, changes, allocated):
    """This step with the fork's own network (pokepress/neosr 6a5654c5) in the place of ours, on meta."""
    made = {"networks.generator.arch": arch, "networks.generator.args": args, **changes}
    with contiguous_convolutions():
        assert peak(step(**made)) == allocated


@pytest.mark.parametrize(("arch", "allocated"), [("flexnet", 82_739_712)])
def test_published_networks_while_an_image_is_tested(arch, allocated):
    with contiguous_convolutions():
        assert peak(step(**{"networks.generator.arch": arch}), validation=(40, 52)) == allocated
