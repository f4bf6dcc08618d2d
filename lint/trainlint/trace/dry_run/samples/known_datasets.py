# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""torchvision's small data sets where they are not there and cannot be fetched: their sizes are known.

MNIST, CIFAR and their like are what a program is most often tried with. Images of the same number and size,
all black, with every label in turn, take the same step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import signature
from types import ModuleType
from typing import Any, Final

import torch

from trainlint.trace.dry_run.arrivals import Arrivals

CLASSES: Final = 10
Fill = Callable[[Any, Mapping[str, Any]], None]
"""Gives a data set images and labels, by the arguments that it was made with."""


class KnownDatasets:
    """The data sets that are made up where they are missing."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self.note = note

    def watch(self, arrivals: Arrivals) -> None:
        """Stand by for each data set as soon as its class is there."""
        for module, name, fill in (
            ("mnist", "MNIST", _mnist), ("cifar", "CIFAR10", _cifar), ("svhn", "SVHN", _svhn),
            ("stl10", "STL10", _stl),
        ):  # fmt: skip
            arrivals.after(f"torchvision.datasets.{module}", self._standing_by(name, fill))

    def _standing_by(self, name: str, fill: Fill) -> Callable[[ModuleType], None]:
        def stand_by(module: ModuleType) -> None:
            kind = getattr(module, name)
            kind.__init__ = self._filled(kind.__init__, fill)

        return stand_by

    def _filled(self, truth: Callable[..., None], fill: Fill) -> Callable[..., None]:
        @wraps(truth)
        def init(dataset: Any, *args: Any, **kwargs: Any) -> None:
            try:
                truth(dataset, *args, **kwargs)
            except (RuntimeError, OSError):  # not there, or the network is not
                given = signature(truth).bind(dataset, *args, **kwargs)
                given.apply_defaults()
                fill(dataset, given.arguments)
                self.note(
                    f"there is no {type(dataset).__name__} in {given.arguments['root']}: "
                    "black images of its size are taken"
                )

        return init


def _mnist(dataset: Any, given: Mapping[str, Any]) -> None:
    count = 60_000 if given["train"] else 10_000
    dataset.train = given["train"]
    dataset.data = torch.zeros((count, 28, 28), dtype=torch.uint8, device="cpu")
    dataset.targets = torch.arange(count, device="cpu") % CLASSES


def _cifar(dataset: Any, given: Mapping[str, Any]) -> None:
    count = 50_000 if given["train"] else 10_000
    classes = 100 if "100" in type(dataset).__name__ else CLASSES
    dataset.train = given["train"]
    dataset.data = _black(count, 32, 32, 3)
    dataset.targets = [index % classes for index in range(count)]
    dataset.classes = [str(label) for label in range(classes)]
    dataset.class_to_idx = {name: label for label, name in enumerate(dataset.classes)}


def _svhn(dataset: Any, given: Mapping[str, Any]) -> None:
    count = {"train": 73_257, "extra": 531_131}.get(given["split"], 26_032)
    dataset.split = given["split"]
    dataset.data = _black(count, 3, 32, 32)
    dataset.labels = _labels(count)


def _stl(dataset: Any, given: Mapping[str, Any]) -> None:
    count = {"train": 5_000, "unlabeled": 100_000, "train+unlabeled": 105_000}.get(given["split"], 8_000)
    dataset.split = given["split"]
    dataset.data = _black(count, 3, 96, 96)
    dataset.labels = _labels(count)
    dataset.classes = [str(label) for label in range(CLASSES)]


def _black(*shape: int) -> Any:
    """Return black images as an array; pages that are never written take no memory."""
    return torch.zeros(shape, dtype=torch.uint8, device="cpu").numpy()


def _labels(count: int) -> Any:
    return (torch.arange(count, device="cpu") % CLASSES).numpy()
