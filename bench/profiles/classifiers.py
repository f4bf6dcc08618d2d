# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Traces the steps of image classifiers that travel in the wheel: timm's usual networks and settings.

    python -m bench classifiers               trace what is missing or outdated; may be stopped
    python -m bench classifiers --only TEXT   only those whose command has this text ("resnet50 ")
    python -m bench classifiers --check       trace nothing, exit 1 and name what is missing

Needs torch, torchvision and timm; a step takes about two seconds. The networks are those with the most
downloads on the Hugging Face hub and those of timm's own commands (huggingface.co/docs/timm/training_script),
the settings those commands' and DeiT's (arXiv:2012.12877, table 9), each for one process and for several.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bench.commands import parser_of
from bench.profiles.build import PROFILES, asked
from trainlint.estimate.tapes.stored_profiles import Store

CONVOLUTIONS: Final = (
    "resnet18", "resnet34", "resnet50", "resnet101", "resnet152", "resnext50_32x4d", "wide_resnet50_2",
    "seresnet50", "resnetv2_50", "regnety_032", "densenet121", "vgg16", "mobilenetv2_100",
    "mobilenetv3_large_100", "convnext_tiny", "convnext_small", "convnext_base",
)  # fmt: skip
SCALED: Final = (
    "efficientnet_b0", "efficientnet_b1", "efficientnet_b2", "efficientnet_b3", "efficientnet_b4",
    "efficientnetv2_rw_s", "tf_efficientnetv2_s",
)  # fmt: skip
TRANSFORMERS: Final = (
    "vit_tiny_patch16_224", "vit_small_patch16_224", "vit_base_patch16_224", "vit_base_patch32_224",
    "vit_large_patch16_224", "deit_tiny_patch16_224", "deit_small_patch16_224", "deit_base_patch16_224",
    "swin_tiny_patch4_window7_224", "swin_small_patch4_window7_224", "swin_base_patch4_window7_224",
)  # fmt: skip
PRECISION_FLAGS: Final = ("", "--amp", "--amp --channels-last")
"""train.py's own optimizer and loss: SGD with momentum, smoothed labels."""
LARGE_BATCH: Final = ("--opt lamb --bce-loss --smoothing 0 --mixup 0.1 --cutmix 1.0 --amp",)
"""ResNet strikes back (arXiv:2110.00476), procedures A1 to A3."""
MOVING: Final = ("--opt rmsproptf --opt-eps .001 --model-ema --drop 0.2 --aa rand-m9-mstd0.5 --amp",)
"""timm's commands for EfficientNets."""
MIXED: Final = (
    "--opt adamw --mixup 0.8 --cutmix 1.0 --amp",
    "--opt adamw --mixup 0.8 --cutmix 1.0 --amp --amp-dtype bfloat16",
    "--opt adamw --mixup 0.8 --cutmix 1.0 --amp --model-ema",
    "--opt adamw --amp",
    "--opt adamw",
)
SETTINGS: Final = (
    (CONVOLUTIONS, (*PRECISION_FLAGS, *LARGE_BATCH, MIXED[0])),
    (SCALED, (*PRECISION_FLAGS, *MOVING)),
    (TRANSFORMERS, MIXED),
)
STARTS: Final = ("python train.py", "torchrun --nproc_per_node 2 train.py")
HEAD: Final = "--data-dir data/imagenet -b 16 --epochs 100"
TARGETS: Final = ("hf-space-l40s-x4", "kaggle-t4x2")
"""Several GPUs each; those of the second have other attention kernels."""


def jobs() -> Iterator[str]:
    """Yield the commands."""
    for models, settings in SETTINGS:
        for model in models:
            for given in settings:
                for start in STARTS:
                    yield f"{start} {HEAD} --model {model} {given}".rstrip()


def main() -> int:
    """Trace, or check."""
    parser = parser_of(__doc__)
    parser.add_argument("--only", default="", help="only commands that have this text")
    parser.add_argument("--check", action="store_true", help="trace nothing")
    given, store, missing = parser.parse_args(), Store(PROFILES, "shipped"), 0
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "train.sh"
        for command in (command for command in jobs() if given.only in command):
            script.write_text(f"{command}\n", encoding="utf-8")
            begun = time.process_time()
            if given.check:
                if not asked((script, TARGETS), store, may_trace=False):
                    missing += 1
                    print(f"{command}: no profile")
                continue
            tapes = asked((script, TARGETS), store, may_trace=True)
            sizes = [store.save(tape).stat().st_size for tape in tapes if tape.source == "traced"]
            if sizes:
                taken = time.process_time() - begun
                print(f"{command}: {len(sizes)}, {sum(sizes) / 1000:.0f} kB, {taken:.0f} s", flush=True)
    return 1 if missing else 0
