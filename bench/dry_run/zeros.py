# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Files of weights that are zero: as long as the weights, and next to nothing on the disk."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final

import torch

BYTES: Final = {"F32": 4, "F16": 2, "BF16": 2, "F8_E4M3": 1}


def write_zeros(module: torch.nn.Module, file: Path, kind: str = "F16") -> None:
    """Write a module's weights as safetensors has them: a header, and a hole in the file for the values."""
    entries: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    end = 0
    known: set[int] = set()
    for name, weight in module.state_dict(keep_vars=True).items():
        if id(weight) in known:  # it is tied to one before
            continue
        known.add(id(weight))
        begin, end = end, end + BYTES[kind] * weight.numel()
        entries[name] = {"dtype": kind, "shape": list(weight.shape), "data_offsets": [begin, end]}
    header = json.dumps(entries).encode()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(len(header).to_bytes(8, "little") + header)
    os.truncate(file, 8 + len(header) + end)
