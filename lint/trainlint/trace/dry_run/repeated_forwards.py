# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Forwards without gradients before the first step that repeat what was recorded: they are not run again.

A program that evaluates first may take hundreds, each as long as a step. One is left out where its network
did the same three times for arguments of the same shapes, to the last event, and nothing else can make it do
another thing: it read no value, drew no random number, kept nothing and changed nothing of its modules. Its
outputs are new tensors of the same shapes. One that begins with more than those began with is run: its peak
may be another.
"""

from __future__ import annotations

import random
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from math import prod
from typing import Any, Final, NamedTuple

import torch
from torch import Tensor, nn

from trainlint.trace.dry_run.operators.interception import Interceptor
from trainlint.trace.dry_run.steps.live_ledger import BLOCK, LiveLedger
from trainlint.trace.dry_run.truth import TRUTH, on_meta, told
from trainlint.trace.recording.storage_ledger import ALLOC, FREE, MARK
from trainlint.trace.torch_private import address_of

FORWARDS_ALIKE: Final = 3
"""Forwards in a row that have to be alike."""
MOST_FORWARDS: Final = 12
"""Forwards after which one that never was is watched no longer."""
SLACK_BYTES: Final = 1 << 16
"""Bytes by which a forward may begin with more than those that were recorded: a few numbers of a log."""
PLAIN_TYPES: Final = (bool, int, float, str, bytes, type(None), torch.dtype, torch.device)
CALL: Final = "__call__"


class NoTemplateError(Exception):
    """A value that is not known well enough to be made again, or compared."""


class Made(NamedTuple):
    """A tensor of an output: how to make one like it."""

    shape: tuple[int, ...]
    stride: tuple[int, ...]
    dtype: torch.dtype
    address: int


class Known:
    """What is known of a network's forward for arguments of certain shapes."""

    def __init__(self, module: nn.Module) -> None:
        self.module = weakref.ref(module)
        self.tries = 0
        self.alike = 0
        self.last: Any = None
        self.template: Any = None
        self.base = 0
        """The most bytes that lived when one that was run began."""


class RepeatedForwards:
    """Watches the outermost forwards of the program's networks until its first backward."""

    def __init__(self, ledger: LiveLedger, mode: Interceptor) -> None:
        self.ledger, self.mode = ledger, mode
        self.at_forward: Callable[[], None] = lambda: None
        """Called at one that is left out."""
        self.left_out = 0
        self.seen = 0
        """Forwards without gradients before the first step, those that were left out among them."""
        self._known: dict[Any, Known] = {}
        self._inside = False
        self._truth: Callable[..., Any] = nn.Module.__call__
        self._ours = self._truth
        self._is_over = False

    def replacements(self) -> list[tuple[Any, str, Any]]:
        """Return (where, name, replacement)."""
        self._ours = self._watched(self._truth)
        return [(nn.Module, CALL, self._ours)]

    @property
    def remark(self) -> str:
        """Say how many were left out; "" where none was."""
        if not self.left_out:
            return ""
        return (
            f"{self.left_out} of {self.seen} forwards without gradients before the first step do what those "
            "before them did: they were not run"
        )

    def end(self) -> None:
        """Watch no longer: a step is on its way."""
        if not self._is_over:
            self._is_over = True
            self._known.clear()
            if nn.Module.__call__ is self._ours:  # else a library has put its own around it
                setattr(nn.Module, CALL, self._truth)

    def _watched(self, truth: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(truth)
        def call(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
            if self._inside or self._is_over or torch.is_grad_enabled() or TRUTH.depth:
                return truth(module, *args, **kwargs)
            self._inside = True
            try:
                return self._answer(module, args, kwargs)
            finally:
                self._inside = False

        return call

    def _answer(self, module: nn.Module, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        self.seen += 1
        try:
            key = (id(module), module.training, _surroundings(), _shape_of(args), _shape_of(kwargs))
        except NoTemplateError:
            return self._truth(module, *args, **kwargs)
        known = self._known.get(key)
        if known is None or known.module() is not module:
            known = self._known[key] = Known(module)
        if known.alike >= FORWARDS_ALIKE and self.ledger.live <= known.base + SLACK_BYTES:
            self.left_out += 1
            self.at_forward()
            return self._made(known.template)
        if known.alike < FORWARDS_ALIKE and known.tries >= MOST_FORWARDS:
            return self._truth(module, *args, **kwargs)
        return self._run(known, module, args, kwargs)

    def _run(self, known: Known, module: nn.Module, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Run a forward, and compare what it did with what the last one did."""
        tape = self.ledger.tape
        begun, blocks, live, reads = len(tape.events), len(tape.blocks), self.ledger.live, self.mode.reads
        state = _state(module)
        output = self._truth(module, *args, **kwargs)
        known.tries += 1
        known.base = max(known.base, live)
        try:
            template = self._template(output, blocks)
        except NoTemplateError:
            known.tries = MOST_FORWARDS
            return output
        kept = sum(-(-self._bytes(made) // BLOCK) * BLOCK for made in _tensors(template))
        if self.mode.reads != reads or self.ledger.live != live + kept or _state(module) != state:
            known.alike, known.last = 0, None
            return output
        did = (tuple(map(self._event, tape.events[begun:])), _comparable(template))
        known.alike = known.alike + 1 if did == known.last else 1
        known.last, known.template = did, template
        return output

    def _event(self, event: tuple[int, int]) -> tuple[Any, ...]:
        kind, index = event
        tape = self.ledger.tape
        if kind in (ALLOC, FREE):
            block = tape.blocks[index]
            return kind, block.nbytes, block.device, block.stream
        return (kind, tape.marks[index]) if kind == MARK else event

    def _bytes(self, made: Made) -> int:
        return made.dtype.itemsize * prod(made.shape)

    def _template(self, value: Any, blocks: int) -> Any:
        """Return what an output is made again from; NoTemplateError for one with anything but new tensors."""
        if isinstance(value, Tensor):
            return self._template_of(value, blocks)
        if isinstance(value, PLAIN_TYPES):
            return value
        if type(value) in (tuple, list):
            return type(value)(self._template(item, blocks) for item in value)
        if isinstance(value, dict) and (type(value) is dict or hasattr(value, "__dataclass_fields__")):
            return type(value)(**{str(key): self._template(item, blocks) for key, item in value.items()})
        raise NoTemplateError

    def _template_of(self, tensor: Tensor, blocks: int) -> Made:
        if type(tensor) is not Tensor or not on_meta(tensor) or self.mode.values.twin(tensor) is not None:
            raise NoTemplateError
        with told():
            storage = tensor.untyped_storage()
            made = Made(tuple(tensor.shape), tensor.stride(), tensor.dtype, address_of(storage))
            if storage.nbytes() != self._bytes(made) or self.ledger.block_of(made.address) < blocks:
                raise NoTemplateError
        return made

    def _made(self, template: Any) -> Any:
        """Return an output like the one that a template is of."""
        if isinstance(template, Made):
            return torch.empty_strided(template.shape, template.stride, dtype=template.dtype, device="cuda")
        if type(template) in (tuple, list):
            return type(template)(map(self._made, template))
        if isinstance(template, dict):
            return type(template)(**{key: self._made(item) for key, item in template.items()})
        return template


def _tensors(template: Any) -> Iterator[Made]:
    if isinstance(template, Made):
        yield template
    elif isinstance(template, dict):
        for item in template.values():
            yield from _tensors(item)
    elif isinstance(template, (tuple, list)):
        for item in template:
            yield from _tensors(item)


def _comparable(template: Any) -> Any:
    """Return a template without the addresses of its tensors; NoTemplateError where two share one."""
    if isinstance(template, Made):
        return template[:-1]
    if isinstance(template, dict):
        return tuple((key, _comparable(item)) for key, item in template.items())
    return tuple(map(_comparable, template)) if isinstance(template, (tuple, list)) else template


def _shape_of(value: Any) -> Any:
    """Return what a forward may go by of an argument that it reads no value of."""
    if isinstance(value, Tensor):
        if not on_meta(value) or type(value) is not Tensor:
            raise NoTemplateError
        with told():
            return tuple(value.shape), value.stride(), value.dtype, value.requires_grad
    if isinstance(value, PLAIN_TYPES):
        return value
    if type(value) in (tuple, list):
        return type(value), tuple(map(_shape_of, value))
    if isinstance(value, dict):
        return tuple((key, _shape_of(item)) for key, item in value.items())
    raise NoTemplateError


def _surroundings() -> tuple[Any, ...]:
    return torch.is_autocast_enabled(), torch.get_autocast_gpu_dtype(), torch.is_inference_mode_enabled()


def _state(module: nn.Module) -> tuple[Any, ...]:
    """Return what modules hold besides tensors, and where the random numbers are."""
    held = [
        tuple((name, _size_of(value)) for name, value in part.__dict__.items()) for part in module.modules()
    ]
    return held, random.getstate(), torch.random.get_rng_state().numpy().tobytes()


def _size_of(value: Any) -> Any:
    if isinstance(value, PLAIN_TYPES):
        return value
    if isinstance(value, Tensor):
        return id(value)
    return (id(value), len(value)) if isinstance(value, (list, dict, set, tuple)) else id(value)
