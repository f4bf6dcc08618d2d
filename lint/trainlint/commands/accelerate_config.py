# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`accelerate launch --config_file FILE`: what the file says, and the processes that it starts."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Final

from trainlint.config.yaml import parse_yaml
from trainlint.errors import UnreadableError
from trainlint.files.text_source import regular_bytes, source_of
from trainlint.model.document import Document

WHOLE: Final = ("NO", "MULTI_GPU")
"""Kinds of accelerate's processes that hold a whole model each (`distributed_type`)."""
FLAGS: Final = {"use_deepspeed": "DeepSpeed", "use_fsdp": "FSDP", "use_megatron_lm": "Megatron-LM"}
KINDS: Final = {"DEEPSPEED": "DeepSpeed", "FSDP": "FSDP", "MEGATRON_LM": "Megatron-LM"}
"""What takes the step over, by flags of `accelerate launch` and by `distributed_type` of its config
(accelerate/commands/launch.py, Apache-2.0)."""
OFFLOADING: Final = ("deepspeed_config", "fsdp_config")
"""Parts of accelerate's config that may move a model's parts to the host."""
OFFLOADED: Final = {
    "offload_param_device": "none", "offload_optimizer_device": "none", "fsdp_offload_params": False,
}  # fmt: skip
"""Their keys for it, with what each is where it is absent (accelerate/utils/dataclasses.py, Apache-2.0)."""
NOWHERE: Final = ("none", None, False, "false")
DEEPSPEED_FILE: Final = "deepspeed_config_file"
"""The key of DeepSpeed's own config, which decides in their place."""
MOST_CONFIGS: Final = 100
DEEPEST: Final = 4
"""Folders between a repository's root and a config of accelerate that is looked for."""
MOST_CONFIG_BYTES: Final = 65536
"""Bytes of accelerate's config; `accelerate config` writes 600."""


def may_shard(document: Document) -> bool:
    """Return whether a command of accelerate may part a model over cards, by its flags or config.

    Where it names no config, its user may have one. With --multi_gpu no config's kind counts.
    """
    launcher = _launcher(document)
    if launcher is None or "multi_gpu" in launcher:
        return False
    config = accelerate_config(document)
    flagged = bool({"use_fsdp", "use_deepspeed"} & launcher.keys())
    return flagged or config is None or config.get("distributed_type", "NO") not in WHOLE


def taken_over(document: Document) -> tuple[str, bool]:
    """Return what a command of accelerate runs its step by, and whether it may leave parts on the host.

    "DeepSpeed" or "FSDP", "" for torch itself. These can offload weights and what is kept of them, unless the
    config that is named says that they do not.
    """
    launcher = _launcher(document)
    if launcher is None:
        return "", False
    config = accelerate_config(document)
    flagged = next((name for flag, name in FLAGS.items() if flag in launcher), "")
    runner = flagged or KINDS.get(str((config or {}).get("distributed_type")), "")
    return runner, _may_offload(launcher, config)


def _may_offload(launcher: Mapping[str, Any], config: Mapping[str, Any] | None) -> bool:
    if config is None or {"use_fsdp", "use_deepspeed", "fsdp_offload_params"} & launcher.keys():
        return bool({"use_fsdp", "use_deepspeed", "config_file"} & launcher.keys())
    inner = next((part for key in OFFLOADING if isinstance(part := config.get(key), Mapping)), None)
    if inner is None:
        return config.get("distributed_type", "NO") not in WHOLE
    stays = all(inner.get(key, otherwise) in NOWHERE for key, otherwise in OFFLOADED.items())
    return not stays or DEEPSPEED_FILE in inner


@lru_cache(maxsize=16)
def offloading_around(folder: Path) -> str | None:
    """Return a config of accelerate that leaves parts of a model on the host, of a repository that has one.

    Such a file is one that anything below its root calls accelerate's, or by what it is of.
    """
    for path in islice(_configs(folder), MOST_CONFIGS):
        try:
            text = regular_bytes(str(path), MOST_CONFIG_BYTES)
            documents = parse_yaml(source_of(text, str(path))) if b"distributed_type" in text else ()
        except UnreadableError:
            continue
        if any(isinstance(config.value, Mapping) and _may_offload({}, config.value) for config in documents):
            return path.relative_to(folder).as_posix()
    return None


def _configs(folder: Path) -> Iterator[Path]:
    named = re.compile(r"accelerate|deepspeed|zero|fsdp|offload")
    for here, folders, files in os.walk(folder):
        place = os.path.relpath(here, folder)
        deep = place.count(os.sep) >= DEEPEST
        folders[:] = [] if deep else sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if name.endswith((".yaml", ".yml")) and named.search(f"{place}/{name}".lower()):
                yield Path(here, name)


def _launcher(document: Document) -> Mapping[str, Any] | None:
    """Return accelerate's own flags in a command; None in what it does not start."""
    launcher = document.value.get("@launcher") if document.format == "command" else None
    return launcher if isinstance(launcher, Mapping) and launcher.get("name") == "accelerate" else None


def accelerated(document: Document) -> int | None:
    """Return the processes of the config that a command of accelerate names; None where it says nothing."""
    config = accelerate_config(document)
    count = config.get("num_processes") if config is not None else None
    return count if isinstance(count, int) and not isinstance(count, bool) and count > 0 else None


def accelerate_config(document: Document) -> Mapping[str, Any] | None:
    """Return the config that a command of accelerate names; None where it names none, or none is there."""
    launcher = _launcher(document)
    named = launcher.get("config_file") if launcher is not None else None
    if not isinstance(named, str):
        return None
    from trainlint.commands.shell.working_folder import run_folders  # noqa: PLC0415 - of such a command alone

    path = next(filter(None, (folder.file(named) for folder in run_folders(document))), None)
    try:
        documents = (
            parse_yaml(source_of(regular_bytes(str(path), MOST_CONFIG_BYTES), str(path))) if path else ()
        )
    except UnreadableError:
        return None
    value = documents[0].value if documents else None
    return value if isinstance(value, Mapping) else None
