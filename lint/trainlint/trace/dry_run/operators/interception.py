# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The dispatch mode of a dry run: the recorder, in a program that has a CPU too and asks for a GPU.

What happens on the CPU alone goes through untouched. What is asked for on a GPU is made on meta and recorded;
values are followed where they are known (known_values.py), sizes that depend on unknown ones are guessed.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import torch
from torch import Tensor

from trainlint.trace.cuda.accumulate import ADD, accumulates
from trainlint.trace.dry_run.operators import shapeless_operators
from trainlint.trace.dry_run.operators.guesses import Guesses
from trainlint.trace.dry_run.operators.known_values import CPU, Values
from trainlint.trace.dry_run.outcome import NO_RULE
from trainlint.trace.dry_run.steps.live_ledger import LiveLedger
from trainlint.trace.dry_run.torch_names import TENSOR_CLASS_MODULES, HigherOrderOperator, fake_mode, is_meta
from trainlint.trace.dry_run.truth import TRUTH
from trainlint.trace.recording.operator_kinds import OperatorKind, name_of, rule_of
from trainlint.trace.recording.recorder import OperatorCache, Recorder
from trainlint.trace.torch_private import address_of

META: Final = torch.device("meta")
SHARDED_DRAW: Final = "run_dtensor_rng_op"
MIXED: Final = frozenset(
    {
        "convolution", "mm", "addmm", "bmm", "baddbmm", "embedding", "native_layer_norm", "native_batch_norm",
        "native_group_norm", "cat", "add", "sub", "mul", "div", "mse_loss", "nll_loss_forward",
        "binary_cross_entropy", "binary_cross_entropy_with_logits",
    }
)  # fmt: skip
"""Operators that CUDA refuses for tensors on two devices, and meta does not always."""


class Interceptor(Recorder):
    """The recorder of a whole program."""

    supports_higher_order_operators = True

    def __init__(self, ledger: LiveLedger, guesses: Guesses) -> None:
        super().__init__(ledger)
        self.values = Values()
        self.guesses = guesses
        self.reads = 0
        """How often something followed from the values of tensors on the GPU: a number, a size, a copy."""
        self.genuine: dict[int, weakref.ref[Any]] = {}
        """Storages that the program itself wanted on meta, by address."""
        self.written: Callable[[Tensor], None] = lambda _tensor: None
        """Told of every write in place."""
        self.collective: Callable[..., Any] = lambda func, args, kwargs: func(*args, **kwargs)
        """Answers what is sent between processes."""
        self._answers: dict[int, Callable[..., Any]] = {}
        self._memories = {torch.get_default_dtype(): self._memory}
        self._followed_set = self._followed(self._ways[OperatorKind.CALL], mixed=False)
        self._named: dict[str, Callable[..., Any]] = {
            "_to_copy": self._moved, "copy_": self._copied, "_local_scalar_dense": self._value,
            "equal": self._equal, "_amp_foreach_non_finite_check_and_unscale_": self._unscaled,
            "set_": self._set, "record_stream": lambda *_: None, "_assert_async": lambda *_: None,
            "_pin_memory": lambda _func, args, _kwargs: args[0],
        }  # fmt: skip

    def __torch_dispatch__(  # noqa: C901, PLR0911, PLR0912 - where an operator belongs, in one place: it is asked for each
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Answer one operator: pass it on, or record it."""
        before = TRUTH.depth
        TRUTH.depth = before + 1
        try:
            if isinstance(func, HigherOrderOperator):
                return self._higher_order(func, args, kwargs or {})
            if func is ADD and accumulates(args, kwargs, self._sole) and is_meta(args[0]):
                return self._sum(*args)
            kwargs = kwargs or {}
            where = kwargs.get("device")
            if fake_mode() is not None:  # beneath this one: what is made in it are shapes, and no memory
                on_meta = {"device": META} if where is not None and where.type == "cuda" else {}
                return func(*args, **{**kwargs, **on_meta})
            if where is None:
                if not _any_meta(args, kwargs):
                    return self._elsewhere(func, args, kwargs)
            elif where.type == "cuda":
                if any(is_strange(kind) for kind in types):
                    return _strangers_answer(func, types, args, kwargs)
                return self._on_gpu(func, args, {**kwargs, "device": META})
            elif where.type == "cpu":
                if not _any_meta(args, kwargs):
                    return func(*args, **kwargs)
            elif where.type != "meta":
                return func(*args, **kwargs)
            elif TRUTH.genuine:
                return self._wanted_on_meta(func(*args, **kwargs))
            if any(is_strange(kind) for kind in types):
                return _strangers_answer(func, types, args, kwargs)
            if self.genuine and self._only_genuine(args, kwargs):
                return self._wanted_on_meta(func(*args, **kwargs))
            return self._on_gpu(func, args, kwargs)
        finally:
            TRUTH.depth = before

    def _higher_order(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Run what is drawn at random for a shard: of operators that take others no other is known."""
        if func.name() != SHARDED_DRAW:
            raise NotImplementedError(f"{NO_RULE} {func.name()}")
        _begin, _end, drawn, *rest = args
        with self:
            return drawn(*rest, **kwargs)

    def _elsewhere(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Run what has no tensor on the GPU; in inference mode a move to it comes here whole."""
        if rule_of(func) is OperatorKind.COMPOSITE and any(
            isinstance(arg, torch.device) and arg.type == "cuda" for arg in args
        ):
            return self._composite(func, args, kwargs)
        return func(*args, **kwargs)

    def _wanted_on_meta(self, result: Any) -> Any:
        if isinstance(result, Tensor):
            storage = result.untyped_storage()
            address = address_of(storage)
            self.genuine[address] = weakref.ref(storage, lambda _gone: self.genuine.pop(address, None))
        return result

    def _on_gpu(self, func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        if kwargs.get("generator") is not None:
            kwargs = {**kwargs, "generator": None}
        self._memory = self._memories.get(torch.get_default_dtype()) or self._remembering()
        answer = self._answers.get(id(func))
        if answer is None:
            answer = self._answers[id(func)] = self._answer_for(func)
        if not self.ledger.devices_matter:
            return answer(func, args, kwargs)
        with self.ledger.running(args):
            return answer(func, args, kwargs)

    def _remembering(self) -> OperatorCache:
        """Begin to remember what operators give with another default type: many do not name theirs."""
        return self._memories.setdefault(torch.get_default_dtype(), OperatorCache())

    def _only_genuine(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        tensors = [t for t in _flat((args, tuple(kwargs.values()))) if is_meta(t)]
        return bool(tensors) and all(address_of(t.untyped_storage()) in self.genuine for t in tensors)

    def _answer_for(self, func: Any) -> Callable[..., Any]:  # noqa: PLR0911 - one for each kind of answer
        name = name_of(func)
        if func.namespace == "c10d":
            return self.collective
        if name in self._named:
            return self._named[name]
        if name in shapeless_operators.SIZED:
            return self._sized
        rule = rule_of(func)
        way = self._ways[rule]
        if rule is OperatorKind.VIEW or rule is OperatorKind.COMPOSITE:
            return way
        if rule is OperatorKind.FOREACH:
            return self._followed_lists(way)
        if name in shapeless_operators.MASKED:
            return self._indexed(way)
        return self._followed(way, mixed=name in MIXED)

    def _followed_lists(self, way: Callable[..., Any]) -> Callable[..., Any]:
        def answer(func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
            result = way(func, args, kwargs)
            self.values.follow_lists(func, args)
            return result

        return answer

    def _followed(self, way: Callable[..., Any], *, mixed: bool) -> Callable[..., Any]:
        def answer(func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
            if mixed:
                _check_devices(args)
            try:
                result = way(func, args, kwargs)
            except (NotImplementedError, RuntimeError) as error:
                result = shapeless_operators.answered(self, func, args, kwargs, error)
            self.values.follow(func, args, kwargs, result)
            if self.values.written(func):
                self.written(args[0])
            return result

        return answer

    def _indexed(self, way: Callable[..., Any]) -> Callable[..., Any]:
        plain = self._followed(way, mixed=False)

        def answer(func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
            return plain(func, shapeless_operators.indices(self, args), kwargs)

        return answer

    def _sized(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        return shapeless_operators.answered(self, func, args, kwargs)

    def _value(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        self.reads += 1
        twin = self.values.twin(args[0])
        if twin is not None:
            return func(twin, **kwargs)
        return self.guesses.value("a number", args[0].dtype)

    def _equal(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        self.reads += 1
        known = self.values.known(func, args, kwargs)
        if known is not None:
            return bool(func(*known[0]))
        return bool(self.guesses.value("whether two tensors are equal", torch.bool))

    def _set(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Give a tensor a storage: one on meta that no operator made is the program's own."""
        storage = args[1] if len(args) > 1 and not isinstance(args[1], Tensor) else None
        ledger: Any = self.ledger  # of the dry run's kind
        if storage is None or TRUTH.loading or ledger.knows(address_of(storage)):
            return self._followed_set(func, args, kwargs)
        return self._wanted_on_meta(func(*args, **kwargs))

    def _unscaled(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        self._foreach(func, args, kwargs)  # the gradients count as finite: found_inf stays what it was

    def _moved(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        device = kwargs.get("device")
        if device is None or device.type != "cpu":
            result = self._fresh(func, args, kwargs)
            self.values.follow(func, args, kwargs, result)
            return result
        return self.on_cpu(args[0], kwargs.get("dtype") or args[0].dtype)

    def on_cpu(self, tensor: Tensor, dtype: torch.dtype) -> Tensor:
        """Return a copy of a tensor on the CPU: its values where they are known, else a constant."""
        self.reads += 1
        twin = self.values.twin(tensor)
        if twin is not None:
            return twin.to(dtype, copy=True)
        return self.guesses.tensor("a tensor", tensor, {"dtype": dtype, "device": CPU})

    def _copied(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        target, source = args[0], args[1]
        if not is_meta(target):
            return func(target, self.on_cpu(source, source.dtype), *args[2:], **kwargs)
        result = self._in_place(func, args, kwargs)
        whole = (
            target.is_contiguous() and target.numel() * target.itemsize == target.untyped_storage().nbytes()
        )
        if whole and self.values.twin(target) is None:
            values = self.values.twin(source) if is_meta(source) else source
            if values is not None and values.numel() <= target.numel() and self.values.fits(target):
                self.values.keep(target, torch.empty_like(target, device=CPU).copy_(values))
        else:
            self.values.follow(func, args, kwargs, result)
        self.written(target)
        return result


def _any_meta(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    for arg in args:
        if isinstance(arg, Tensor):
            if is_meta(arg):
                return True
        elif isinstance(arg, (list, tuple)):
            for item in arg:
                if isinstance(item, Tensor) and is_meta(item):
                    return True
    return bool(kwargs) and any(isinstance(value, Tensor) and is_meta(value) for value in kwargs.values())


def _flat(value: Any) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in _flat(item)]
    return []


def _check_devices(args: Sequence[Any]) -> None:
    """Refuse a call with tensors on the CPU and on the GPU as CUDA does; numbers may be on either."""
    first: Tensor | None = None
    for tensor in _flat(args):
        if not tensor.dim():
            continue
        if first is None:
            first = tensor
        elif is_meta(first) != is_meta(tensor):
            raise RuntimeError(
                "Expected all tensors to be on the same device, but found at least two devices, "
                "cuda:0 and cpu!"
            )


def is_strange(kind: type) -> bool:
    """Return whether a class of tensors answers for itself: those of torch.distributed, and FakeTensor."""
    return kind is not Tensor and kind.__module__.startswith(TENSOR_CLASS_MODULES)


def _strangers_answer(func: Any, types: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Let DTensor and FakeTensor answer for themselves: their own operators come back one by one."""
    if any(kind.__name__ == "FakeTensor" for kind in types):
        return func(*args, **kwargs)
    return NotImplemented
