# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A batch as a trainer's loader hands it over: on the host, moved to the GPU key by key; no data set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import torch
from torch import Tensor

from trainlint.errors import CannotTraceError
from trainlint.trace.stage import Stage

NAME_KEYS: Final = ("lq_path", "gt_path", "key")
"""Keys whose values are names of files, one for each sample."""
KERNEL_SIDE: Final = 21
"""Side of Real-ESRGAN's blur kernels, which its data sets pad to this."""
KERNEL_KEYS: Final = ("kernel1", "kernel2", "sinc_kernel")
SAME_SIZE_KEYS: Final = {("FFHQBlindJointDataset", "in_large_de"): "in"}
"""Keys of a data set that are resized as another is: sczhou/CodeFormer b33cc7d,
basicsr/data/ffhq_blind_joint_dataset.py, the input of the stage before, degraded more."""


class Host(Tensor):
    """A tensor on the host: moving it to the GPU makes one there, an input of the step."""

    stage: Stage

    def to(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the tensor on the GPU, or as another type on the host."""
        device = kwargs.get("device", next((arg for arg in args if not isinstance(arg, torch.dtype)), None))
        if device is None or torch.device(device).type == "cpu":
            return self
        if kwargs.get("memory_format") is torch.channels_last and self.dim() == 4:  # noqa: PLR2004 - images
            samples, channels, height, width = self.shape
            return self.stage.input(samples, height, width, channels, dtype=self.dtype).permute(0, 3, 1, 2)
        return self.stage.input(*self.shape, dtype=self.dtype)

    def cuda(self, *_args: Any, **_kwargs: Any) -> Tensor:
        """Return the tensor on the GPU."""
        return self.stage.input(*self.shape, dtype=self.dtype)


class Batch(dict[str, Any]):
    """What a step is fed. A key that the training set gives a side for (`in_size`) is a square image.

    Any other that is asked for is refused: nobody knows its shape.
    """

    def __init__(
        self, known: Mapping[str, Any], square: Callable[[int], Tensor], train: Mapping[str, Any]
    ) -> None:
        super().__init__(known)
        self.square, self.train = square, train

    def __missing__(self, key: str) -> Any:
        named = SAME_SIZE_KEYS.get((str(self.train.get("type")), key), key)
        side = self.train.get(f"{named}_size")
        if isinstance(side, int):
            return self.square(side)
        raise CannotTraceError(f'its feed_data takes data["{key}"], whose shape is not known')


def batch_of(step: Mapping[str, Any], stage: Stage, samples: int, train: Mapping[str, Any]) -> Batch:
    """Return a batch of a step's crops, as the training set of these options would deliver it."""
    make = _on_the_gpu(stage) if step.get("prefetch.mode") == "cuda" else _on_the_host(stage)
    frames = (int(step["frames"]),) if "frames" in step else ()
    channels, sides = int(step.get("channels", 3)), {"gt": "crop.hr", "lq": "crop.lq"}
    names = {name: [f"{name}.png"] * samples for name in NAME_KEYS}
    batch = Batch(names, lambda side: make(samples, *frames, channels, side, side), train)
    if "blur_kernel_size2" in train:  # Real-ESRGAN's, which degrades on the GPU
        batch.update({name: make(samples, KERNEL_SIDE, KERNEL_SIDE) for name in KERNEL_KEYS})
        del sides["lq"]
    for name, field in sides.items():
        if field in step:
            side = int(step[field])
            batch[name] = make(samples, *frames, channels, side, side)
    return batch


def _on_the_gpu(stage: Stage) -> Callable[..., Tensor]:
    return lambda *shape: stage.input(*shape, stream=1)


def _on_the_host(stage: Stage) -> Callable[..., Tensor]:
    def make(*shape: int) -> Tensor:
        with stage.aside():
            tensor = torch.empty(shape, device=stage.device).as_subclass(Host)
        tensor.stage = stage
        return tensor

    return make
