# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The step of a network at hand: whatever it takes and returns, with a loss or a step of the caller's.

What cannot be fed is CannotTraceError, never a verdict: nobody wrote a config that could be wrong.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainlint.errors import CannotTraceError, TrainlintError
from trainlint.trace.building.build import network
from trainlint.trace.recording.tensor_owners import failed_in, given_in
from trainlint.trace.stage import Stage

LOSSES: Final[Mapping[str, Callable[..., Tensor]]] = {
    "mse": F.mse_loss,
    "l1": F.l1_loss,
    "smooth-l1": F.smooth_l1_loss,
    "bce": F.binary_cross_entropy_with_logits,
    "cross-entropy": F.cross_entropy,
}
CLASS_LOSSES: Final = (F.cross_entropy, F.nll_loss)
"""Functions whose targets are class numbers; their modules are in CLASS_LOSS_MODULES."""
CLASS_LOSS_MODULES: Final = (nn.CrossEntropyLoss, nn.NLLLoss, nn.MultiMarginLoss)
INTEGER_WORDS: Final = re.compile(r"\bLong\b|\bInt\b|integer|indices|int64|IntTensor")
"""What torch says where it wanted whole numbers."""
OUTPUT_NAMES: Final = ("logits", "out", "sample", "last_hidden_state", "prediction", "output")
"""Names under which libraries return what the loss is computed on (transformers, torchvision, diffusers)."""
SEQUENCE_DIMENSIONS: Final = 3
"""Dimensions of the scores of a sequence: batch, places, classes."""


@dataclass(frozen=True)
class Leaf:
    """One tensor of a sample, without the batch; `dtype` None: whole numbers where the network wants them."""

    shape: tuple[int, ...]
    dtype: torch.dtype | None = None


Sample = Leaf | tuple[Leaf, ...] | Mapping[str, Leaf]
"""What a network takes: one tensor, several in order, or several by name."""


@dataclass(frozen=True)
class Parts:
    """What the caller gives besides the network."""

    sample: Sample
    target: Sequence[int] | None = None
    loss: str | Callable[..., Any] | None = "mse"
    step: Callable[[nn.Module, Any], Any] | None = None


class GivenStep:
    """One network and one optimizer, fed with `parts`."""

    def __init__(self, step: Mapping[str, Any], stage: Stage, parts: Parts) -> None:
        self.step, self.stage, self.parts = step, stage, parts
        self.precision = str(step.get("precision", "fp32"))
        self.net, arch = network(step, "generator")
        self.arch = arch.partition(":")[2]
        if step.get("channels_last"):
            self.net = self.net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # torch takes it
        if step.get("checkpointing"):
            self._checkpointed()
        stage.register("generator", self.net, arch=self.arch)
        self.loss_function = self._loss()
        self.whole = False
        self.classes = self.loss_function in CLASS_LOSSES or isinstance(
            self.loss_function, CLASS_LOSS_MODULES
        )
        self.own_loss = False
        self.truth_shape: tuple[int, ...] = ()
        if parts.step is None:
            self._look()
        self.model = stage.replicate("generator", self.net)
        self.ema = (
            copy.deepcopy(self.net).eval().requires_grad_(requires_grad=False) if step.get("ema") else None
        )
        if self.ema is not None:
            stage.register("generator (EMA)", self.ema, arch=self.arch, kind="ema")
        entry = next(iter(step.get("optimizers") or ()), {"type": "AdamW"})
        options = {name: value for name, value in entry.items() if name not in {"role", "type", "lr"}}
        trained = [parameter for parameter in self.net.parameters() if parameter.requires_grad]
        self.optimizer = stage.optimizer("generator", trained, str(entry["type"]), lr=1e-4, **options)
        self.scaler = stage.scaler(enabled=self.precision == "fp16")

    def _checkpointed(self) -> None:
        for name in ("set_grad_checkpointing", "gradient_checkpointing_enable"):
            if hasattr(self.net, name):
                getattr(self.net, name)()
                return
        raise CannotTraceError(f"{self.arch} has no switch for gradient checkpointing")

    def _loss(self) -> Callable[..., Any]:
        loss = self.parts.loss
        if loss is None:
            return self._no_loss
        if isinstance(loss, str):
            if loss not in LOSSES:
                raise CannotTraceError(
                    f'unknown loss "{loss}", expected one of {", ".join(LOSSES)} or a function'
                )
            return LOSSES[loss]
        if isinstance(loss, nn.Module):
            module = copy.deepcopy(loss).to(self.stage.device)
            if next(iter(module.parameters()), None) is not None:
                self.stage.register("loss", module, kind="losses")
            return module
        return loss

    def _no_loss(self, *_given: Any) -> Any:
        raise CannotTraceError(f"{self.arch} returns no loss of its own, and none is named")

    def _look(self) -> None:
        """Find out what the network takes and returns: a loss of its own, and the shape of a target."""
        try:
            output = self._seen()
        except Exception as error:
            if isinstance(error, TrainlintError) or not INTEGER_WORDS.search(str(error)):
                raise self._unfed(error) from error
            self.whole = True
            try:
                output = self._seen()
            except Exception as again:
                raise self._unfed(error) from again
        answer, self.own_loss = _answer(output, self.arch)
        if self.own_loss:
            return
        shape = tuple(answer.shape)
        if self.parts.target is not None:
            self.truth_shape = tuple(self.parts.target)
        elif self.classes:
            self.truth_shape = shape[1:-1] if self._is_sequence(answer) else (*shape[2:],)
        else:
            self.truth_shape = shape[1:]

    def _seen(self) -> Any:
        watching = self.stage.ledger.owners.watching()
        with torch.no_grad(), self.stage.autocast(self.precision), watching, self.stage.aside():
            return self._called(self.net, self._inputs(2))

    def _unfed(self, error: Exception) -> CannotTraceError:
        path = failed_in(error).partition(":")[2]
        given = given_in(error)
        place = f", at {path}" if path else ""
        return CannotTraceError(
            f"{self.arch} does not take this input{place}{f' ({given})' if path and given else ''}: {error}"
        )

    def _is_sequence(self, answer: Tensor) -> bool:
        """Return whether these are scores of every place of a sequence, classes last."""
        first = _leaves(self.parts.sample)[0].shape
        return (
            answer.ndim == SEQUENCE_DIMENSIONS
            and len(first) == 1
            and answer.shape[1] == first[0] != answer.shape[2]
        )

    def _inputs(self, batch: int) -> Any:
        sample = self.parts.sample
        if isinstance(sample, Leaf):
            return self._tensor(batch, sample)
        if isinstance(sample, Mapping):
            return {name: self._tensor(batch, leaf) for name, leaf in sample.items()}
        return tuple(self._tensor(batch, leaf) for leaf in sample)

    def _tensor(self, batch: int, leaf: Leaf) -> Tensor:
        dtype = leaf.dtype or (torch.int64 if self.whole and len(leaf.shape) == 1 else torch.float32)
        made = self.stage.input(batch, *leaf.shape, dtype=dtype)
        if self.step.get("channels_last") and made.ndim == 4:  # noqa: PLR2004 - images
            return made.contiguous(memory_format=torch.channels_last)
        return made

    @staticmethod
    def _called(model: Any, inputs: Any) -> Any:
        if isinstance(inputs, Mapping):
            return model(**inputs)
        return model(*inputs) if isinstance(inputs, tuple) else model(inputs)

    def train_step(self, batch: int) -> None:
        """One optimizer step: `accumulate` micro-batches, clipping, step, EMA."""
        self.optimizer.zero_grad()
        for _ in range(int(self.step.get("accumulate", 1))):
            self._micro_batch(batch)
        with self.stage.phase("optimizer step"):
            if self.step.get("gradient_clip"):
                self.scaler.unscale_(self.optimizer)
                self.stage.clip_grad_norm(self.net.parameters(), 1.0)
            self.scaler.step(self.optimizer)
            self.scaler.update()
        if self.ema is not None:
            with self.stage.phase("EMA"), torch.no_grad():
                for average, now in zip(self.ema.parameters(), self.net.parameters(), strict=True):
                    average.mul_(0.999).add_(now, alpha=0.001)

    def _micro_batch(self, batch: int) -> None:
        self.inputs = self._inputs(batch)
        with self.stage.autocast(self.precision):
            if self.parts.step is not None:
                with self.stage.phase("generator forward"), _callers_errors(f"the step of {self.arch}"):
                    self.loss = _loss_in(self.parts.step(self.model, self.inputs), "the step")
            else:
                self._forward(batch)
        with self.stage.phase("generator backward"):
            self.scaler.scale(self.loss).backward()  # type: ignore[no-untyped-call, unused-ignore]  # untyped in some versions of torch

    def _forward(self, batch: int) -> None:
        dtype = torch.int64 if self.classes else torch.float32
        if not self.own_loss:
            self.truth = self.stage.input(batch, *self.truth_shape, dtype=dtype)
        with self.stage.phase("generator forward"):
            self.output = self._called(self.model, self.inputs)
        answer, _ = _answer(self.output, self.arch)
        with self.stage.phase("loss"), _callers_errors("the loss"):
            if self.own_loss:
                self.loss = answer
                return
            truth = self.truth
            if self.classes and self._is_sequence(answer):
                answer, truth = answer.flatten(0, 1), truth.flatten()
            self.loss = _loss_in(self.loss_function(answer, truth), "the loss")

    def validate(self, height: int, width: int) -> None:
        """Run the network (its EMA copy if there is one) on one sample of that size, under autocast."""
        net = self.ema if self.ema is not None else self.net.eval()
        leaves = [Leaf((*leaf.shape[:-2], height, width), leaf.dtype) for leaf in _leaves(self.parts.sample)]
        with torch.no_grad(), self.stage.autocast(self.precision):
            net(*(self._tensor(1, leaf) for leaf in leaves))
        self.net.train()

    def checkpoint(self) -> dict[str, Any]:
        """Return weights, optimizer state and EMA copy in one file."""
        state = {"model": self.net.state_dict(), "optimizer": self.optimizer.state_dict()}
        if self.ema is not None:
            state["ema"] = self.ema.state_dict()
        return {"checkpoint_N.pt": state}


def _leaves(sample: Sample) -> list[Leaf]:
    if isinstance(sample, Leaf):
        return [sample]
    return list(sample.values() if isinstance(sample, Mapping) else sample)


def _answer(output: Any, arch: str) -> tuple[Tensor, bool]:
    """Return what a loss is taken of, or the loss that the network returns itself, and whether it is that."""
    if isinstance(output, Tensor):
        return output, output.ndim == 0
    loss, answer = named_tensors(output)
    if loss is not None:
        return loss, True
    if answer is not None:
        return answer, False
    tensor = next(tensors_in(output), None)
    if tensor is None:
        raise CannotTraceError(
            f"{arch} returns {type(output).__name__} without a tensor: give a step=function"
        )
    return tensor, False


def named_tensors(output: Any) -> tuple[Tensor | None, Tensor | None]:
    """Return the loss that a network returns by name, and what libraries call its answer; None if absent."""

    def tensor(name: str) -> Tensor | None:
        value = output.get(name) if isinstance(output, Mapping) else getattr(output, name, None)
        return value if isinstance(value, Tensor) else None

    loss = tensor("loss")
    answer = next((value for name in OUTPUT_NAMES if (value := tensor(name)) is not None), None)
    return (loss.mean() if loss is not None and loss.ndim else loss), answer


def tensors_in(value: Any) -> Iterator[Tensor]:
    """Yield the floating tensors in what a network returns."""
    if isinstance(value, Tensor):
        if value.is_floating_point():
            yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from tensors_in(item)
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
        for item in value:
            yield from tensors_in(item)


def _loss_in(value: Any, who: str) -> Tensor:
    loss = value if isinstance(value, Tensor) else next(tensors_in(value), None)
    if loss is None:
        raise CannotTraceError(f"{who} returns {type(value).__name__}, expected the loss as a tensor")
    return loss.mean() if loss.ndim else loss


@contextmanager
def _callers_errors(who: str) -> Iterator[None]:
    """Say of the caller's own function what it does not take."""
    try:
        yield
    except (TypeError, ValueError, RuntimeError, IndexError, AssertionError, AttributeError) as error:
        if isinstance(error, TrainlintError):
            raise
        raise CannotTraceError(f"{who} does not take what it is given: {error}") from error
