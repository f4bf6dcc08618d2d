# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Identity: what a tensor on the imitated GPU says of itself.

Consistency is what counts: a tensor's device, its storage's, its type's name and torch.cuda must agree.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final

import torch
from torch import Tensor

from trainlint.trace.dry_run.operators.interception import Interceptor
from trainlint.trace.dry_run.torch_names import printed, storage_device, storage_pointer
from trainlint.trace.dry_run.truth import TRUTH, device_beneath, on_meta, told
from trainlint.trace.torch_private import TensorBase, address_of

GPU: Final = torch.device("cuda", 0)
TRUTH_ASKERS: Final = ("trainlint.", "torch.nn.init")
"""Modules that hear where a tensor is: ours, and the one that draws until no value is too large."""
NO_NUMPY: Final = (
    "can't convert cuda:0 device type tensor to numpy. "
    "Use Tensor.cpu() to copy the tensor to host memory first."
)


class Identity:
    """The replaced methods and properties of tensors and storages."""

    def __init__(self, mode: Interceptor) -> None:
        self.mode = mode

    def imitated(self, tensor: Tensor) -> bool:
        """Return whether a tensor is on the imitated GPU."""
        if not on_meta(tensor):
            return False
        genuine = self.mode.genuine
        return not genuine or address_of(tensor.untyped_storage()) not in genuine

    def replacements(self) -> list[tuple[Any, str, Any]]:
        """Return (where, name, replacement)."""
        return [
            (Tensor, "device", property(self._device)),
            (Tensor, "is_cuda", property(self._is_cuda)),
            (Tensor, "is_meta", property(self._is_meta)),
            (Tensor, "get_device", self._on_gpu(TensorBase.get_device, lambda _tensor: GPU.index)),
            (Tensor, "numpy", self._on_gpu(TensorBase.numpy, _no_numpy)),
            (Tensor, "__array__", self._on_gpu(Tensor.__array__, _no_numpy)),
            (
                Tensor,
                "tolist",
                self._on_gpu(TensorBase.tolist, lambda tensor: tensor.detach().cpu().tolist()),
            ),
            (Tensor, "data_ptr", self._on_gpu(TensorBase.data_ptr, _pointer)),
            (Tensor, "is_pinned", lambda _tensor, *_args, **_kwargs: False),
            (Tensor, "pin_memory", lambda tensor, *_args, **_kwargs: tensor),
            (Tensor, "share_memory_", self._on_gpu(Tensor.share_memory_, lambda tensor: tensor)),
            (Tensor, "__repr__", self._on_gpu(Tensor.__repr__, _printed)),
            (Tensor, "__deepcopy__", _truthful(Tensor.__deepcopy__)),
            (Tensor, "__reduce_ex__", _truthful(Tensor.__reduce_ex__)),
            (torch.UntypedStorage, "device", property(_storage_device)),
            (torch.UntypedStorage, "is_cuda", property(lambda storage: storage.device.type == "cuda")),
            (torch.UntypedStorage, "data_ptr", _storage_pointer),
            (torch.UntypedStorage, "is_pinned", lambda _storage, *_args, **_kwargs: False),
            (torch.UntypedStorage, "resize_", self._resized(torch.UntypedStorage.resize_)),
        ]

    def _device(self, tensor: Tensor) -> torch.device:
        device: torch.device = device_beneath(tensor)
        return GPU if not TRUTH.depth and device.type == "meta" and self.imitated(tensor) else device

    def _is_cuda(self, tensor: Tensor) -> bool:
        return not TRUTH.depth and self.imitated(tensor)

    def _is_meta(self, tensor: Tensor) -> bool:
        meta: bool = on_meta(tensor)
        if not meta or TRUTH.depth:
            return meta
        asker = str(sys._getframe(1).f_globals.get("__name__"))  # noqa: SLF001 - documented, whatever its name: the caller's frame
        return asker.startswith(TRUTH_ASKERS) or not self.imitated(tensor)

    def _resized(self, truth: Callable[..., Any]) -> Callable[..., Any]:
        """Record a storage that is emptied or filled again: no operator does it."""

        def resize_(storage: Any, size: int) -> Any:
            result = truth(storage, size)
            address = address_of(storage)
            if storage_device(storage).type == "meta" and address not in self.mode.genuine:
                ledger: Any = self.mode.ledger  # of the dry run's kind
                ledger.storage_resized(storage, int(size))
                self.mode.values.twins.pop(address, None)
            return result

        return resize_

    def _on_gpu(self, truth: Callable[..., Any], answer: Callable[..., Any]) -> Callable[..., Any]:
        def either(tensor: Tensor, *args: Any, **kwargs: Any) -> Any:
            if TRUTH.depth or not self.imitated(tensor):
                return truth(tensor, *args, **kwargs)
            return answer(tensor, *args, **kwargs)

        return either


def _no_numpy(_tensor: Tensor, *_args: Any, **_kwargs: Any) -> Any:
    raise TypeError(NO_NUMPY)


def _pointer(tensor: Tensor) -> int:
    offset = int(tensor.storage_offset()) * tensor.itemsize
    return address_of(tensor.untyped_storage()) + offset  # type: ignore[no-any-return]  # attrgetter is not typed


def _printed(tensor: Tensor, **_kwargs: Any) -> str:
    text = printed(tensor.detach().cpu())
    return f"{text[:-1]}, device='cuda:0')"


def _truthful(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of torch that asks for the device to find a way of its own, and does best on meta."""

    def within(tensor: Tensor, *args: Any, **kwargs: Any) -> Any:
        with told():
            return method(tensor, *args, **kwargs)

    return within


def _storage_device(storage: Any) -> torch.device:
    device: torch.device = storage_device(storage)
    return GPU if device.type == "meta" and not TRUTH.depth else device


def _storage_pointer(storage: Any) -> int:
    if storage_device(storage).type == "meta":
        return 0 if TRUTH.depth else int(address_of(storage))
    return storage_pointer(storage)
