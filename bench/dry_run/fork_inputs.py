# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Make what own configs of docs/forks.md read and `--data` does not make: clips, a stage's weights.

    PYTHONPATH=.:lint python -m bench fork_inputs clips FOLDER NAME [NAME ...]
    PYTHONPATH=.:lint python -m bench fork_inputs scenes FOLDER
    PYTHONPATH=.:lint python -m bench fork_inputs haze FOLDER
    PYTHONPATH=REPOSITORY:.:lint python -m bench fork_inputs weights OPTIONS WEIGHTS

Retinexformer's SDSD, SID and SMID sets are folders of clips, whose frames are .npy files; each NAME becomes
one of eight frames. traiNNer-redux's clips are pictures whose names begin with their scene's, X-Restormer's
hazy pictures such whose names begin with the clear one's. ESC's x3 and x4 start from the weights that its x2
saved: made are those of the network that OPTIONS names, untrained, as BasicSR saves them. That python has
numpy and Pillow, or what the repository needs.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from bench.commands import parser_of

FRAMES = 8
HEIGHT, WIDTH = 512, 960
"""As the options have them (`train_size`), so that nothing is scaled."""


def main() -> None:
    """Make one of the four."""
    parser = parser_of(__doc__)
    kinds = parser.add_subparsers(required=True)
    clips = kinds.add_parser("clips")
    clips.add_argument("folder", type=Path)
    clips.add_argument("names", nargs="+")
    clips.set_defaults(make=_clips)
    scenes = kinds.add_parser("scenes")
    scenes.add_argument("folder", type=Path)
    scenes.set_defaults(make=_scenes)
    haze = kinds.add_parser("haze")
    haze.add_argument("folder", type=Path)
    haze.set_defaults(make=_haze)
    weights = kinds.add_parser("weights")
    weights.add_argument("options", type=Path)
    weights.add_argument("weights", type=Path)
    weights.set_defaults(make=_weights)
    arguments = parser.parse_args()
    arguments.make(arguments)


def _clips(arguments: argparse.Namespace) -> None:
    chance = np.random.default_rng(0)
    for name in arguments.names:
        clip = arguments.folder / name
        clip.mkdir(parents=True, exist_ok=True)
        for number in range(FRAMES):
            np.save(clip / f"{number:04}.npy", chance.integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8))


def _scenes(arguments: argparse.Namespace) -> None:
    for kind, side in (("hr", 512), ("lr", 128)):
        _pictures(arguments.folder / kind, "scene_{:04}.png", side)


def _haze(arguments: argparse.Namespace) -> None:
    for kind, name in (("clear", "{}.png"), ("hazy", "{}_1_0.9.png")):
        _pictures(arguments.folder / kind, name, 512)


def _pictures(folder: Path, name: str, side: int) -> None:
    from PIL import Image  # noqa: PLC0415

    chance = np.random.default_rng(0)
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(4 * FRAMES):
        picture = Image.fromarray(chance.integers(0, 256, (side, side, 3), dtype=np.uint8))
        picture.save(folder / name.format(number))


def _weights(arguments: argparse.Namespace) -> None:
    import esc.archs  # noqa: F401, PLC0415 - the repository's own, which fills BasicSR's registry
    import torch  # noqa: PLC0415
    import yaml  # noqa: PLC0415
    from basicsr.archs import build_network  # noqa: PLC0415

    options = yaml.safe_load(arguments.options.read_text(encoding="utf-8"))
    state = build_network(options["network_g"]).state_dict()
    arguments.weights.parent.mkdir(parents=True, exist_ok=True)
    torch.save({"params": state, "params_ema": state}, arguments.weights)


if __name__ == "__main__":
    main()
