# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`accelerate launch --config_file FILE`: what the file says, and the processes that it starts."""

from __future__ import annotations

from collections.abc import Mapping
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
MOST_CONFIG_BYTES: Final = 65536
"""Bytes of accelerate's config; `accelerate config` writes 600."""


def may_shard(document: Document) -> bool:
    """Return whether a command of accelerate may part a model over cards, by its flags or config.

    Where it names no config, its user may have one. With --multi_gpu no config's kind counts.
    """
    launcher = document.value.get("@launcher") if document.format == "command" else None
    if not isinstance(launcher, Mapping) or launcher.get("name") != "accelerate" or "multi_gpu" in launcher:
        return False
    config = accelerate_config(document)
    flagged = bool({"use_fsdp", "use_deepspeed"} & launcher.keys())
    return flagged or config is None or config.get("distributed_type", "NO") not in WHOLE


def may_offload(document: Document) -> bool:
    """Return whether a command of accelerate may leave weights or what is kept of them on the host.

    DeepSpeed and FSDP can, unless the config that is named says that they do not.
    """
    launcher = document.value.get("@launcher") if document.format == "command" else None
    if not isinstance(launcher, Mapping) or launcher.get("name") != "accelerate":
        return False
    config = accelerate_config(document)
    if config is None or {"use_fsdp", "use_deepspeed", "fsdp_offload_params"} & launcher.keys():
        return bool({"use_fsdp", "use_deepspeed", "config_file"} & launcher.keys())
    inner = next((part for key in OFFLOADING if isinstance(part := config.get(key), Mapping)), None)
    if inner is None:
        return config.get("distributed_type", "NO") not in WHOLE
    stays = all(inner.get(key, otherwise) in NOWHERE for key, otherwise in OFFLOADED.items())
    return not stays or DEEPSPEED_FILE in inner


def run_by(document: Document) -> str:
    """Return what a command of accelerate runs its step by: "DeepSpeed", "FSDP"; "" for torch itself."""
    launcher = document.value.get("@launcher") if document.format == "command" else None
    if not isinstance(launcher, Mapping) or launcher.get("name") != "accelerate":
        return ""
    flagged = next((name for flag, name in FLAGS.items() if flag in launcher), "")
    config = accelerate_config(document) or {}
    return flagged or KINDS.get(str(config.get("distributed_type")), "")


def accelerated(document: Document) -> int | None:
    """Return the processes of the config that a command of accelerate names; None where it says nothing."""
    config = accelerate_config(document)
    count = config.get("num_processes") if config is not None else None
    return count if isinstance(count, int) and not isinstance(count, bool) and count > 0 else None


def accelerate_config(document: Document) -> Mapping[str, Any] | None:
    """Return the config that a command of accelerate names; None where it names none, or none is there."""
    launcher = document.value.get("@launcher")
    named = launcher.get("config_file") if isinstance(launcher, Mapping) else None
    if not isinstance(named, str) or launcher.get("name") != "accelerate":
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
