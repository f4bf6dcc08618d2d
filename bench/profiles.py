"""Traces the steps whose profiles travel in the wheel: examples/, and the common jobs of the basicsr dialect.

    python bench/profiles.py

Writes lint/trainlint/profiles anew. Each step is traced for one GPU and for DataParallel over two; the batch, the
pool's size and the target are variables of the tape, so they are not listed here.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
PROFILES = ROOT / "lint" / "trainlint" / "profiles"
TARGETS = ("rtx-4090", "kaggle-t4x2")

RRDB = {
    "type": "RRDBNet",
    "num_in_ch": 3,
    "num_out_ch": 3,
    "num_feat": 64,
    "num_block": 23,
    "num_grow_ch": 32,
}
RESNET = {"type": "MSRResNet", "num_in_ch": 3, "num_out_ch": 3, "num_feat": 64, "num_block": 16}
EDSR = {
    "type": "EDSR",
    "num_in_ch": 3,
    "num_out_ch": 3,
    "img_range": 255.0,
    "rgb_mean": [0.4488, 0.4371, 0.4040],
}
EDSR_M = {**EDSR, "num_feat": 64, "num_block": 16, "res_scale": 1}
EDSR_L = {**EDSR, "num_feat": 256, "num_block": 32, "res_scale": 0.1}
COMPACT = {"type": "SRVGGNetCompact", "num_in_ch": 3, "num_out_ch": 3, "num_feat": 64, "act_type": "prelu"}
SWINIR = {
    "type": "SwinIR", "in_chans": 3, "img_size": 48, "window_size": 8, "img_range": 1.0,
    "depths": [6] * 6, "embed_dim": 180, "num_heads": [6] * 6, "mlp_ratio": 2,
    "upsampler": "pixelshuffle", "resi_connection": "1conv",
}  # fmt: skip
RCAN = {
    "type": "RCAN", "num_in_ch": 3, "num_out_ch": 3, "num_feat": 64, "num_group": 10, "num_block": 20,
    "squeeze_factor": 16, "res_scale": 1, "img_range": 255.0, "rgb_mean": [0.4488, 0.4371, 0.4040],
}  # fmt: skip
VGG_D = {"type": "VGGStyleDiscriminator", "num_in_ch": 3, "num_feat": 64}
PIXEL = {"pixel_opt": {"type": "L1Loss", "loss_weight": 1.0, "reduction": "mean"}}


def example(name: str) -> dict[str, Any]:
    """Return one of examples/ as a mapping to vary."""
    return yaml.safe_load((ROOT / "examples" / name).read_text(encoding="utf-8"))


def varied(
    base: dict[str, Any], *, scale: int, network: dict[str, Any], gt: int, ema: float
) -> dict[str, Any]:
    """Return a paired job of another network, scale and crop."""
    data = {"train": {**base["datasets"]["train"], "gt_size": gt}}
    train = {**base["train"], "ema_decay": ema}
    return {**base, "scale": scale, "network_g": network, "datasets": data, "train": train}


def real(base: dict[str, Any], scale: int, gt: int = 256) -> dict[str, Any]:
    """Return a Real-ESRGAN job at another scale or crop."""
    return {**base, "scale": scale, "gt_size": gt, "network_g": {**RRDB, "scale": scale}}


def jobs() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (name, config) of what people train most, by the published option files' settings."""
    pair, gan = example("edsr_x2.yml"), example("esrgan_x4.yml")
    for scale, gt in ((2, 96), (3, 144), (4, 192)):
        for name, network in (("edsr_m", EDSR_M), ("edsr_l", EDSR_L)):
            yield (
                f"{name}_x{scale}",
                varied(pair, scale=scale, network={**network, "upscale": scale}, gt=gt, ema=0.999),
            )
    for scale, gt in ((2, 64), (3, 96), (4, 128)):
        yield (
            f"msrresnet_x{scale}",
            varied(pair, scale=scale, network={**RESNET, "upscale": scale}, gt=gt, ema=0.999),
        )
    for scale, gt in ((2, 96), (4, 192)):
        yield (
            f"swinir_x{scale}",
            varied(pair, scale=scale, network={**SWINIR, "upscale": scale}, gt=gt, ema=0.999),
        )
    for scale, gt in ((2, 96), (4, 192)):
        yield (
            f"rcan_x{scale}",
            varied(pair, scale=scale, network={**RCAN, "upscale": scale}, gt=gt, ema=0.999),
        )
    for scale, convs in ((2, 16), (4, 16), (4, 32)):
        network = {**COMPACT, "num_conv": convs, "upscale": scale}
        yield f"compact_x{scale}_{convs}", varied(pair, scale=scale, network=network, gt=256, ema=0.999)
    for scale in (1, 2, 4):
        yield f"rrdb_x{scale}", varied(pair, scale=scale, network={**RRDB, "scale": scale}, gt=128, ema=0.999)
    for name, network, ema in (("esrgan", RRDB, 0.999), ("srgan", {**RESNET, "upscale": 4}, 0)):
        yield (
            name,
            {
                **varied(gan, scale=4, network=network, gt=128, ema=ema),
                "network_d": {**VGG_D, "input_size": 128},
            },
        )
    for scale in (1, 2, 4):
        yield f"realesrgan_x{scale}", real(example("realesrgan_x4.yml"), scale)
        yield f"realesrnet_x{scale}", real(example("realesrnet_x2.yml"), scale)
    for gt in (128, 192):
        yield f"realesrgan_x4_gt{gt}", real(example("realesrgan_x4.yml"), 4, gt)
    paired = real(example("realesrgan_x4.yml"), 4)
    del paired["queue_size"]
    train = {**paired["datasets"]["train"], "type": "RealESRGANPairedDataset"}
    yield "realesrgan_x4_paired", {**paired, "high_order_degradation": False, "datasets": {"train": train}}


def main() -> None:
    """Trace everything and say what it takes."""
    shutil.rmtree(PROFILES, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, config in jobs():
            config = {**config, "name": name, "num_gpu": "auto"}  # noqa: PLW2901
            Path(folder, f"{name}.yml").write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
        targets = [word for target in TARGETS for word in ("--target", target)]
        subprocess.run(
            [sys.executable, "-m", "trainlint", "trace", str(ROOT / "examples"), folder,
             "--profiles-dir", str(PROFILES), *targets],
            check=True,
        )  # fmt: skip
    sizes = [path.stat().st_size for path in PROFILES.glob("*.tape")]
    print(f"{len(sizes)} profiles, {sum(sizes) / 1000:.0f} kB, the largest {max(sizes) / 1000:.1f} kB")


if __name__ == "__main__":
    main()
