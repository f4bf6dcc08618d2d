"""What a network refuses: arguments its constructor does not take, an input its forward cannot compute.

A refusal is a verdict on the config (BadArgumentsError); what merely cannot be done without values on torch's
meta device is not, and stays a step that cannot be traced.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

import torch
from torch import nn

from trainlint.errors import BadArgumentsError, CannotTraceError, TrainlintError
from trainlint.trace.owners import failed_in, given_in

ELSEWHERE: Final = (ImportError, OSError, NotImplementedError, MemoryError)
"""What is raised about the machine rather than the config: a package, a file, a kernel is not there."""
MACHINE: Final = re.compile(
    r"\bmeta\b|cuda|cudnn|nvidia|driver|unallocated storage|data pointer|fake impl|kernel", re.IGNORECASE
)
"""Torch's own words for what this machine, or a tensor without values, cannot do."""
MISFITS: Final = (TypeError, ValueError, RuntimeError, AssertionError, IndexError)
"""What a forward raises on an input that does not fit."""
FEW_WORDS: Final = 3
"""An error of fewer says little without its kind (KeyError: 'x')."""


def constructed(arch: str, make: Callable[..., Any], *given: Any, **args: Any) -> Any:
    """Build where we are, on meta without values; on the CPU where a constructor wants some.

    Raises BadArgumentsError only where it refuses there too: the trainer's own call would end the same way.
    """
    with suppress(Exception):  # whatever it is, the second attempt tells it better
        return make(*given, **args)
    here = torch.empty(0).device
    made = _on_the_cpu(arch, make, *given, **args)
    return made.to(here) if isinstance(made, nn.Module) else made


def _on_the_cpu(arch: str, make: Callable[..., Any], *given: Any, **args: Any) -> Any:
    try:
        with torch.device("cpu"):
            return make(*given, **args)
    except TrainlintError:
        raise
    except Exception as error:
        if elsewhere(error):
            raise CannotTraceError(f"{arch} cannot be built here: {_told(error)}") from error
        raise BadArgumentsError(f"{arch} cannot be built: {_told(error)}") from error


@contextmanager
def fitting(refusal: str, about: str) -> Iterator[None]:
    """Inside, what the field `about` decides is used; `refusal` says in words that it does not fit."""
    try:
        yield
    except TrainlintError:
        raise
    except MISFITS as error:
        if elsewhere(error):
            raise
        message = f"{refusal}{_place(error)}: {_told(error)}"
        raise BadArgumentsError(message, about) from error


def _place(error: Exception) -> str:
    """Return the module that failed and what it was given (2 x 4 x 64 x 64, the batch first)."""
    path = failed_in(error).partition(":")[2]
    shapes = " and ".join(" x ".join(map(str, shape)) for shape in given_in(error))
    return f", at {path} (given {shapes})" if path and shapes else f", at {path}" if path else ""


def elsewhere(error: Exception) -> bool:
    """Tell whether an error is about this machine, or a tensor without values, and not about the config."""
    return isinstance(error, ELSEWHERE) or MACHINE.search(str(error)) is not None


def _told(error: Exception) -> str:
    text = str(error).strip()
    return f"{type(error).__name__}: {text}" if len(text.split()) < FEW_WORDS else text
