# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Holds spandrel's networks against those of the same name here: whether a training step keeps as many bytes.

    python -m bench spandrel_twins [--only NAME ...]

Both are traced through BasicSR's PSNR step in fp32 and under autocast, at one sample and at two to three,
alone and under DataParallel, and with checkpointing where ours has it. Printed is the difference of the
peaks in percent (spandrel's over ours), "=" for the same tape to the byte, or why spandrel's cannot be
traced. Needs spandrel, and so torchvision.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bench.commands import parser_of
from bench.corpus.digests import digest_of
from trainlint.errors import TrainlintError
from trainlint.estimate.replay.gpu_ledger import Samples, ledger
from trainlint.trace.building.build import networks_of
from trainlint.trace.building.library_builders import _RealRates
from trainlint.trace.trace import trace


@dataclass(frozen=True)
class Twin:
    """One network here and in spandrel: `place` is its module and class, `renamed` its argument names.

    "" leaves an argument out; `checkpointing` is the argument that switches it on.
    """

    dialect: str
    arch: str
    place: str
    args: Mapping[str, Any]
    renamed: Mapping[str, str] = field(default_factory=dict)
    scale: int = 4
    checkpointing: str = ""


SMALL = {"embed_dim": 60, "depths": [6, 6], "num_heads": [6, 6], "window_size": 8, "mlp_ratio": 2}
SR = {"num_in_ch": 3, "num_out_ch": 3, "num_feat": 64, "upscale": 4}
WINDOWS = {**SMALL, "upscale": 4, "img_size": 64, "upsampler": "pixelshuffle", "resi_connection": "1conv"}
HAT = {"compress_ratio": 3, "squeeze_factor": 30, "conv_scale": 0.01, "overlap_ratio": 0.5}
DAT = {
    "upscale": 4, "img_size": 64, "embed_dim": 60, "depth": [2, 2], "num_heads": [6, 6],
    "split_size": [8, 16], "expansion_factor": 2.0,
}  # fmt: skip
ATD = {"num_tokens": 64, "reducted_dim": 8, "convffn_kernel_size": 5, "category_size": 128}
PLKSR = {
    "dim": 64,
    "n_blocks": 28,
    "upscaling_factor": 4,
    "ccm_type": "DCCM",
    "kernel_size": 17,
    "split_ratio": 0.25,
}
RRDB = {"num_in_ch": 3, "num_out_ch": 3, "scale": 4}
TWINS: Mapping[str, Twin] = {
    "HAT": Twin("basicsr", "HAT", "HAT.__arch.HAT:HAT", {**WINDOWS, **HAT}, checkpointing="use_checkpoint"),
    "SwinIR": Twin(
        "basicsr", "SwinIR", "SwinIR.__arch.SwinIR:SwinIR", WINDOWS, checkpointing="use_checkpoint"
    ),
    "DAT": Twin("basicsr", "DAT", "DAT.__arch.DAT:DAT", DAT, checkpointing="use_chk"),
    "ATD": Twin(
        "basicsr", "ATD", "ATD.__arch.atd_arch:ATD", {**WINDOWS, **ATD}, checkpointing="use_checkpoint"
    ),
    "DRCT": Twin(
        "basicsr", "DRCT", "DRCT.__arch.drct_arch:DRCT", {**WINDOWS, "gc": 32}, checkpointing="use_checkpoint"
    ),
    "RRDBNet": Twin(
        "basicsr",
        "RRDBNet",
        "ESRGAN.__arch.RRDB:RRDBNet",
        RRDB,
        {"num_in_ch": "in_nc", "num_out_ch": "out_nc"},
    ),
    "SRVGG": Twin("basicsr", "SRVGGNetCompact", "Compact.__arch.SRVGG:SRVGGNetCompact", SR),
    "NAFNet": Twin("basicsr", "NAFNet", "NAFNet.__arch.NAFNet_arch:NAFNet", {"width": 16}, scale=1),
    "OmniSR": Twin("trainner-redux", "omnisr", "OmniSR.__arch.OmniSR:OmniSR", {"res_num": 5}),
    "PLKSR": Twin("basicsr", "PLKSR", "PLKSR.__arch.PLKSR:PLKSR", PLKSR),
    "RealPLKSR": Twin(
        "trainner-redux",
        "realplksr",
        "PLKSR.__arch.RealPLKSR:RealPLKSR",
        {"scale": 4, "layer_norm": True},
        {"scale": "upscaling_factor"},
    ),
    "SAFMN": Twin("basicsr", "SAFMN", "SAFMN.__arch.safmn:SAFMN", {"dim": 36, "upscaling_factor": 4}),
    "SPAN": Twin(
        "trainner-redux",
        "span",
        "SPAN.__arch.span:SPAN",
        {"num_in_ch": 3, "num_out_ch": 3, "feature_channels": 48},
    ),
    "FDAT": Twin("trainner-redux", "fdat", "FDAT.__arch.fdat:FDAT", {"upsampler_type": "transpose+conv"}),
    "MoESR": Twin("trainner-redux", "moesr2", "MoESR.__arch.MoESR:MoESR", {}),
    "RealCUGAN": Twin(
        "trainner-redux",
        "realcugan",
        "RealCUGAN.__arch.upcunet_v3:UpCunet2x",
        {"scale": 2},
        {"scale": ""},
        scale=2,
    ),
    "DnCNN": Twin("kair", "dncnn", "DnCNN.__arch.network_dncnn:DnCNN", {"in_nc": 3, "out_nc": 3}, scale=1),
}
CASES: Mapping[str, tuple[dict[str, Any], tuple[int, ...]]] = {
    "fp32": ({}, (2, 3)),
    "fp16": ({"precision": "fp16"}, (2, 3)),
    "one": ({}, (1,)),
    "dp": ({"parallel": "dp"}, (2, 3)),
}


def step_of(twin: Twin, args: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return BasicSR's PSNR step on 64x64 inputs around one network."""
    return {
        "recipe": "basicsr.SRModel", "dialect": twin.dialect, "scale": twin.scale, "channels": 3,
        "crop.hr": 64 * twin.scale, "crop.lq": 64, "networks.generator.arch": twin.arch,
        "networks.generator.args": dict(args),
        "losses": [{"role": "pixel", "type": "L1Loss", "loss_weight": 1.0, "reduction": "mean"}],
        "optimizers": [{"role": "generator", "type": "Adam"}], "ema": 0.999, "precision": "fp32",
        "parallel": "none", "options": {}, **changes,
    }  # fmt: skip


def compared(twin: Twin, case: str, extra: Mapping[str, Any]) -> str:
    """Return the difference of one network in one case."""
    changes, batches = CASES[case]
    step = step_of(twin, {**twin.args, **extra}, changes)
    module, _, attribute = twin.place.partition(":")
    theirs = getattr(importlib.import_module(f"spandrel.architectures.{module}"), attribute)

    def build(_dialect: str, arch: str, args: Mapping[str, Any]) -> Any:
        named = ((twin.renamed.get(name, name), value) for name, value in args.items())
        if arch != twin.arch:
            return None
        with _RealRates():
            return theirs(**{name: value for name, value in named if name})

    try:
        mine = trace(step, batches=batches, verify=False)
        with networks_of(build):
            other = trace(step, batches=batches, verify=False)
    except (TrainlintError, TypeError) as error:
        return f"{type(error).__name__}: {error}"[:90]
    if mine.networks[0].parameters != other.networks[0].parameters:
        return f"{other.networks[0].parameters:,} for {mine.networks[0].parameters:,} parameters"
    if digest_of(mine) == digest_of(other):
        return "="
    samples = Samples(batches[0], batches[0] * (2 if "parallel" in changes else 1), 0)
    peaks = [ledger(tape).peak(samples).allocated for tape in (mine, other)]
    return f"{100 * (peaks[1] / peaks[0] - 1):+.4f}"


def main() -> None:
    """Compare the networks that are named, or all."""
    parser = parser_of(__doc__)
    parser.add_argument("--only", nargs="*", default=list(TWINS))
    for name in parser.parse_args().only:
        twin = TWINS[name]
        found = [f"{case} {compared(twin, case, {})}" for case in CASES]
        if twin.checkpointing:
            found.append(f"checkpointing {compared(twin, 'fp32', {twin.checkpointing: True})}")
        print(f"{name}: {', '.join(found)}", flush=True)
