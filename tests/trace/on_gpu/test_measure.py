# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The measured step, run on the CPU with real tensors: the recipes' true shapes, held against the tapes."""

from __future__ import annotations

import json
import subprocess
import sys
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from tests.trace import toys
from tests.trace.live import BLOCK, HostMeter, Live, as_on_cuda
from trainlint.errors import CannotTraceError, UsageError
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.measuring.gpu_reading import OUT_OF_MEMORY, OUTCOME_RAN, Request, context_request
from trainlint.trace.on_gpu import driver, measure_step, meter
from trainlint.trace.on_gpu.context_step import ContextStep
from trainlint.trace.on_gpu.cuda_stage import CudaStage, no_garbage
from trainlint.trace.parallel.wrapper import Layout
from trainlint.trace.trace import trace

RGB = {"num_in_ch": 3, "num_out_ch": 3}
MSR = {**RGB, "num_feat": 16, "num_block": 2, "upscale": 2}
RRDB = {**RGB, "num_feat": 16, "num_block": 1, "num_grow_ch": 8, "scale": 2}
VGG = {"role": "perceptual", "type": "PerceptualLoss", "layer_weights": {"conv1_2": 1}}
L1 = {"role": "pixel", "type": "L1Loss", "loss_weight": 1}
LDL = {"role": "ldl", "type": "L1Loss", "loss_weight": 1}
GAN = {"role": "gan", "type": "GANLoss", "gan_type": "vanilla", "loss_weight": 1}
BOTH = [{"role": role, "type": "Adam"} for role in ("generator", "discriminator")]
UNET = {
    "networks.discriminator.arch": "UNetDiscriminatorSN",
    "networks.discriminator.args": {"num_in_ch": 3, "num_feat": 8},
}
VGG_STYLE = {
    "networks.discriminator.arch": "VGGStyleDiscriminator128",
    "networks.discriminator.args": {"num_in_ch": 3, "num_feat": 4},
}
REDUX = [
    {"role": kind, "type": kind, "loss_weight": 1} for kind in ("charbonnierloss", "mssimloss", "hsluvloss")
]
FEW = 9 * BLOCK
"""Scalars that Python makes are the GPU's or the host's by who asks; every feature map here is larger."""


def basicsr(model, arch, args, lq=16, hr=32, **more):
    return {
        "recipe": f"basicsr.{model}", "dialect": "basicsr", "scale": hr // lq, "crop.lq": lq, "crop.hr": hr,
        "networks.generator.arch": arch, "networks.generator.args": args, "losses": [L1], "ema": 1,
        "optimizers": BOTH, **more,
    }  # fmt: skip


def native(**more):
    return {
        "recipe": "trainlint", "dialect": "trainlint", "networks.generator.arch": "MSRResNet",
        "networks.generator.args": MSR, "options": {"input": [3, 16, 16]},
        "losses": [{"role": "loss", "type": "l1"}], "optimizers": [{"role": "generator", "type": "AdamW"}],
        **more,
    }  # fmt: skip


SGD = [{"role": "generator", "type": "SGD", "momentum": 1}]
NAFNET = {"enc_blk_nums": [1], "middle_blk_num": 1, "dec_blk_nums": [1], "width": 8}
SWINIR = {
    "upscale": 2, "img_size": 16, "window_size": 8, "depths": [2], "embed_dim": 12, "num_heads": [2],
    "upsampler": "pixelshuffle",
}  # fmt: skip
KAIR = {
    **basicsr("", "rrdbnet", {"in_nc": 3, "out_nc": 3, "nf": 8, "nb": 1, "gc": 8, "sf": 2}),
    "recipe": "kair.plain", "dialect": "kair", "losses": [{"role": "pixel", "type": "l1"}],
}  # fmt: skip
KAIR_LOSSES = [
    {"role": "pixel", "type": "l1", "loss_weight": 1},
    {"role": "perceptual", "type": "l1", "feature_layer": 2, "loss_weight": 1},
    {"role": "gan", "type": "lsgan", "loss_weight": 1},
]
KAIR_UNET = {
    "networks.discriminator.arch": "discriminator_unet",
    "networks.discriminator.args": {"input_nc": 3, "ndf": 8},
}
STEPS = {
    "SRModel": basicsr("SRModel", "MSRResNet", MSR),
    "SRModel, loader on the GPU": basicsr("SRModel", "MSRResNet", MSR, **{"prefetch.mode": "cuda"}),
    "SRModel under DDP": basicsr("SRModel", "MSRResNet", MSR, parallel="ddp"),
    "SRModel with SGD": basicsr("SRModel", "EDSR", {**MSR, "num_block": 1}, ema=0, optimizers=SGD),
    "RealESRNetModel": basicsr("RealESRNetModel", "RRDBNet", RRDB),
    "RealESRGANModel": basicsr("RealESRGANModel", "RRDBNet", RRDB, losses=[L1, LDL, VGG, GAN], **UNET),
    "SRGANModel": basicsr("SRGANModel", "MSRResNet", MSR, 64, 128, losses=[L1, VGG, GAN], **VGG_STYLE),
    "ESRGANModel": basicsr("ESRGANModel", "MSRResNet", MSR, 64, 128, losses=[L1, VGG, GAN], **VGG_STYLE),
    "ImageRestorationModel": basicsr(
        "ImageRestorationModel", "NAFNet", NAFNET, 32, 32, gradient_clip=1, options={"mixup": True}
    ),
    "KAIR's plain": KAIR | {"gradient_clip": 1},
    "KAIR's GAN": KAIR | KAIR_UNET | {"recipe": "kair.gan", "losses": KAIR_LOSSES},
    "traiNNer-redux's SRModel": {
        **basicsr("", "compact", {"num_feat": 8, "num_conv": 2}, 32, 64, losses=REDUX),
        "recipe": "trainner-redux.SRModel", "dialect": "trainner-redux",
    },
    "trainlint's own": native(accumulate=2, gradient_clip=1, ema=1),
}  # fmt: skip


def run(step, batch=2, *, recipe=None, pool=5, steps=3):
    """Run a step on the CPU; returns its reading."""
    live = Live()
    request = Request(step, batch, batch, pool, steps, device="cpu", between=True)
    with as_on_cuda(), live:
        return measure_step.measure(request, HostMeter(live), recipe)


def estimated(step, batch=2, pool=5):
    return ledger(trace(step, verify=False)).peak(Samples(batch, batch, pool)).allocated


SLOW = {
    "RealESRNetModel", "RealESRGANModel", "SRGANModel", "ESRGANModel", "ImageRestorationModel", "KAIR's GAN",
    "KAIR's plain", "traiNNer-redux's SRModel",
}  # fmt: skip
"""What takes 4 to 14 s each."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in STEPS]
)
def test_a_real_step_keeps_the_bytes_of_its_tape(name):
    assert run(STEPS[name]).gpus[0].live == pytest.approx(estimated(STEPS[name]), abs=FEW)


def test_a_network_whose_kernels_lay_tensors_out_otherwise_on_the_cpu():
    step = basicsr("SwinIRModel", "SwinIR", SWINIR)
    assert run(step).gpus[0].live == pytest.approx(estimated(step), rel=0.03)


SQUARED = {
    "VAE": {
        "recipe": "vae",
        "crop.hr": 32,
        "networks.generator.args": {"channels": [32] * 4, "z_channels": 4},
    },
    "Zoom23": {
        "recipe": "zoom23",
        "networks.generator.args": {"img_size": 32, "embed_dim": 16, "num_heads": 2, "num_layers": 1},
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SQUARED)
def test_a_mean_squared_error_holds_its_elements_where_the_tape_has_a_number(name):
    """ATen's mse_loss resizes an output of the operands' size to a scalar; its storage stays (Loss.cpp)."""
    image = 2 * 3 * 32 * 32 * 4
    held = image - BLOCK
    assert run(SQUARED[name]).gpus[0].live - estimated(SQUARED[name]) == held


def test_a_timm_network_with_its_loader():
    pytest.importorskip("timm")
    step = {
        "recipe": "timm.train", "dialect": "timm", "networks.generator.arch": "vit_tiny_patch16_224",
        "networks.generator.args": {"img_size": 32}, "crop.lq": 32, "prefetch.mode": "prefetcher",
        "optimizers": [{"role": "generator", "type": "SGD", "momentum": 1}],
    }  # fmt: skip
    assert run(step).gpus[0].live == pytest.approx(estimated(step), rel=0.02)


@pytest.mark.parametrize("precision", ["fp16", "bf16"])
def test_half_precision_makes_the_optimizers_state(precision):
    made = []

    class Recipe(
        toys.step(net=lambda: nn.Linear(8, 4), optimizer=("Adam", {}), precision=precision, scaled=True)
    ):
        def __init__(self, step, stage):
            super().__init__(step, stage)
            made.append(self)

        def loss(self, y):
            self.dtype = y.dtype
            return (y * float("inf")).sum()  # GradScaler would skip this step

    assert run({}, recipe=Recipe).outcome == OUTCOME_RAN
    assert made[0].dtype == {"fp16": torch.float16, "bf16": torch.bfloat16}[precision]
    assert "exp_avg" in made[0].sgd.state[made[0].module.weight]


def test_memory_that_runs_out_is_a_result():
    class Recipe(toys.step()):
        count = 0

        def loss(self, y):
            self.count += 1
            if self.count == 2:
                raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB.")
            return y.sum()

    reading = run({}, recipe=Recipe)
    assert (reading.outcome, reading.at_step, reading.phase, reading.gpus) == (
        OUT_OF_MEMORY,
        2,
        "forward",
        (),
    )


def test_memory_that_runs_out_while_building():
    class Recipe(toys.step()):
        def __init__(self, step, stage):
            raise RuntimeError("CUDA error: out of memory")

    assert (run({}, recipe=Recipe).outcome, run({}, recipe=Recipe).at_step) == (OUT_OF_MEMORY, 0)


def test_other_errors_are_no_result():
    class Recipe(toys.step()):
        def loss(self, y):
            raise RuntimeError("shapes do not match")

    with pytest.raises(RuntimeError, match="shapes do not match"):
        run({}, recipe=Recipe)


def test_steps_are_timed_and_the_limit_is_set():
    live = Live()
    gauge = HostMeter(live)
    with live:
        request = Request({}, 2, 2, steps=4, limit=77, benchmark=False, device="cpu")
        reading = measure_step.measure(request, gauge, toys.Step)
    assert (gauge.laps, gauge.limited, reading.at_step) == (5, 77, 4)
    assert reading.seconds > 0
    assert torch.backends.cudnn.benchmark is False


def test_a_limit_reaches_every_gpu(monkeypatch):
    shares = {}
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: SimpleNamespace(total_memory=1000))
    monkeypatch.setattr(
        torch.cuda, "set_per_process_memory_fraction", lambda share, gpu: shares.update({gpu: share})
    )
    gauge = meter.CudaMeter(driver=None)
    gauge.limit(None)
    assert shares == {}
    gauge.limit(250)
    assert shares == {0: 0.25, 1: 0.25}


def test_building_and_the_first_step_are_kept_apart(monkeypatch):
    peaks = iter([900, 1200, 700, 800])
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda _: None)
    monkeypatch.setattr(torch.cuda, "reset_peak_memory_stats", lambda _: None)
    monkeypatch.setattr(torch.cuda, "max_memory_allocated", lambda _: next(peaks))
    monkeypatch.setattr(torch.cuda, "max_memory_reserved", lambda _: 2000)
    monkeypatch.setattr(torch.cuda, "memory_reserved", lambda _: 1500)
    gauge = meter.CudaMeter(driver=SimpleNamespace(memory=lambda _: (1900, "process")))
    for _ in range(4):
        gauge.lap()
    (reading,) = gauge.readings(live=650)
    assert (reading.first, reading.allocated, reading.highest, reading.live) == (1200, 800, 2000, 650)
    assert (reading.smi, reading.context, reading.smi_of) == (1900, 400, "process")


class Nvml:
    """NVML on a machine with one GPU, whose processes are `listed`."""

    class NVMLError(Exception):
        pass

    def __init__(self, listed, *used):
        self.listed, self._used = listed, iter(used)

    def nvmlDeviceGetHandleByIndex(self, index):  # noqa: N802  # NVML's own names
        return index

    def nvmlDeviceGetMemoryInfo(self, _handle):  # noqa: N802  # NVML's own names
        return SimpleNamespace(used=next(self._used))

    def nvmlDeviceGetComputeRunningProcesses(self, _handle):  # noqa: N802  # NVML's own names
        if self.listed is None:
            raise self.NVMLError
        return self.listed

    def nvmlSystemGetDriverVersion(self):  # noqa: N802  # NVML's own names
        return b"570.10"


@pytest.fixture
def one_gpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "_get_nvml_device_index", lambda index: index)
    monkeypatch.setattr(driver.os, "getpid", lambda: 42)


def process(pid, used):
    return SimpleNamespace(pid=pid, usedGpuMemory=used)


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        ([process(7, 100), process(42, 300)], (300, "process")),
        ([process(7, 100)], (900, "device growth")),  # a container: another number
        ([process(42, None)], (900, "device growth")),  # WDDM does not count
        (None, (900, "device growth")),
    ],
)
def test_the_driver_counts_by_process_where_it_can(one_gpu, listed, expected):
    found = driver.Driver(Nvml(listed, 100, 1000))
    assert found.memory(0) == expected
    assert found.version == "570.10"


def test_without_nvml_the_whole_device_counts(monkeypatch):
    monkeypatch.setattr(driver, "_nvml", lambda: None)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda _: (300, 1000))
    found = driver.Driver()
    assert (found.memory(0), found.version) == ((700, "device"), None)


def test_uninitialised_tensors_get_values():
    with no_garbage():
        order = torch.empty(64, dtype=torch.int64)
        share = torch.empty((64, 3), requires_grad=True)
        image = torch.empty(64, dtype=torch.uint8)
        with torch.device("meta"):
            assert torch.empty(3).is_meta
    assert not order.any()
    assert share.requires_grad
    assert 0 <= share.min() < share.max() < 1
    assert image.max() > image.min()


def test_a_stage_on_a_device():
    stage = CudaStage(Layout("none", 2, 2), 7, "cpu")
    assert stage.pool(3, 4).shape == (7, 3, 4)
    assert stage.input(5, dtype=torch.int64).tolist() == [0] * 5
    with torch.device("meta"):
        linear = nn.Linear(2, 2)
    assert stage.register("generator", nn.Linear(2, 2), arch="Linear").weight.device.type == "cpu"
    assert stage.networks[0].parameters == 6
    with pytest.raises(NotImplementedError):
        stage.register("generator", linear)  # nothing on meta can be moved
    with pytest.raises(CannotTraceError, match='unknown precision "fp7"'):
        stage.autocast("fp7")


def test_the_process_says_that_it_needs_a_gpu(monkeypatch):
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    message = {"request": {"step": {}, "batch": 1, "total": 1}, "networks": [], "environment": False}
    done = subprocess.run(
        [sys.executable, "-m", "trainlint.trace.on_gpu.measure_step"],
        input=json.dumps(message), capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert json.loads(done.stdout) == {"error": measure_step.NO_GPU, "kind": "usage"}
    with pytest.raises(UsageError, match="needs an NVIDIA GPU"):
        measure_step.require_gpu()


def test_the_step_that_shows_the_context_runs():
    reading = run(dict(context_request().step), recipe=ContextStep)
    assert (reading.outcome, reading.at_step) == (OUTCOME_RAN, 3)
