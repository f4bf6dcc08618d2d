# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A look at the images and weights that a config names: a sample's headers, and which tensors there are.

Only regular files below one folder that the user names, through no link; nothing of their content is quoted.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from math import isqrt
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from trainlint.data_headers.allowed_folder import Below
from trainlint.data_headers.captioned_images import captioned
from trainlint.data_headers.folder_listing import Folders
from trainlint.data_headers.paired_names import lists, paired, template_of
from trainlint.data_headers.sample_count import samples
from trainlint.data_headers.tensor_shapes import shapes
from trainlint.model.job import Job

SAMPLED_PAIRS: Final = 32
"""Pairs that are looked at, evenly over the names: one wrong pair in ten is met with 97 % (1 - 0.9^32)."""

MOST_IMAGES: Final = 2_000
"""Of a validation set, whose headers are all read; DIV2K's has 100, GoPro's 1,111."""

WHOLE_IMAGE_SETS: Final = ("pairedimagedataset", "singleimagedataset", "singlelqdataset", "paired", "single")
"""Data sets that give validation and tests whole images: basicsr/data, traiNNer/data (whose registry folds
names), the last two neosr/data."""

LIST_FILE_KEYS: Final = ("meta_info_file", "meta_info")
"""Keys of a list of files, which a set then has instead of its whole folder."""

NESTED_FOLDERS_DIALECT: Final = "trainner-redux"
"""The dialect whose sets go into folders in their folders (traiNNer/data/single_image_dataset.py)."""

SPLITS: Final = ("train", "training")
"""Folders in which timm looks for its training images first (timm/data/dataset_factory.py)."""

SUFFIXES: Final = (".png", ".jpg", ".jpeg")

DATABASE: Final = "data.mdb"
"""What lmdb calls the file of a database that is a folder."""

STATE_KEYS: Final = ("epoch", "iter", "optimizers", "schedulers")
"""Keys of a training state that resuming reads (basicsr/train.py, basicsr/models/base_model.py)."""

STATE_OF_FORKS: Final = ("best_metric",)
"""Keys that some forks' train.py reads of it besides, as their own source says (Retinexformer ad5c091)."""

TABLE: Final = ".attn.relative_position_bias_table"
"""A window's attention keeps (2 x window - 1) squared rows (swinir_arch.py, hat_arch.py)."""


class Look(Struct, frozen=True):
    """Looks below `root`; `values` are what rules see as `data.<name>`."""

    root: Path

    @property
    def _files(self) -> Below:
        return Below(self.root)

    def values(self, job: Job) -> dict[str, Any]:
        """Return what is known of a job's data and weights; nothing where it names none that is there."""
        folders = Folders(self.root)
        unread: list[str] = []
        values = {
            **self._pairs(job, folders, unread),
            **self._targets(job, folders),
            **self._weights(job, unread),
            **self._state(job, unread),
            **self._image(job, folders),
            **captioned(job, self._files, folders),
            **self._texts(job),
        }
        if (count := samples(job, _train(job), self._files, folders)) is not None:
            values["samples"] = count
        if folders.empty and not values:
            values["empty"] = "; ".join(folders.empty)
        unread = [*folders.unlisted, *unread]
        return {**values, **({"unlisted": "; ".join(unread)} if unread else {})}

    def _targets(self, job: Job, folders: Folders) -> dict[str, Any]:
        """Return how large the training targets are on average, and the share of JPEG files among them.

        Of a database (lmdb) its bytes.
        """
        named = _train(job).get("dataroot_gt", job.spec.get("data.root"))
        folder = self._files.folder(named[0] if isinstance(named, list) and len(named) == 1 else named)
        if folder is None:
            return {}
        if (database := self._files.open(folder / DATABASE)) is not None:
            with database:
                return {"database": os.fstat(database.fileno()).st_size}
        names = _images(folders, folder) or self._below(folders, folder)
        sizes = {
            name: self._files.size(folder / name)
            for name in names[:: max(len(names) // SAMPLED_PAIRS, 1)][:SAMPLED_PAIRS]
        }
        areas = {name: size[0] * size[1] for name, size in sizes.items() if size is not None}
        if not areas:
            return {}
        jpegs = sum(not name.lower().endswith(".png") for name in areas) / len(areas)
        return {"pixels": round(sum(areas.values()) / len(areas)), "jpegs": jpegs}

    def _texts(self, job: Job) -> dict[str, Any]:
        """Return what is known of a language model's samples and of its tokenizer."""
        if "model.base" not in job.spec:
            return {}
        from trainlint.data_headers.text_samples import texts_seen  # noqa: PLC0415 - of language models

        return texts_seen(job, self._files)

    def _below(self, folders: Folders, folder: Path) -> list[str]:
        """Return an image each of some folders below one, evenly chosen; of its split's, where it has one."""
        splits = folders.folders(folder)
        split = next((name for name in SPLITS if name in splits), "")
        names = folders.folders(folder / split)
        chosen = [Path(split, name) for name in names[:: max(len(names) // SAMPLED_PAIRS, 1)][:SAMPLED_PAIRS]]
        below = [name for name in chosen if self._files.holds(folder / name)]
        images_of = {name: _images(folders, folder / name) for name in below}
        return [str(name / images[len(images) // 2]) for name, images in images_of.items() if images]

    def _pairs(self, job: Job, folders: Folders, unread: list[str]) -> dict[str, Any]:
        train = _train(job)
        gt, lq = (self._files.folder(train.get(key)) for key in ("dataroot_gt", "dataroot_lq"))
        scale = job.spec.get("scale")
        if gt is None or lq is None:
            return {}
        around = (self.root, gt, lq)
        pairs = lists(self._files.open, self._files.may_have, folders.files, around, train, unread=unread)
        template = template_of(train)
        if template is None or not isinstance(scale, int):
            return pairs
        names = _images(folders, gt)
        step = max(len(names) // SAMPLED_PAIRS, 1)
        looked, uneven, smallest = 0, [], 1 << 30
        for name in names[::step][:SAMPLED_PAIRS]:
            large, small = self._files.size(gt / name), self._files.size(lq / paired(name, template))
            if large is None or small is None:
                continue
            looked += 1
            smallest = min(smallest, *large)
            if large != (small[0] * scale, small[1] * scale):
                uneven.append(name)
        if not looked:
            return pairs
        first = {"uneven_first": uneven[0]} if uneven else {}
        sizes = {"pairs": looked, "uneven": len(uneven), "smallest": smallest, "images": len(names)}
        return {**pairs, **sizes, **first}

    def _state(self, job: Job, unread: list[str]) -> dict[str, Any]:
        """Return which keys that resuming reads the training state lacks; nothing if it is not read."""
        state = self._files.tensors(job.spec.get("resume"), unread)
        if state is None:
            return {}
        source = job.trainer.source if job.trainer is not None else None
        own = [key for key in STATE_OF_FORKS if source is not None and source.reads(key)]
        return {"state_lacks": [key for key in (*STATE_KEYS, *own) if key not in state]}

    def _image(self, job: Job, folders: Folders) -> dict[str, Any]:
        """Return the size of the largest image of validation or a test; nothing if one is unknown."""
        value = job.document.value
        datasets = value.get("datasets") if isinstance(value, Mapping) else None
        sets = datasets.items() if isinstance(datasets, Mapping) else ()
        used = [folder for name, folder in sets if job.tests or str(name).startswith("val")]
        read = [
            self._largest(folder, folders, deep=job.dialect.id == NESTED_FOLDERS_DIALECT) for folder in used
        ]
        known = [size for size in read if size is not None]
        if not known or len(known) < len(read):
            return {}
        return {"image": max(known, key=lambda size: size[0] * size[1])}

    def _largest(self, options: Any, folders: Folders, *, deep: bool) -> tuple[int, int] | None:
        """Return the largest size in a set's folders of inputs; None if any file's is not read.

        `deep`: folders in them belong to the set, and are not looked into.
        """
        named = options if isinstance(options, Mapping) else {}
        backend = named.get("io_backend", {"type": "disk"})
        on_disk = isinstance(backend, Mapping) and backend.get("type") == "disk"
        whole = str(named.get("type")).lower() in WHOLE_IMAGE_SETS
        if not on_disk or not whole or any(named.get(key) for key in LIST_FILE_KEYS):
            return None
        roots = named.get("dataroot_lq")
        read = [self._files.folder(root) for root in (roots if isinstance(roots, list) else [roots])]
        files = [folder / name for folder in read if folder is not None for name in folders.files(folder)]
        below = any(folder is not None and deep and folders.folders(folder) for folder in read)
        if (
            below
            or not all(folder and folders.files(folder) for folder in read)
            or not 0 < len(files) <= MOST_IMAGES
        ):
            return None
        sizes = [self._files.size(file) for file in files]
        known = [size for size in sizes if size is not None]
        return max(known, key=lambda size: size[0] * size[1]) if len(known) == len(sizes) else None

    def _weights(self, job: Job, unread: list[str]) -> dict[str, Any]:
        named = job.spec.get("pretrained.generator")
        tensors = self._files.tensors(named, unread)
        strange = self._files.strange(named)
        if tensors is None:
            return {"weights_are": strange} if strange else {}
        rows = {
            shape[0]
            for name, shape in shapes(tensors)
            if name.endswith(TABLE) and len(shape) == 2  # noqa: PLR2004 - rows and heads
        }
        window = (isqrt(next(iter(rows))) + 1) // 2 if len(rows) == 1 else 0
        keys = [key for key in tensors if isinstance(key, str) and isinstance(tensors[key], dict)]
        kind = {"weights_are": strange} if strange else {}
        return {"weights_keys": keys[:100], **kind, **({"weights_window": window} if window else {})}


def _train(job: Job) -> Mapping[str, Any]:
    """Return a config's table of its training data; an empty one where it has none."""
    value = job.document.value
    datasets = value.get("datasets") if isinstance(value, Mapping) else None
    train = datasets.get("train") if isinstance(datasets, Mapping) else None
    return train if isinstance(train, Mapping) else {}


def _images(folders: Folders, folder: Path) -> list[str]:
    """Return the images of a folder by name."""
    return [name for name in folders.files(folder) if name.lower().endswith(SUFFIXES)]
