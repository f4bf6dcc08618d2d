# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How many processes a command's launcher starts, and how many GPUs its environment leaves them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from trainlint.model.document import Document

ON_EACH_NODE: Final = ("torchrun", "torch.distributed.launch", "torch.distributed.run")
MOST_DIGITS: Final = 4


def visible_to(document: Document) -> int | None:
    """Return how many GPUs CUDA_VISIBLE_DEVICES lists; None where it is not set, or not known."""
    listed = document.meta.get("env", {}).get("CUDA_VISIBLE_DEVICES")
    if not isinstance(listed, str) or not re.fullmatch(r"\d+(,\d+)*", listed.replace(" ", "")):
        return None
    return len(set(listed.replace(" ", "").split(",")))


def processes_of(document: Document) -> int | None:
    """Return how many processes a launcher starts on its machine; None where that is not written there."""
    launcher = document.value.get("@launcher") if isinstance(document.value, Mapping) else None
    if document.format != "command" or not isinstance(launcher, Mapping):
        return None
    if launcher.get("name") in ON_EACH_NODE:
        number = launcher.get("nproc_per_node")
    elif launcher.get("name") == "accelerate" and not {"gpu_ids", "num_machines"} & launcher.keys():
        number = launcher.get("num_processes")
    else:
        return None
    text = str(number)
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else None
