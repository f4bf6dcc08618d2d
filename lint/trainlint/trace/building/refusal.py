# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a network refuses: arguments its constructor does not take, an input its forward cannot compute.

A refusal is a verdict on the config (BadArgumentsError); what merely cannot be done without values on torch's
meta device, or on a GPU that is imitated, is not, and stays a step that cannot be traced.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

import torch
from torch import Tensor, nn

from trainlint.errors import BadArgumentsError, CannotTraceError, TrainlintError
from trainlint.trace.building.second_opinion import failure
from trainlint.trace.building.slip_place import place_of
from trainlint.trace.cuda.seen_device import guesses
from trainlint.trace.recording.tensor_owners import failed_in, given_in

MACHINE_ERRORS: Final = (ImportError, OSError, NotImplementedError, MemoryError)
"""What is raised about the machine rather than the config: a package, a file, a kernel is not there."""
MACHINE_WORDS: Final = re.compile(
    r"\bmeta\b|cuda|cudnn|nvidia|driver|unallocated storage|data pointer|fake impl|kernel", re.IGNORECASE
)
"""Torch's own words for what this machine, or a tensor without values, cannot do."""
MISFIT_ERRORS: Final = (TypeError, ValueError, RuntimeError, AssertionError, IndexError)
"""What a forward raises on an input that does not fit."""
FEW_WORDS: Final = 3
"""An error of fewer says little without its kind (KeyError: 'x')."""


def constructed(arch: str, make: Callable[..., Any], *given: Any, **args: Any) -> Any:
    """Build where we are, on meta without values; on the CPU where a constructor wants some.

    Raises BadArgumentsError only where it refuses there too: the trainer's own call would end the same way.
    """
    with suppress(Exception):  # whatever it is, the second attempt says it better
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
        if elsewhere(error) or guesses():
            raise CannotTraceError(f"{arch} cannot be built here: {_reason(error)}{_guessing()}") from error
        slip = place_of(error) if isinstance(error, NameError) else ""
        raise BadArgumentsError(f"{arch} cannot be built: {_reason(error)}{slip}") from error


@contextmanager
def fitting(
    refusal: str, about: str, net: nn.Module | None = None, inputs: Sequence[Tensor] = ()
) -> Iterator[None]:
    """Inside, what the field `about` decides is used; `refusal` says in words that it does not fit.

    `net`, own code perhaps, is run inside on `inputs`: what it refuses only because its GPU is imitated is no
    verdict.
    """
    try:
        yield
    except TrainlintError:
        raise
    except MISFIT_ERRORS as error:
        if elsewhere(error):
            raise
        if net is not None and not _confirmed(error, net, inputs):
            raise CannotTraceError(
                f"{refusal} where a GPU is imitated{_place(error)}: {_reason(error)}{_guessing()}"
            ) from error
        raise BadArgumentsError(f"{refusal}{_place(error)}: {_reason(error)}", about) from error


def _confirmed(error: Exception, net: nn.Module, inputs: Sequence[Tensor]) -> bool:
    """Say whether a GPU refuses too: another imitation fails in the same module, no answer being guessed."""
    if guesses():
        return False
    other = failure(net, inputs)
    if other is not None and elsewhere(other[0]):  # it never came to the module: a build without CUDA
        other = failure(net, inputs, torch.device("cpu"))
    return other is not None and other[1] == failed_in(error) and not elsewhere(other[0])


def _guessing() -> str:
    """Say which answers about the GPU were guessed, of which another one may take the refusal back."""
    asked = " and ".join(f"torch.cuda.{name}()" for name in guesses())
    return f" (its code asks {asked}, which is not known here)" if asked else ""


def _place(error: Exception) -> str:
    """Return the module that failed and what it was given (2 x 4 x 64 x 64, the batch first)."""
    path = failed_in(error).partition(":")[2]
    given = given_in(error)
    return f", at {path} ({given})" if path and given else f", at {path}" if path else ""


def elsewhere(error: Exception) -> bool:
    """Return whether an error is about this machine, or a tensor without values, and not about the config."""
    return isinstance(error, MACHINE_ERRORS) or MACHINE_WORDS.search(str(error)) is not None


def _reason(error: Exception) -> str:
    text = str(error).strip()
    return f"{type(error).__name__}: {text}" if len(text.split()) < FEW_WORDS else text
