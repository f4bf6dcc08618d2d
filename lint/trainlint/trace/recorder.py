"""The recorder: every storage from birth to death and every operator, in the order in which they happen.

A storage is followed through a weak reference; its address serves as a key only while it lives. Sizes are
the storages' own bytes: the allocator's rounding comes after the affine evaluation.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from trainlint.tape import Event
from trainlint.trace import kernels
from trainlint.trace.checkpoint import HOST
from trainlint.trace.cost import Cost, costs
from trainlint.trace.operators import Rule, rule_of, stub_value, untraceable
from trainlint.trace.owners import Owners, in_backward

COMPOSITE = torch._C.DispatchKey.CompositeImplicitAutograd  # noqa: SLF001
ALLOC, FREE, OP, MARK = (int(event) for event in Event)


@dataclass(slots=True)
class Birth:
    """One storage as recorded: bytes, label, owner, virtual GPU, allocator stream."""

    nbytes: int
    kind: str
    owner: str
    device: int
    stream: int


@dataclass
class Recording:
    """What one trace saw; `events` pairs an Event with an index into the matching list."""

    events: list[tuple[int, int]] = field(default_factory=list)
    blocks: list[Birth] = field(default_factory=list)
    ops: list[tuple[Cost, int]] = field(default_factory=list)  # with the virtual GPU
    marks: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class _Life(weakref.ref[Any]):
    """A weak reference to a storage that knows which block it is."""

    __slots__ = ("address", "index")
    index: int
    address: int


class Memory:
    """Answers remembered across the traces of one step: call key -> outputs, kernels' costs."""

    def __init__(self) -> None:
        self.calls: dict[Any, tuple[kernels.Outputs, tuple[Cost, ...]] | None] = {}
        self.in_place: dict[Any, tuple[Cost, ...]] = {}


class Recorder(TorchDispatchMode):
    """A dispatch mode that records meta tensors; CPU tensors pass unseen (host memory)."""

    def __init__(self, memory: Memory | None = None) -> None:
        super().__init__()
        self.tape = Recording()
        self.owners = Owners()
        self._memory = memory or Memory()
        self._live: dict[int, _Life] = {}
        self._op_index: dict[tuple[Cost, int], int] = {}
        self._mark_index: dict[str, int] = {}
        self._kind = ""
        self._owner = ""
        self._stream = 0
        self._closed = False
        self._muted = False
        self._handlers: dict[Any, Callable[..., Any]] = {}
        self._ways: dict[Rule, Callable[..., Any]] = {
            Rule.VIEW: lambda func, args, kwargs: func(*args, **kwargs),
            Rule.IN_PLACE: self._in_place,
            Rule.FRESH: self._fresh,
            Rule.FOREACH: self._foreach,
            Rule.CALL: self._call,
            Rule.COMPOSITE: self._composite,
            Rule.SCALAR: self._scalar,
            Rule.TO_COPY: self._to_copy,
        }

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # nothing is compiled here, and the guard costs as much as the answer

    # -- what happens -------------------------------------------------------------------------------------

    def __torch_dispatch__(self, func: Any, _types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Answer one operator and record what it allocates and costs."""
        handler = self._handlers.get(func)
        if handler is None:
            handler = self._handlers[func] = self._ways[rule_of(func)]
        try:
            return handler(func, args, kwargs or {})
        except NotImplementedError as error:
            raise untraceable(func, self.owners.where(), error) from error
        except torch._subclasses.fake_tensor.DataDependentOutputException as error:  # noqa: SLF001
            raise untraceable(func, self.owners.where(), error) from error

    def _fresh(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        try:
            key = kernels.key_of(func, args, kwargs)
        except kernels.Unkeyed:
            return self._call(func, args, kwargs)
        known = self._memory.calls.get(key)
        if known is None:
            return self._first(key, func, args, kwargs)
        outputs, work = known
        made = []
        for layout in outputs.layouts:
            if layout is None:
                made.append(None)
            else:
                tensor = layout.make()
                if layout.nbytes:
                    self._born(tensor.untyped_storage(), layout.nbytes)
                made.append(tensor)
        self._work(work)
        return made[0] if outputs.pack is None else outputs.pack(made)

    def _first(self, key: Any, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        result = func(*args, **kwargs)
        fresh = self._births(result)
        work = costs(func._schema.name.split("::")[1], args, kwargs, result)  # noqa: SLF001
        outputs = kernels.learn(result, fresh)
        if outputs is not None:
            self._memory.calls[key] = (outputs, work)
        self._work(work)
        return result

    def _call(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        out = kwargs.get("out")
        result = func(*args, **kwargs)
        self._births(result)
        if isinstance(out, Tensor):
            self._resized(out)
        for first in args[:1]:
            if isinstance(first, Tensor) and first.is_meta:
                self._resized(first)
        if isinstance(result, Tensor) and not result.is_meta:
            return result
        self._work(costs(func._schema.name.split("::")[1], args, kwargs, result))  # noqa: SLF001
        return result

    def _in_place(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        try:
            key = kernels.key_of(func, args, kwargs)
        except kernels.Unkeyed:
            return self._call(func, args, kwargs)
        work = self._memory.in_place.get(key)
        if work is None:  # the first time torch checks the shapes
            func(*args, **kwargs)
            work = costs(func._schema.name.split("::")[1], args, kwargs, args[0])  # noqa: SLF001
            self._memory.in_place[key] = work
        self._work(work)
        return args[0]

    def _foreach(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        name = func._schema.name.split("::")[1]  # noqa: SLF001
        if not all(t.is_meta for t in args[0] if isinstance(t, Tensor)):
            return func(*args, **kwargs)
        result = kernels.foreach(name, args)
        for tensor in result or ():
            self._born(tensor.untyped_storage(), tensor.untyped_storage().nbytes())
        self._work(costs(name, args, kwargs, result))
        return result

    def _composite(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        with self:  # the C++ composite: torch's Python decompositions copy where it does not
            return func._op_dk(COMPOSITE, *args, **kwargs)  # noqa: SLF001

    def _scalar(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        tensor = args[0]
        if not tensor.is_meta:
            return func(*args, **kwargs)
        value = stub_value(tensor.dtype)
        where = self.owners.scope().owner
        if where:  # outside of modules it is the trainer's log or GradScaler, which decide nothing here
            self.note(f'"{where}" reads a value on the CPU: taken as {value}')
        return value

    def _to_copy(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        device = kwargs.get("device")
        if device is None or device.type != "cpu" or not args[0].is_meta:
            return self._fresh(func, args, kwargs)
        host = torch.empty_like(args[0], dtype=kwargs.get("dtype"))  # host memory: made, not recorded
        setattr(host, HOST, True)
        return host

    # -- births and deaths ------------------------------------------------------------------------------

    def _births(self, result: Any) -> int:
        """Record the storages of a result that were not there before; returns how many tensors had one."""
        if isinstance(result, Tensor):
            return self._maybe_born(result)
        if isinstance(result, list | tuple):
            return sum(self._maybe_born(item) for item in result if isinstance(item, Tensor))
        return 0

    def _maybe_born(self, tensor: Tensor) -> int:
        if not tensor.is_meta:
            return 0
        storage = tensor.untyped_storage()
        if storage._cdata in self._live:  # noqa: SLF001
            return 0
        size = storage.nbytes()
        if size:
            self._born(storage, size)
        return 1

    def _born(self, storage: Any, nbytes: int) -> int:
        if self._muted:
            return -1
        scope = self.owners.scope()
        kind = self._kind or ("other" if in_backward() else "activations")
        tape = self.tape
        index = len(tape.blocks)
        tape.blocks.append(Birth(nbytes, kind, self._owner or scope.owner, scope.device, self._stream))
        tape.events.append((ALLOC, index))
        life = _Life(storage, self._died)
        life.index = index
        life.address = storage._cdata  # noqa: SLF001
        self._live[life.address] = life
        return index

    def _died(self, life: _Life) -> None:
        if not self._closed:
            self.tape.events.append((FREE, life.index))
            del self._live[life.address]

    def _resized(self, tensor: Tensor) -> None:
        """Record a storage that an `out=` or resize_ made larger: the old block goes, a new one comes."""
        storage = tensor.untyped_storage()
        life = self._live.get(storage._cdata)  # noqa: SLF001
        size = storage.nbytes()
        if life is None:
            if size:
                self._born(storage, size)
        elif self.tape.blocks[life.index].nbytes != size:
            self._born(storage, size)
            self.tape.events.append((FREE, life.index))

    def _work(self, work: tuple[Cost, ...]) -> None:
        if not work or self._muted:
            return
        device = self.owners.scope().device if self.devices_matter else 0
        for cost in work:
            entry = (cost, device)
            index = self._op_index.get(entry)
            if index is None:
                index = self._op_index[entry] = len(self.tape.ops)
                self.tape.ops.append(entry)
            self.tape.events.append((OP, index))

    devices_matter = False
    """Set under DataParallel: operators then say which virtual GPU they run on."""

    # -- what a stage asks ---------------------------------------------------------------------------------

    def adopt(self, tensor: Tensor, kind: str, owner: str = "") -> None:
        """Record a tensor that was made unseen; one that is known is only relabelled."""
        storage = tensor.untyped_storage()
        if storage._cdata in self._live:  # noqa: SLF001
            self.relabel(tensor, kind, owner)
        elif tensor.is_meta and storage.nbytes():
            with self.label(kind, owner=owner):
                self._born(storage, storage.nbytes())

    def relabel(self, tensor: Tensor, kind: str, owner: str = "") -> None:
        """Change what a live storage is for, after the fact."""
        life = self._live.get(tensor.untyped_storage()._cdata)  # noqa: SLF001
        if life is not None:
            block = self.tape.blocks[life.index]
            block.kind = kind
            block.owner = owner or block.owner

    def owner_of(self, tensor: Tensor) -> str:
        """Return the owner of a live storage, "" for one that is not known."""
        life = self._live.get(tensor.untyped_storage()._cdata)  # noqa: SLF001
        return self.tape.blocks[life.index].owner if life is not None else ""

    def mark(self, name: str) -> None:
        """Name this moment."""
        index = self._mark_index.setdefault(name, len(self._mark_index))
        if index == len(self.tape.marks):
            self.tape.marks.append(name)
        self.tape.events.append((MARK, index))

    def note(self, text: str) -> None:
        """Keep a remark, once."""
        if text not in self.tape.notes:
            self.tape.notes.append(text)

    @contextmanager
    def label(self, kind: str, *, owner: str = "", stream: int = 0) -> Iterator[None]:
        """Label what is born inside."""
        before = (self._kind, self._owner, self._stream)
        self._kind, self._owner, self._stream = kind, owner, stream
        try:
            yield
        finally:
            self._kind, self._owner, self._stream = before

    @contextmanager
    def muted(self) -> Iterator[None]:
        """Record nothing inside (host memory, or what a fused kernel does without temporaries)."""
        before, self._muted = self._muted, True
        try:
            yield
        finally:
            self._muted = before

    def close(self) -> Recording:
        """Stop following storages; what still lives has no FREE."""
        self._closed = True
        self._live.clear()
        return self.tape
