# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""torch.set_default_tensor_type with a type of torch.cuda: the default device of programs before torch 2.

Unlike torch.set_default_device it places what `torch.Tensor(...)` makes, too.
"""

from __future__ import annotations

from typing import Any, Final

import torch
from torch import Tensor

from trainlint.trace.dry_run.gpu.device_identity import GPU
from trainlint.trace.torch_private import TensorBase

CUDA: Final = "torch.cuda."
NEW_METHOD: Final = "__new__"


class DefaultType:
    """The default type of this process."""

    def __init__(self) -> None:
        self._truth = torch.set_default_tensor_type
        self._is_on_gpu = False

    def replacements(self) -> list[tuple[Any, str, Any]]:
        """Return (where, name, replacement)."""
        return [(torch, "set_default_tensor_type", self.set)]

    def set(self, kind: Any) -> None:
        """Make tensors of this kind where the program names none."""
        name = kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__name__}"
        if name.startswith(CUDA):
            self._truth(f"torch.{name.removeprefix(CUDA)}")  # of its numbers
            self._place(on_gpu=True)
        else:
            self._truth(kind)
            self._place(on_gpu=False)

    def _place(self, *, on_gpu: bool) -> None:
        if on_gpu != self._is_on_gpu:
            self._is_on_gpu = on_gpu
            torch.set_default_device(GPU if on_gpu else None)
            made: Any = _made_on_gpu if on_gpu else TensorBase.__new__
            setattr(Tensor, NEW_METHOD, staticmethod(made))


def _made_on_gpu(kind: Any, *args: Any, **kwargs: Any) -> Any:
    if args and isinstance(args[0], Tensor):
        return args[0].detach().to(GPU)
    return TensorBase.__new__(kind, *args, **kwargs).to(GPU)
