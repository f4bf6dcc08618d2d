# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Rounds: what happens until the steady state repeats. The optimizers' steps are the clock.

A round is over when every optimizer that takes part has stepped and one of them is about to repeat itself: a
GAN's two optimizers are one round, so is gradient accumulation. A program without an optimizer writes to its
leaves after a backward. The second round is the steady one, or the first one after it that ends with as much
as it began with and evaluates no more than the first did; later ones are only compared with it.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from contextlib import ExitStack
from functools import wraps
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules import module as hooks
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from trainlint.tape import VALIDATION
from trainlint.trace.dry_run.steps.live_ledger import LiveLedger
from trainlint.trace.dry_run.steps.roles import Roles
from trainlint.trace.dry_run.truth import TRUTH
from trainlint.trace.torch_private import address_of

RECORDED_ROUNDS = 2
"""Rounds whose events are kept: the one in which optimizers make their state, and a steady one."""
MOST_ROUNDS = 8
"""Rounds after which none is waited for any longer that ends with as much as it began with: where a step
draws at random what it does, one in a few does."""
IMAGES = 4
"""Dimensions of a batch of images."""
SLACK_BYTES = 1 << 16
"""Bytes by which a round that closes may grow."""
CLOSURE = 1
"""Where an optimizer's step takes the closure that computes its loss, behind the optimizer."""
PATIENCE = 6
"""Repeats of one optimizer after which another that never stepped is waited for no longer (a critic)."""


class Rounds:
    """The clock of one run."""

    def __init__(
        self, ledger: LiveLedger, roles: Roles, wanted: int, until: str, done: Callable[[], None]
    ) -> None:
        self.ledger, self.roles, self.wanted, self.until, self.done = ledger, roles, wanted, until, done
        self.validating = False
        self.has_saved = False
        self.image: tuple[int, int] | None = None
        """Height and width of the largest image that a validation gives the network."""
        self.at_backward: Callable[[], None] = lambda: None
        self.at_forward: Callable[[], None] = lambda: None
        self.at_end: Callable[[int], None] = lambda _count: None
        """Called at a forward of a whole network, and at a round's end with its number."""
        self.recorded: Callable[[], None] = lambda: None
        """Told when the steps are recorded and the program goes on, to a validation that may be far."""
        self.count = 0
        self.peaks: list[int] = []
        self.lives: list[int] = []
        self.backwards = 0
        self.ended: list[int] = []
        """Where in the ledger's events each round ended, as long as they were kept."""
        self._stepped: dict[int, int] = {}  # optimizer -> steps in this round
        self._known: dict[int, Any] = {}  # optimizers that stepped at all
        self._made: dict[int, Any] = {}
        self._at = (0, 0, 0)  # where the last step ended: events, live, evaluated
        self._peak = 0  # of this round, up to there
        self._by_hand = False  # a leaf was written after a backward
        self._evaluated = 0  # forwards without gradients of a network that is trained and now evaluated
        self._evaluations: list[int] = []  # how many there were at each round's end
        self._nested = 0
        self._forward = 0
        self._backward = 0
        self._phase = ""
        self._labels: list[ExitStack] = []

    def begin(self) -> None:
        """Watch optimizers, backwards and forwards from here on."""
        self.ledger.mark("setup")
        register_optimizer_step_pre_hook(self._before_step)
        register_optimizer_step_post_hook(self._after_step)
        hooks.register_module_forward_pre_hook(self._before_forward)
        hooks.register_module_forward_hook(self._after_forward, always_call=True)
        torch.autograd.backward = self._watched(torch.autograd.backward)
        torch.autograd.grad = self._watched(torch.autograd.grad)
        made = torch.optim.Optimizer.__init__
        known = self._made

        def init(optimizer: Any, *args: Any, **kwargs: Any) -> None:
            made(optimizer, *args, **kwargs)
            known[id(optimizer)] = optimizer

        torch.optim.Optimizer.__init__ = init  # type: ignore[method-assign, assignment]  # replaced on purpose

    def _enter(self, phase: str) -> None:
        if self._phase != phase:
            self._phase = phase
            if not self.count and "step 1" not in self.ledger.tape.marks:
                self.ledger.mark("step 1")
            self.ledger.mark(phase)

    def _before_forward(self, module: nn.Module, args: Any) -> None:
        self._forward += 1
        if self._forward == 1 and not TRUTH.depth:
            self.at_forward()
            self.roles.meet(module)
            if torch.is_grad_enabled() and not self._backward:
                self._validated()
                self._enter("forward")
            elif not torch.is_grad_enabled():
                self._evaluates(module, args)

    def _evaluates(self, module: nn.Module, args: Any) -> None:
        if not module.training and any(p.requires_grad for p in module.parameters()):
            self._evaluated += 1
        if self.count >= self.wanted and not module.training:
            self._validates(args)
        elif not self._backward and "step 1" in self.ledger.tape.marks:
            self._enter("forward")

    def _validates(self, args: Any) -> None:
        """Record a validation: the first forward without gradients in evaluation mode after the rounds."""
        if self.until == VALIDATION and not self.validating:
            self.validating = True
            gc.collect(1)
            self.ledger.resume()
            self.ledger.mark(VALIDATION)
        for given in args if self.validating else ():
            if isinstance(given, Tensor) and given.dim() == IMAGES:
                height, width = given.shape[-2:]
                known = self.image or (0, 0)
                self.image = max(known, (height, width), key=lambda size: size[0] * size[1])

    def _validated(self) -> None:
        """End after the validation, as soon as training goes on."""
        if self.validating:
            self.done()

    def saved(self) -> None:
        """End after the first checkpoint, where that is wanted."""
        if self.until == "checkpoint" and self.count >= self.wanted:
            self.has_saved = True
            self.done()

    def _after_forward(self, _module: nn.Module, _args: Any, _output: Any) -> None:
        self._forward = max(self._forward - 1, 0)

    def _watched(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def backward(*args: Any, **kwargs: Any) -> Any:
            if self._by_hand and not self._backward:
                self._over()
            if not self._backward:
                self._enter("backward")
                self.at_backward()
            self._backward += 1
            try:
                return function(*args, **kwargs)
            finally:
                self._backward -= 1
                self.backwards += 1
                if not self._backward:
                    self._phase = "between"

        return backward

    def _before_step(self, optimizer: Any, args: Any, kwargs: Any) -> tuple[Any, Any] | None:
        self._nested += 1
        if self._nested > 1:
            return None
        self._validated()
        if self._repeats(optimizer):
            self._over()
        parameters = [p for group in optimizer.param_groups for p in group["params"]]
        self.roles.trained.update((id(p), weakref.ref(p)) for p in parameters)
        self._steps(optimizer)
        if callable(kwargs.get("closure")):
            return args, {**kwargs, "closure": self._whole_step(optimizer, kwargs["closure"])}
        if len(args) > CLOSURE and callable(args[CLOSURE]):
            return (*args[:CLOSURE], self._whole_step(optimizer, args[CLOSURE])), kwargs
        return None

    def _steps(self, optimizer: Any) -> None:
        """Take what is made from here on for the optimizer's."""
        self.roles.label_gradients([p for group in optimizer.param_groups for p in group["params"]])
        self._enter("optimizer")
        stack = ExitStack()
        stack.enter_context(self.ledger.label("optimizer", owner=f"{self.roles.of(optimizer)}:optimizer"))
        self._labels.append(stack)

    def _whole_step(self, optimizer: Any, closure: Callable[[], Any]) -> Callable[[], Any]:
        """Return a closure whose forward and backward (Lightning's are in one) are not the optimizer's."""

        @wraps(closure)
        def outside() -> Any:
            self._labels.pop().close()
            try:
                return closure()
            finally:
                self._steps(optimizer)

        return outside

    def _after_step(self, optimizer: Any, _args: Any, _kwargs: Any) -> None:
        self._nested = max(self._nested - 1, 0)
        if self._nested:
            return
        if self._labels:
            self._labels.pop().close()
        self._stepped[id(optimizer)] = self._stepped.get(id(optimizer), 0) + 1
        self._known[id(optimizer)] = optimizer
        gc.collect(1)
        self._remember()
        if self._is_last():
            self._over()

    def _remember(self) -> None:
        self._at = (len(self.ledger.tape.events), self.ledger.live, self._evaluated)
        self._peak = max(self._peak, self.ledger.restart_peak())

    def _waiting(self) -> bool:
        """Return whether an optimizer with something to train has not stepped yet."""
        return any(
            key not in self._known
            and any(p.requires_grad for group in made.param_groups for p in group["params"])
            for key, made in self._made.items()
        )

    def _repeats(self, optimizer: Any) -> bool:
        """Return whether a step of this optimizer begins another round."""
        steps = self._stepped.get(id(optimizer), 0)
        if not steps:
            return False
        if any(key not in self._stepped for key in self._known):
            return False
        return not self._waiting() or steps >= PATIENCE

    def _is_last(self) -> bool:
        """Return whether the round that ends the run is certainly over: all that step have stepped."""
        if self.count + 1 < self.wanted or not self.count:
            return False
        return all(key in self._stepped for key in self._known)

    def wrote(self, tensor: Tensor) -> None:
        """Notice a write to a leaf between backwards where no optimizer steps."""
        if (
            self._nested
            or self._known
            or not self.backwards
            or self._backward
            or torch.is_inference_mode_enabled()
        ):
            return
        if self.ledger.kind_of(address_of(tensor.untyped_storage())) == "parameters":
            self._by_hand = True
            self._remember()

    @property
    def closes(self) -> bool:
        """Whether the last round that is kept ended with as much as it began with, and evaluated no more."""
        last = len(self.ended) - 1
        if last + 1 < RECORDED_ROUNDS:
            return False
        evaluated = self._evaluations[last] - self._evaluations[last - 1]
        return (
            evaluated <= self._evaluations[0] and abs(self.lives[last] - self.lives[last - 1]) <= SLACK_BYTES
        )

    @property
    def optimizers(self) -> int:
        """How many optimizers there are, those that never stepped among them."""
        return len(self._made.keys() | self._known.keys())

    @property
    def larger(self) -> float:
        """By what share another round than the one that is kept took more."""
        last = len(self.ended)
        return max(self.peaks[1:], default=0) / max(self.peaks[last - 1], 1) - 1 if last else 0.0

    def _over(self) -> None:
        """End a round where the last step ended."""
        events, live, evaluated = self._at
        self.count += 1
        self.at_end(self.count)
        self._stepped = {}
        self._by_hand = False
        self.peaks.append(self._peak)
        self._peak = 0
        self.lives.append(live)
        self._evaluations.append(evaluated)
        if self.count == 1:
            self.roles.relabel()
        if not self.ledger.paused:
            self.ended.append(events)
            if self.closes or self.count >= MOST_ROUNDS:
                self.ledger.pause()
            elif self.count >= RECORDED_ROUNDS:
                self.wanted = max(self.wanted, self.count + 1)
        if self.count >= self.wanted and self.until == "step":
            self.done()
        elif self.count == self.wanted:
            self.recorded()
