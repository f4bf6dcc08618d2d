# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""One small step of every recipe's file: it traces, comes back to where it began, and holds its weights."""

from __future__ import annotations

import json
from importlib.util import find_spec

import pytest

from tests.recipes import (
    test_cat,
    test_esr,
    test_gfpgan,
    test_kair,
    test_kair_video,
    test_language,
    test_legacy_gan,
    test_neosr,
    test_peaks,
    test_stylegan2,
    test_system_peaks,
    test_tiles,
    test_video,
)
from trainlint.catalogue.zoo import generated_tables
from trainlint.estimate.replay.gpu_ledger import Samples, check_closed, ledger
from trainlint.trace.trace import trace

PSNR = [{"role": "pixel", "type": "PSNRLoss"}]
NAF = {"enc_blk_nums": [1], "middle_blk_num": 1, "dec_blk_nums": [1], "width": 8}
WINDOWS = {"recipe": "basicsr.ImageCleanModel", "losses": [test_peaks.L1]}
RESTORED = test_peaks.step("ImageRestorationModel", "NAFNet", NAF, 32, 32, losses=PSNR, ema=0)
FACES = {"out_size": 64, "channel_multiplier": 1}
STEPS = {
    "basicsr/recipes/image.py": test_peaks.step("SRModel", "MSRResNet", test_peaks.RGB, 16, 64),
    "basicsr/recipes/gan.py": test_peaks.step(
        "SRGANModel", "MSRResNet", test_peaks.RGB, 32, 128,
        **test_peaks.adversarial("VGGStyleDiscriminator", "conv5_4"),
    ),
    "basicsr/recipes/video.py": test_video.step(
        "EDVRModel", "EDVR", {"num_feat": 16, "num_frame": 5, "num_reconstruct_block": 1}, 5
    ),
    "basicsr/recipes/stylegan2.py": test_stylegan2.step(32),
    "forks/recipes/cat.py": test_cat.STEP,
    "forks/recipes/esr.py": test_esr.STEP,
    "forks/recipes/hat.py": test_tiles.HAT,
    "forks/recipes/mambair.py": {**test_tiles.HAT, "recipe": "basicsr.MambaIRModel"},
    "forks/recipes/nafnet.py": RESTORED,
    "forks/recipes/restormer.py": {**RESTORED, **WINDOWS},
    "gfpgan/recipes/gfpgan.py": test_gfpgan.step(
        {**test_gfpgan.SHIPPED, **FACES}, {},
        **{"crop.hr": 64, "crop.lq": 64, "networks.discriminator.args": FACES,
           "losses": [test_gfpgan.LOSSES[number] for number in (0, 1, 3, 4)]},
    ),
    "kair/recipes/plain.py": {**test_kair.PLAIN, "networks.generator.arch": "msrresnet0",
                              "networks.generator.args": {"upscale": 2}},
    "kair/recipes/gan.py": test_kair.MSR,
    "kair/recipes/usrnet.py": test_kair.denoising(
        "usrnet", {**test_kair.UNROLLED, "n_iter": 1}, 3, recipe="kair.plain4", **{"crop.hr": 96}
    ),
    "kair/recipes/video.py": {**test_kair_video.STEP, "networks.generator.arch": "rvrt",
                              "networks.generator.args": test_kair_video.TINY},
    "legacy/recipes/gan.py": test_legacy_gan.STEP,
    "litgpt/recipes/finetune.py": test_language.LITGPT,
    "neosr/recipes/image.py": test_neosr.step(),
    "redux/recipes/image.py": test_tiles.REDUX,
    "systems/recipes/glfcr.py": test_system_peaks.glfcr("cuda", 16),
    "systems/recipes/vae.py": test_system_peaks.vae(32, "fp32"),
    "systems/recipes/zoom23.py": test_system_peaks.zoom23(32),
    "timm/recipes/train.py": {
        "recipe": "timm.train", "dialect": "timm", "networks.generator.arch": "resnet18",
        "optimizers": [{"role": "generator", "type": "SGD"}],
    },
    "torchtune/recipes/single_device.py": test_language.TUNE,
}  # fmt: skip
ELSEWHERE = {
    "basicsr/recipes/hifacegan.py": "test_hifacegan.py",
    "basicsr/recipes/testing.py": "trains nothing",
    "legacy/recipes/classsr.py": "test_classsr.py",
    "native/recipes/supervised.py": "test_native.py",
    "neosr/recipes/testing.py": "trains nothing",
    "redux/recipes/testing.py": "trains nothing",
    "diffusers/recipes/beside_unet.py": "test_denoiser.py",
    "diffusers/recipes/script_words.py": "test_denoiser.py",
    "diffusers/recipes/script_controlnet.py": "test_denoiser.py",
    "diffusers/recipes/control_transformers.py": "test_denoiser.py",
    "diffusers/recipes/script_mmdit.py": "test_denoiser.py",
    "diffusers/recipes/packed_weights.py": "test_denoiser.py",
    "diffusers/recipes/swapped_blocks.py": "test_denoiser.py",
    "diffusers/recipes/whole_model.py": "test_denoiser.py",
    "diffusers/recipes/denoiser.py": "test_denoiser.py",
    "diffusers/recipes/lycoris_adapters.py": "test_denoiser.py",
    "diffusers/recipes/zeroed_gradients.py": "test_denoiser.py",
    "transformers/recipes/sft.py": "test_language.py",
    "transformers/recipes/trl.py": "test_language.py",
}
"""Files whose networks are a test module's own, and those that only test."""


LONGER = {"basicsr/recipes/stylegan2.py", "kair/recipes/video.py", "systems/recipes/glfcr.py"}
"""Whose steps take over a second; others of their trainers are in the quick set."""


@pytest.mark.parametrize(
    "file", [file if file in LONGER else pytest.param(file, marks=pytest.mark.quick) for file in STEPS]
)
def test_a_small_step_of_every_recipe_traces(file):
    if file.startswith("timm") and find_spec("timm") is None:
        pytest.skip("timm is not installed")
    tape = trace(STEPS[file], verify=False, batches=(2,))
    check_closed(tape)
    size = {"bf16": 2}.get(STEPS[file].get("weights.dtype"), 4)
    weights = size * sum(network.parameters for network in tape.networks)
    assert weights > 0
    assert ledger(tape).peak(Samples(2, 2)).allocated > weights


@pytest.mark.quick
def test_every_file_of_recipes_has_its_step():
    shipped = json.loads(generated_tables.tables()[generated_tables.RECIPE_PLACES])
    assert {each["file"] for each in shipped.values()} == {*STEPS, *ELSEWHERE}
    assert all(shipped[step["recipe"]]["file"] == file for file, step in STEPS.items())
