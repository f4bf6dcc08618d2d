# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Folders of images with a text next to each: how often they come in an epoch, and which texts are read.

Read: kohya-ss/sd-scripts 48d368f, library/config_util.py (generate_params_by_fallbacks,
generate_dreambooth_subsets_config_by_subdirs) and library/train_util.py (read_caption); ostris/ai-toolkit
27a03a9, toolkit/dataloader_mixins.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any, Final

from trainlint.data_headers.allowed_folder import Below
from trainlint.data_headers.folder_listing import Folders
from trainlint.expressions.patterns import later
from trainlint.model.job import Job

SUFFIXES: Final = (".png", ".jpg", ".jpeg", ".webp", ".bmp")
TEXTS: Final = (".txt", ".caption")
"""Suffixes that people give captions."""
CAPTION_KEYS: Final = {"kohya": ("caption_extension", ".caption"), "ai-toolkit": ("caption_ext", ".txt")}
"""The key that says which suffix is read, and what is read without it."""
_REPEATED: Final = later(r"([1-9][0-9]{0,5})(?:_.*)?")


def captioned(job: Job, below: Below, folders: Folders) -> dict[str, Any]:
    """Return what is known of a job's images and their texts; nothing for other trainers."""
    if job.spec.get("dialect") not in CAPTION_KEYS or not isinstance(job.document.value, Mapping):
        return {}
    texts: Counter[str] = Counter()
    samples, count, bare = 0, 0, 0
    for repeats, folder, suffix in _folders(job, below, folders):
        count += 1
        names = folders.files(folder)
        images = [name for name in names if name.lower().endswith(SUFFIXES)]
        samples += repeats * len(images)
        texts += _texts(images, set(names), suffix)
        bare += _bare(images, set(names), suffix)
    known: dict[str, Any] = {}
    if _listed(job.document.value) is not None:
        known = {"samples": samples} if samples and _is_whole(job.document.value, below) else {}
    elif job.spec.get("dialect") == "kohya" and below.folder(job.spec.get("data.root")) is not None:
        known = {"repeated": count, **({"samples": samples} if samples else {})}
    other, unread = next(((text, texts[text]) for text in TEXTS if texts[text]), ("", 0))
    if unread:
        known |= {"unread": unread, "unread_suffix": other}
    if bare:
        known["bare"] = bare
    return {} if folders.unlisted else known


def _folders(job: Job, below: Below, folders: Folders) -> Iterator[tuple[int, Path, str]]:
    """Yield each folder of images, how often its images come in an epoch, and which texts are read there."""
    key, default = CAPTION_KEYS[str(job.spec.get("dialect"))]
    if job.spec.get("dialect") == "ai-toolkit":
        for data_set in _data_sets(job.document.value):
            if (folder := below.folder(data_set.get("folder_path"))) is not None:
                repeats = data_set.get("num_repeats", 1)
                yield repeats if isinstance(repeats, int) else 1, folder, _dotted(data_set.get(key), default)
        return
    if (parts := _listed(job.document.value)) is not None:  # train_data_dir is not read then
        for part in parts:
            if (folder := below.folder(part.get("image_dir"))) is not None:
                repeats = part.get("num_repeats", job.document.value.get("dataset_repeats"))
                yield repeats if isinstance(repeats, int) else 1, folder, _dotted(part.get(key), default)
        return
    root = below.folder(job.spec.get("data.root"))
    suffix = _dotted(job.document.value.get(key), default)
    for name in folders.folders(root) if root is not None else ():
        if (repeated := _REPEATED.fullmatch(name)) and root is not None and below.holds(root / name):
            yield int(repeated[1]), root / name, suffix


def _listed(value: Mapping[str, Any]) -> Sequence[Mapping[str, Any]] | None:
    """Return the parts of the data sets in a file that sd-scripts is given; None where there is none."""
    sets = value.get("@dataset_config")
    if not isinstance(sets, list):
        return None
    written = {"caption_extension": value.get("caption_extension")}
    return [
        {**written, **item, **part}
        for item in sets
        for part in item.get("subsets") or ()
        if isinstance(part, Mapping)
    ]


def _is_whole(value: Mapping[str, Any], below: Below) -> bool:
    """Say whether every part is a folder that is there, and none is of a class or has a list of its own."""
    return all(
        below.folder(part.get("image_dir")) is not None
        and not (part.get("is_reg") or part.get("metadata_file") or part.get("conditioning_data_dir"))
        for part in _listed(value) or ()
    )


def _data_sets(value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    config = value.get("config")
    processes = config.get("process") if isinstance(config, Mapping) else None
    for process in processes if isinstance(processes, list) else ():
        sets = process.get("datasets") if isinstance(process, Mapping) else None
        yield from (item for item in (sets if isinstance(sets, list) else ()) if isinstance(item, Mapping))


def _dotted(written: Any, default: str) -> str:
    suffix = written if isinstance(written, str) and written else default
    return suffix if suffix.startswith(".") else f".{suffix}"


def _texts(images: list[str], names: set[str], suffix: str) -> Counter[str]:
    """Count the images that have a text of another suffix than the one that is read, and none of that."""
    stems = [PurePath(name).stem for name in images]
    unread = [stem for stem in stems if f"{stem}{suffix}" not in names]
    return Counter(text for text in TEXTS for stem in unread if text != suffix and f"{stem}{text}" in names)


def _bare(images: list[str], names: set[str], suffix: str) -> int:
    """Count the images that have no text at all."""
    texts = {suffix, *TEXTS}
    return sum(all(f"{PurePath(name).stem}{text}" not in names for text in texts) for name in images)
