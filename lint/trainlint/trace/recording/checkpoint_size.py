# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The length of a file that a trainer saves, without writing it or having the data.

torch.save: a zip archive of uncompressed records (caffe2/serialize/inline_container.cc), the objects as a
pickle in one of them, every storage in a record of its own. safetensors: a JSON header and the elements.
Meta tensors count as saved from GPU 0 unless they went through `.cpu()`; the pickle names the device.
"""

from __future__ import annotations

import io
import json
import pickle
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import torch
from torch import Tensor, UntypedStorage, nn

from trainlint.trace.torch_private import (
    address_of,
    rebuild_of_type,
    rebuild_parameter,
    rebuild_tensor,
    storage_type,
)

ALIGNMENT = 64
"""Every record's data begins at a multiple of this (torch.utils.serialization.config.save)."""
LOCAL, CENTRAL, DESCRIPTOR, PADDING = 30, 46, 16, 4
"""Bytes of zip's local header, central entry, data descriptor, and of the header of the padding field."""
END_RECORDS = 56 + 20 + 22
"""Bytes of zip's three end records (zip64 ones are always written)."""
ZIP64_FROM = 2**32 - 1
"""From this offset or size on, entries carry 64-bit fields."""
ZIP64_OFFSET, ZIP64_SIZES, ZIP64_HEADER, ZIP64_DESCRIPTOR = 8, 16, 4, 8
FIRST_RECORDS = ((".format_version", 1), (".storage_alignment", 2), ("byteorder", 6))
LAST_RECORDS = (("version", 2), (".data/serialization_id", 40))
HOST_ATTRIBUTE = "_trainlint_host"
"""Attribute of meta tensors that represent host memory."""
SAFETENSORS_TYPES = {
    torch.float64: "F64", torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16",
    torch.int64: "I64", torch.int32: "I32", torch.int16: "I16", torch.int8: "I8", torch.uint8: "U8",
    torch.uint16: "U16", torch.uint32: "U32", torch.uint64: "U64", torch.bool: "BOOL", torch.complex64: "C64",
    torch.float8_e4m3fn: "F8_E4M3", torch.float8_e4m3fnuz: "F8_E4M3FNUZ", torch.float8_e5m2: "F8_E5M2",
    torch.float8_e5m2fnuz: "F8_E5M2FNUZ",
}  # fmt: skip


def saved_bytes(content: Any, name: str) -> int:
    """Return the length of the file `name`: bytes as they are, .safetensors, else what torch.save writes."""
    if isinstance(content, (bytes, bytearray)):
        return len(content)
    if name.endswith(".safetensors"):
        return _safetensors(content)
    return _torch_save(content, PurePosixPath(name).stem)


def _torch_save(content: Any, archive: str) -> int:
    pickled, storages = _pickle(content)
    data = [(f"data/{number}", size) for number, size in enumerate(storages)]
    cursor = directory = 0
    for record, size in (("data.pkl", pickled), *FIRST_RECORDS, *data, *LAST_RECORDS):
        length = len(f"{archive}/{record}".encode())
        cursor, entry = _record(cursor, length, size)
        directory += entry
    return cursor + directory + END_RECORDS


def _record(cursor: int, name: int, size: int) -> tuple[int, int]:
    """Return the offset after a record and the length of its entry in the central directory."""
    large, far = size >= ZIP64_FROM, cursor >= ZIP64_FROM
    extra = (ZIP64_HEADER if large or far else 0) + ZIP64_SIZES * large + ZIP64_OFFSET * far
    start = cursor + LOCAL + name + PADDING + extra
    start += -start % ALIGNMENT
    return start + size + DESCRIPTOR + ZIP64_DESCRIPTOR * large, CENTRAL + name + extra


@dataclass(frozen=True)
class _Storage:
    """Represents a storage in the pickle."""

    kind: Any
    key: str
    location: str
    numel: int


class _Pickler(pickle.Pickler):
    """Pickles tensors as torch does those with data (meta tensors would be pickled without storages)."""

    def __init__(self, out: io.BytesIO) -> None:
        super().__init__(out, protocol=2)
        self.storages: dict[int, tuple[str, int]] = {}

    def persistent_id(self, obj: Any) -> Any:
        """Return the tuple that names a storage."""
        return ("storage", obj.kind, obj.key, obj.location, obj.numel) if isinstance(obj, _Storage) else None

    def reducer_override(self, obj: Any) -> Any:
        """Return a tensor's constructor and arguments."""
        if isinstance(obj, nn.Parameter):
            return rebuild_parameter, (obj.data, obj.requires_grad, OrderedDict())
        if isinstance(obj, Tensor):
            arguments: tuple[Any, ...] = (
                self._storage(obj), obj.storage_offset(), tuple(obj.size()), obj.stride(), obj.requires_grad,
                OrderedDict(),
            )  # fmt: skip
            if arguments[0].kind is UntypedStorage:
                return rebuild_of_type, (*arguments, obj.dtype)
            return rebuild_tensor, arguments
        return NotImplemented

    def _storage(self, tensor: Tensor) -> _Storage:
        storage = tensor.untyped_storage()
        key, size = self.storages.setdefault(address_of(storage), (str(len(self.storages)), storage.nbytes()))
        on_gpu = tensor.is_meta and not hasattr(tensor, HOST_ATTRIBUTE)
        location = "cuda:" + str(0) if on_gpu else "cpu"  # a new string each time, as torch makes it
        kind = storage_type(tensor.dtype)
        numel = size if kind is UntypedStorage else size // tensor.itemsize
        return _Storage(kind, key, location, numel)


def _pickle(content: Any) -> tuple[int, Sequence[int]]:
    """Return the pickle's length and the bytes of every storage in it."""
    out = io.BytesIO()
    pickler = _Pickler(out)
    pickler.dump(content)
    return len(out.getvalue()), [size for _, size in pickler.storages.values()]


def _safetensors(tensors: Mapping[str, Tensor]) -> int:
    """Return 8 bytes of length, the header (padded to 8) and the data."""
    header: dict[str, Any] = {}
    offset = 0
    for name, tensor in sorted(tensors.items(), key=lambda item: (-item[1].itemsize, item[0])):
        end = offset + tensor.numel() * tensor.itemsize
        header[name] = {
            "dtype": SAFETENSORS_TYPES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [offset, end],
        }
        offset = end
    length = len(json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode())
    return 8 + length + -length % 8 + offset
