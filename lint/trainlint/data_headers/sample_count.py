# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How many training samples a job has, counted as its trainer counts them.

Sources: XPixelGroup/BasicSR 8d56e3a0, basicsr/data/data_util.py and realesrgan_dataset.py (a line of a list,
or a file of the folder, is a sample); train_vae.py (images below --data_path, less a tenth for validation).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from trainlint.data_headers.allowed_folder import Below
from trainlint.data_headers.folder_listing import Folders
from trainlint.data_headers.paired_names import DATASET, MOST_LIST_BYTES
from trainlint.model.job import Job

LIST_KEYS: Final = {DATASET: "meta_info_file", "RealESRGANDataset": "meta_info"}
"""The key under which BasicSR's data sets of one image a sample name their list."""
SUFFIXES: Final = (".jpg", ".jpeg", ".png", ".bmp", ".webp")
"""What train_vae.py takes for images."""
HELD_OUT: Final = 0.1
"""The share of them that it keeps for validation."""
MOST_FOLDERS: Final = 1000
"""That are counted below one; a set with more is not counted."""


def samples(job: Job, train: Mapping[str, Any], below: Below, folders: Folders) -> int | None:
    """Return how many training samples there are; None where that is not known."""
    if job.spec.get("dialect") == "vae":
        value = job.document.value
        root = below.folder(value.get("data_path")) if isinstance(value, Mapping) else None
        count = None if root is None else _below(root, below, folders)
        return None if count is None else count - int(count * HELD_OUT)
    key = LIST_KEYS.get(str(train.get("type"))) if job.spec.get("dialect") == "basicsr" else None
    backend = train.get("io_backend", {})
    if key is None or not isinstance(backend, Mapping) or backend.get("type") != "disk":
        return None
    if (listed := train.get(key)) is not None:
        return _lines(listed, below)
    root = below.folder(train.get("dataroot_lq"))
    files = folders.files(root) if root is not None and key == "meta_info_file" else []
    return len(files) or None


def _below(root: Path, below: Below, folders: Folders) -> int | None:
    """Return how many images lie in a folder and all below it; None where that is not listed to its end."""
    count, seen, ahead = 0, 0, [root]
    while ahead and seen <= MOST_FOLDERS:
        folder, seen = ahead.pop(), seen + 1
        count += sum(name.lower().endswith(SUFFIXES) for name in folders.files(folder))
        ahead += [folder / name for name in folders.folders(folder) if below.holds(folder / name)]
    return None if ahead or folders.unlisted else count or None


def _lines(listed: Any, below: Below) -> int | None:
    """Return the lines of a list; None where it is not read."""
    file = below.named(listed)
    if file is None:
        return None
    with file:
        text = file.read(MOST_LIST_BYTES + 1)
    return None if len(text) > MOST_LIST_BYTES else len(text.splitlines()) or None
