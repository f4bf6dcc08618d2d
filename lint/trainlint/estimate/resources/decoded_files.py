# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a trainer's data set decodes for one sample: how many files, and of which size."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

PAIRS: Final = frozenset({"pairedimagedataset", "paired", "sr", "super-resolution"})
UNSCALED_KINDS: Final = frozenset({"plain"})
TARGETS: Final = frozenset(
    {
        "realesrgandataset", "otf", "dncnn", "denoising", "ffdnet", "denoising-noiselevel", "fdncnn",
        "denoising-noiselevelmap", "usrnet", "usrgan", "blindsr", "bsrnet", "bsrgan", "jpeg",
    }
)  # fmt: skip
"""Data sets, in small letters, that decode a target and its input whole, those whose input is as large, and
those that decode a target alone: BasicSR's, traiNNer-redux's, neosr's and KAIR's (basicsr/data/,
traiNNer/data/, neosr/data/, KAIR fc1732f data/). What the last do to a crop of it is not counted."""
SCALING_SETS: Final = frozenset({"imagedataset", "images below a folder"})
"""Those that scale what they decoded: timm's (timm/data/dataset.py) and train_vae.py's."""
SHRINKING_SETS: Final = frozenset({"sr without inputs"})
"""Those that shrink the whole target in Python to have its input: KAIR's `sr` without dataroot_L."""

WINDOWS: Final = frozenset({"redsdataset", "vimeo90kdataset", "pairedvideodataset"})
CLIP_SETS: Final = frozenset(
    {
        "redsrecurrentdataset", "vimeo90krecurrentdataset", "videorecurrenttraindataset",
        "videorecurrenttrainvimeodataset",
    }
)  # fmt: skip
CLEAN_CLIPS: Final = frozenset({"videorecurrenttrainnonblinddenoisingdataset"})
"""Those of clips that decode every input and the target of the one in the middle, every input and every
target, and every target alone, each whole before it is cut (BasicSR 8d56e3a basicsr/data/reds_dataset.py and
vimeo90k_dataset.py; KAIR fc1732f data/dataset_video_train.py; traiNNer-redux 6862931)."""
SEPTUPLET_SETS: Final = frozenset({"vimeo90krecurrentdataset", "videorecurrenttrainvimeodataset"})
VIMEO_FRAMES: Final = 7
"""Frames of a clip of Vimeo-90K: what is longer is the same frames again, mirrored or padded."""


class Decoded(Struct, frozen=True):
    """The files of a sample, and the pixels of all of them as multiples of one target's."""

    files: int
    targets: float


def decoded_by(kind: str, frames: int, scale: int) -> Decoded | None:
    """Return what a data set of a kind (in small letters) decodes for a sample; None: it is unknown."""
    size = 1.0 if kind in UNSCALED_KINDS else 1 / scale**2
    frames_decoded = frames_of(kind, min(frames, VIMEO_FRAMES) if kind in SEPTUPLET_SETS else frames)
    if frames_decoded is None and frames == 1:
        frames_decoded = (
            (1, 1)
            if kind in PAIRS | UNSCALED_KINDS
            else (1, 0)
            if kind in TARGETS | SCALING_SETS | SHRINKING_SETS
            else None
        )
    elif kind in CLEAN_CLIPS:
        frames_decoded = frames, 0  # the inputs are made of the targets
    return (
        None
        if frames_decoded is None
        else Decoded(sum(frames_decoded), frames_decoded[0] + frames_decoded[1] * size)
    )


def frames_of(kind: str, frames: int) -> tuple[int, int] | None:
    """Return the targets and inputs in a clip of so many frames; None: the data set is not one of clips."""
    return (1, frames) if kind in WINDOWS else (frames, frames) if kind in CLIP_SETS | CLEAN_CLIPS else None
