# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Trace the same small steps with several versions of torch: whether each still traces, to which figures.

    python -m bench smoke trace FILE         trace the steps with this Python's torch, write the figures
    python -m bench smoke compare FILE...    print them side by side; exit 1 where one is missing or far off

The steps are chosen for what of torch's private names they go through (trace/torch_private.py): autocast
with its cast lists and a scaler, DataParallel's and DistributedDataParallel's buckets, multi-tensor
optimizers, attention, checkpointing, spectral norms, and the files that torch.save writes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bench.commands import parser_of
from bench.corpus.digests import digest_of
from trainlint.errors import CannotTraceError
from trainlint.estimate.replay.gpu_ledger import Samples, ledger

BATCH: Final = 2
TOLERANCE: Final = 0.01
"""The part of a figure by which another torch may differ: some of its operators keep other tensors, and
an optimizer's state has other entries (64 bytes of a file between 2.6 and 2.13)."""

EDSR: Final[dict[str, Any]] = {
    "recipe": "basicsr.SRModel", "dialect": "basicsr", "channels": 3, "scale": 2, "crop.lq": 32,
    "crop.hr": 64, "networks.generator.arch": "EDSR",
    "networks.generator.args": {"num_in_ch": 3, "num_out_ch": 3, "num_feat": 16, "num_block": 2,
                                "upscale": 2},
    "losses": [{"role": "pixel", "type": "L1Loss", "loss_weight": 1}],
    "optimizers": [{"role": "generator", "type": "Adam"}], "ema": 1,
}  # fmt: skip
SWINIR: Final[dict[str, Any]] = EDSR | {
    "networks.generator.arch": "SwinIR",
    "networks.generator.args": {
        "img_size": 32, "embed_dim": 24, "depths": [2, 2], "num_heads": [2, 2], "window_size": 8,
        "upsampler": "pixelshuffle", "upscale": 2,
    },
}  # fmt: skip
ESRGAN: Final[dict[str, Any]] = EDSR | {
    "recipe": "basicsr.ESRGANModel",
    "networks.generator.arch": "MSRResNet",
    "networks.generator.args": {
        "num_in_ch": 3,
        "num_out_ch": 3,
        "num_feat": 16,
        "num_block": 2,
        "upscale": 2,
    },
    "networks.discriminator.arch": "UNetDiscriminatorSN",
    "networks.discriminator.args": {"num_in_ch": 3, "num_feat": 16},
    "losses": [*EDSR["losses"], {"role": "gan", "type": "GANLoss", "gan_type": "vanilla", "loss_weight": 1}],
    "optimizers": [{"role": role, "type": "Adam"} for role in ("generator", "discriminator")],
}
PARAGON: Final[dict[str, Any]] = {
    "recipe": "trainner-redux.SRModel", "dialect": "trainner-redux", "channels": 3, "scale": 4, "crop.lq": 32,
    "crop.hr": 128, "precision": "fp16", "channels_last": True,
    "networks.generator.arch": "paragonsr2_nano@v5",
    "networks.generator.args": {"scale": 4, "use_attention": True},
    "losses": [{"role": "l1", "type": "l1loss", "loss_weight": 1}],
    "optimizers": [{"role": "generator", "type": "AdamW"}],
    "options": {"save_checkpoint_format": "safetensors"},
}  # fmt: skip
STEPS: Final[Mapping[str, Mapping[str, Any]]] = {
    "convolutions": EDSR,
    "DataParallel": EDSR | {"parallel": "dp"},
    "DistributedDataParallel": EDSR | {"parallel": "ddp"},
    "window attention": SWINIR,
    "checkpointing": SWINIR
    | {"networks.generator.args": SWINIR["networks.generator.args"] | {"use_checkpoint": True}},
    "two networks, spectral norms": ESRGAN,
    "fp16, channels last, attention": PARAGON,
    "bf16 and validation": PARAGON | {"precision": "bf16", "validation": (48, 40)},
}


def figures(step: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a step's tape says: peak bytes of each GPU, events, bytes of files, and its digest."""
    from trainlint.trace.trace import trace  # noqa: PLC0415 - imports torch

    wanted = {key: value for key, value in step.items() if key != "validation"}
    options = {"validation": step["validation"]} if "validation" in step else {}
    try:
        tape = trace(wanted, batches=(BATCH,), **options)
    except CannotTraceError as error:
        return {"error": f"{type(error).__name__}: {error}"}
    total = BATCH * tape.devices
    peaks = [
        ledger(tape, device).peak(Samples(BATCH, total, total)).allocated for device in range(tape.devices)
    ]
    files = sum(file.size for file in tape.files)
    return {"peaks": peaks, "events": len(tape.events), "files": files, "digest": digest_of(tape)}


def trace_all(out: Path) -> None:
    """Write the figures of every step."""
    import torch  # noqa: PLC0415 - not where figures are compared

    found = {"torch": torch.__version__, "steps": {name: figures(step) for name, step in STEPS.items()}}
    out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def differences(paths: Sequence[Path]) -> int:
    """Print each step's figures under every torch; return how many are missing or far from the first's."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    wrong = 0
    for name in STEPS:
        print(name)
        reference = found[0]["steps"].get(name, {})
        for each in found:
            row = each["steps"].get(name, {})
            bad = _off(reference, row)
            wrong += bool(bad)
            same = "same tape" if row.get("digest") == reference.get("digest") else "another tape"
            shown = row.get("error") or f"{row.get('peaks')} bytes, {row.get('events')} events, {same}"
            print(f"  {each['torch']:>14}  {shown}{'  <- ' + bad if bad else ''}")
    return wrong


def _off(reference: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    if "peaks" not in row or "peaks" not in reference:
        return "not traced"
    names = (*(f"GPU {device}" for device in range(len(reference["peaks"]))), "files")
    here, there = (*reference["peaks"], reference["files"]), (*row["peaks"], row["files"])
    apart = zip(names, (new / old - 1 for old, new in zip(here, there, strict=True)), strict=True)
    return ", ".join(f"{name}: {100 * part:+.2f} %" for name, part in apart if abs(part) > TOLERANCE)


def main() -> int:
    """Do what the first argument says."""
    parser = parser_of(__doc__)
    parser.add_argument("task", choices=("trace", "compare"))
    parser.add_argument("files", type=Path, nargs="+")
    args = parser.parse_args()
    if args.task == "compare":
        return 1 if differences(args.files) else 0
    trace_all(args.files[0])
    return 0
