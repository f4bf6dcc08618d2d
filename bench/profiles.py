"""Traces the steps whose profiles travel in the wheel: examples/, and the common jobs of the basicsr dialect.

    python bench/profiles.py

Writes lint/trainlint/profiles anew. Each step is traced for one GPU and for DataParallel over two; the batch,
the pool's size and the target are variables of the tape, so they are not listed here.
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


def paired_jobs() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (name, config) of the paired jobs that people train most, set as published."""
    base, by_scale = example("edsr_x2.yml"), ((2, 96), (3, 144), (4, 192))
    table = [(f"edsr_m_x{scale}", {**EDSR_M, "upscale": scale}, scale, gt) for scale, gt in by_scale]
    table += [(f"edsr_l_x{scale}", {**EDSR_L, "upscale": scale}, scale, gt) for scale, gt in by_scale]
    table += [(f"swinir_x{scale}", {**SWINIR, "upscale": scale}, scale, gt) for scale, gt in by_scale[::2]]
    table += [(f"rcan_x{scale}", {**RCAN, "upscale": scale}, scale, gt) for scale, gt in by_scale[::2]]
    table += [(f"msrresnet_x{s}", {**RESNET, "upscale": s}, s, gt) for s, gt in ((2, 64), (3, 96), (4, 128))]
    table += [(f"rrdb_x{scale}", {**RRDB, "scale": scale}, scale, 128) for scale in (1, 2, 4)]
    for scale, convs in ((2, 16), (4, 16), (4, 32)):
        network = {**COMPACT, "num_conv": convs, "upscale": scale}
        table.append((f"compact_x{scale}_{convs}", network, scale, 256))
    for name, network, scale, gt in table:
        yield name, varied(base, scale=scale, network=network, gt=gt, ema=0.999)


def adversarial_jobs() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (name, config) of ESRGAN, SRGAN and Real-ESRGAN's two stages."""
    base, discriminator = example("esrgan_x4.yml"), {**VGG_D, "input_size": 128}
    for name, network, ema in (("esrgan", RRDB, 0.999), ("srgan", {**RESNET, "upscale": 4}, 0)):
        job = varied(base, scale=4, network=network, gt=128, ema=ema)
        yield name, {**job, "network_d": discriminator}
    gan, net = example("realesrgan_x4.yml"), example("realesrnet_x2.yml")
    for scale in (1, 2, 4):
        yield f"realesrgan_x{scale}", real(gan, scale)
        yield f"realesrnet_x{scale}", real(net, scale)
    for gt in (128, 192):
        yield f"realesrgan_x4_gt{gt}", real(gan, 4, gt)
    pairs = {key: value for key, value in real(gan, 4).items() if key != "queue_size"}
    train = {**pairs["datasets"]["train"], "type": "RealESRGANPairedDataset"}
    yield "realesrgan_x4_paired", {**pairs, "high_order_degradation": False, "datasets": {"train": train}}


def main() -> None:
    """Trace everything and say what it takes."""
    shutil.rmtree(PROFILES, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, config in (*paired_jobs(), *adversarial_jobs()):
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
