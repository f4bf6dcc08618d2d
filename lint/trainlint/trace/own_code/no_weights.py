# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Weights that own code loads or fetches while a step is built: none are read, and none are asked for."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Self
from unittest.mock import patch

import torch
from torch import nn

from trainlint.trace.torch_private import LoadedKeys

DOWNLOADERS = ("load_state_dict_from_url", "load_url", "download_url_to_file", "load_file_from_url")
"""Functions that download, by which name a module has them."""


class Absent(dict[Any, Any]):
    """Weights that were not read: whatever part of them is asked for, they are as empty."""

    def __missing__(self, _key: Any) -> Self:
        return self


@contextmanager
def unread() -> Iterator[None]:
    """Let loading weights do nothing inside; networks stay as they were built."""
    with ExitStack() as stack:
        stack.enter_context(patch.object(torch, "load", lambda *_args, **_kwargs: Absent()))
        stack.enter_context(patch.object(nn.Module, "load_state_dict", _loaded))
        stack.enter_context(patch.object(nn.Module, "__init__", _deaf(nn.Module.__init__)))
        for module in list(sys.modules.values()):
            for name in DOWNLOADERS:
                if callable(vars(module).get(name)):
                    stack.enter_context(patch.object(module, name, _fetched))
        yield


def _deaf(made: Any) -> Any:
    """Return a constructor after which a module takes no weights, whatever its class has for that."""

    def make(module: nn.Module, *args: Any, **kwargs: Any) -> None:
        vars(module)["load_state_dict"] = _loaded
        made(module, *args, **kwargs)

    return make


def _loaded(*_args: Any, **_kwargs: Any) -> LoadedKeys:
    return LoadedKeys([], [])


def _fetched(*_args: Any, **_kwargs: Any) -> Absent:
    return Absent()


@contextmanager
def saved() -> Iterator[dict[str, Any]]:
    """Gather what own code would save: file name -> what it gives to torch.save."""
    files: dict[str, Any] = {}

    def keep(content: Any, place: Any, *_args: Any, **_kwargs: Any) -> None:
        files[str(place).replace("\\", "/").rpartition("/")[2]] = content

    with patch.object(torch, "save", keep):
        yield files
