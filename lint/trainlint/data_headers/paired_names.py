# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which names the two folders of BasicSR's PairedImageDataset have, by its three ways to list them.

Source: XPixelGroup/BasicSR 8d56e3a0, basicsr/data/data_util.py (paired_paths_from_folder,
paired_paths_from_meta_info_file, paired_paths_from_lmdb).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, BinaryIO, Final

from trainlint.data_headers.folder_listing import MOST_FILES
from trainlint.data_headers.lmdb_meta import entries_in

DATASET: Final = "PairedImageDataset"
MOST_LIST_BYTES: Final = 1 << 25
"""Bytes of a list: 200,000 names of 160 characters."""

SAMPLED_NAMES: Final = 2000
"""Names of a list whose files are looked for, from its beginning: a list of another set has none right."""
CHARACTERS: Final = 100 * SAMPLED_NAMES
"""Characters of these together: each folder in a name is asked whether it is a link."""

Open = Callable[[Path], BinaryIO | None]
There = Callable[[Path], bool]
Files = Callable[[Path], list[str]]


def lists(
    open_file: Open,
    there: There,
    files_of: Files,
    folders: tuple[Path, Path, Path],
    train: Mapping[str, Any],
    *,
    unread: list[str],
) -> dict[str, Any]:
    """Return {listed, lacking, lacking_first, targets, inputs, short, short_of}; nothing that is not known.

    `folders` are the root, that of the targets, and that of the inputs. `lacking` counts targets without an
    input, `targets` and `inputs` the files of two folders; `short` is the key of an LMDB with fewer entries
    than its list names, `short_of` how many it lacks at least. A list that is too long goes into `unread`.
    """
    root, gt, lq = folders
    backend = train.get("io_backend")
    backend = backend.get("type") if isinstance(backend, Mapping) else None
    template = template_of(train)
    listed = train.get("meta_info_file")
    if train.get("type") != DATASET or backend not in ("disk", "lmdb") or template is None:
        return {}
    if backend == "lmdb":
        targets, inputs = (
            _names(open_file(folder / "meta_info.txt"), ".", f"{folder.name}/meta_info.txt", unread)
            for folder in (gt, lq)
        )
        lacking = _lacking(targets, set(inputs), quoted=False) if targets and inputs else {}
        named = {"dataroot_gt": (gt, targets), "dataroot_lq": (lq, inputs)}
        short = {
            key: len(set(names)) - _entries(open_file(db / "data.mdb"), names)
            for key, (db, names) in named.items()
        }
        worst = max(short, key=lambda key: short[key])
        return {**lacking, **({"short": worst, "short_of": short[worst]} if short[worst] > 0 else {})}
    if listed is not None:
        names = _names(open_file(root / listed), " ", listed, unread) if isinstance(listed, str) else []
        lengths = accumulate(map(len, names))
        names = [
            name for name, length in zip(names[:SAMPLED_NAMES], lengths, strict=False) if length <= CHARACTERS
        ]
        there_too = {name for name in names if there(gt / name) and there(lq / paired(name, template))}
        return _lacking(names, there_too, quoted=False)
    files = [files_of(folder) for folder in (gt, lq)]
    if not all(files):
        return {}
    targets, inputs = ([os.path.splitext(name)[0] for name in file] for file in files)  # noqa: PTH122  # the text as it was written
    known = set(inputs)
    there_too = {name for name in targets if template.replace("{}", name) in known}
    return {**_lacking(targets, there_too), "targets": len(targets), "inputs": len(inputs)}


def template_of(train: Mapping[str, Any]) -> str | None:
    """Return how an input is named after its target ("{}x4"); None where that is not one {} in a text."""
    template = train.get("filename_tmpl", "{}")
    plain = isinstance(template, str) and "{}" in template and template.count("{") == template.count("}") == 1
    return template if plain and not set(template) & set("/\\\0") else None


def paired(name: str, template: str) -> str:
    """Return the name of a target's input."""
    stem, suffix = os.path.splitext(os.path.basename(name))  # noqa: PTH119, PTH122  # the text as it was written
    return template.replace("{}", stem) + suffix


def _lacking(names: Sequence[str], there: Collection[str], *, quoted: bool = True) -> dict[str, Any]:
    """Count the names that are not there; one from inside a file is shown as its line."""
    lacking = [index for index, name in enumerate(names) if name not in there]
    if not names:
        return {}
    first = (names[lacking[0]] if quoted else f"line {lacking[0] + 1}") if lacking else ""
    return {"listed": len(names), "lacking": len(lacking), **({"lacking_first": first} if lacking else {})}


def _entries(file: BinaryIO | None, names: Sequence[str]) -> int:
    """Return how many entries an LMDB has; as many as it has names where that is not read."""
    entries = None
    if file is not None:
        with file:
            entries = entries_in(file)
    return len(set(names)) if entries is None else entries


def _names(file: BinaryIO | None, end: str, named: str, unread: list[str]) -> list[str]:
    """Return what each line of a list begins with, up to a mark; none where it is no list that is read."""
    if file is None:
        return []
    with file:
        text = file.read(MOST_LIST_BYTES + 1)
    if len(text) > MOST_LIST_BYTES or max(map(text.count, (b"\n", b"\r"))) > MOST_FILES:
        most = f"{MOST_FILES:,} names, or {MOST_LIST_BYTES:,} bytes"
        unread.append(f'"{named}" is a list of more than {most}')
        return []
    text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").removesuffix(b"\n")
    lines = text.decode("utf-8", "replace").split("\n")
    return [line.strip().partition(end)[0] for line in lines] if text else []
