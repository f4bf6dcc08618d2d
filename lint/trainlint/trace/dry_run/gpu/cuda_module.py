# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""torch.cuda and torch.accelerator as they answer on a machine with the wanted GPU.

Classes stay classes and every function is an object of its own: libraries annotate with the former and keep
the latter in tables.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch

from trainlint.tape import EMPTIED
from trainlint.trace.dry_run.gpu.device_identity import GPU
from trainlint.trace.dry_run.steps.live_ledger import LiveLedger
from trainlint.trace.dry_run.torch_names import ACCELERATOR, EXCHANGES, LAZY, SET_STREAM, count_as
from trainlint.trace.recording.operator_cost import Cost

WARP = 32
AMPERE = (8, 0)
CUDA = "12.8"
"""What torch.version.cuda says where torch was built without CUDA."""
ARCHITECTURES = ["sm_70", "sm_75", "sm_80", "sm_86", "sm_90"]
EMPTYING = (Cost("copy", 0, 0, 0, EMPTIED),)
"""What is recorded where a program empties the allocator's cache."""


class Stream:
    """A queue of a GPU; tensors made under another one than the default come from another pool."""

    made = 0

    def __init__(self, device: Any = None, priority: int = 0, **_ignored: Any) -> None:
        del device
        Stream.made += 1
        self.stream_id = self.cuda_stream = Stream.made
        self.device = GPU
        self.device_index = GPU.index
        self.device_type = 1
        self.priority = priority

    def synchronize(self) -> None:
        """Wait for nothing."""

    def query(self) -> bool:
        """Return that all is done."""
        return True

    def wait_stream(self, _stream: Any) -> None:
        """Wait for nothing."""

    def wait_event(self, _event: Any) -> None:
        """Wait for nothing."""

    def is_capturing(self) -> bool:
        """Return that no graph is captured."""
        return False

    def record_event(self, event: Any = None) -> Any:
        """Return an event that has happened."""
        return event or Event()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_error: object) -> None:
        """End nothing."""


class Event:
    """A moment of a stream: the time at which it was recorded."""

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        self.at = time.perf_counter()

    def record(self, _stream: Any = None) -> None:
        """Keep the time."""
        self.at = time.perf_counter()

    def wait(self, _stream: Any = None) -> None:
        """Wait for nothing."""

    def query(self) -> bool:
        """Return that it has happened."""
        return True

    def synchronize(self) -> None:
        """Wait for nothing."""

    def elapsed_time(self, other: Any) -> float:
        """Return the milliseconds between two events, never none: programs divide by them."""
        return max(float(other.at - self.at) * 1000, 1e-3)


class CudaModule:
    """The answers of torch.cuda for one GPU."""

    def __init__(self, gpu: dict[str, Any], count: int, ledger: Callable[[], LiveLedger]) -> None:
        self.gpu, self.count, self.ledger = gpu, count, ledger
        self.asked = False
        """Whether the program asked how much memory the GPU has: then another card is another run."""
        self.capability = tuple(gpu.get("capability") or (8, 9))
        self.default = Stream()
        self.stream = self.default

    def replacements(self) -> list[tuple[Any, str, Any]]:
        """Return (where, name, replacement)."""
        cuda = torch.cuda
        count_as(Stream, Event)
        replacements: list[tuple[Any, str, Any]] = [
            (cuda, name, _distinct(answer)) for name, answer in self._answers().items() if hasattr(cuda, name)
        ]
        lazy: dict[str, Any] = {"_is_compiled": lambda: True, "_lazy_init": lambda: None}
        replacements += [(cuda, name, lazy.get(name, _called)) for name in LAZY]
        replacements += [(cuda, name, lambda _device: GPU.index) for name in EXCHANGES]
        for where in (cuda, cuda.streams):
            replacements += [
                (where, "Stream", Stream),
                (where, "Event", Event),
                (where, "ExternalStream", Stream),
            ]
        replacements += [
            (torch, "Stream", Stream), (torch, "Event", Event), (cuda, "StreamContext", self._context()),
            (cuda, "stream", lambda stream: cuda.StreamContext(stream)),  # noqa: PLW0108 - asked for late
            (cuda, SET_STREAM, lambda *_args, **_kwargs: None),
            (cuda.random, "get_rng_state", _rng_state),
            (torch.backends.cuda, "is_built", lambda: True), (ACCELERATOR[0], ACCELERATOR[1], lambda: GPU),
        ]  # fmt: skip
        for name in (
            "memory_allocated",
            "max_memory_allocated",
            "memory_reserved",
            "empty_cache",
            "mem_get_info",
        ):
            replacements.append((cuda.memory, name, _distinct(self._answers()[name])))
        if torch.version.cuda is None:
            replacements.append((torch.version, "cuda", CUDA))
        if hasattr(torch, "accelerator"):
            replacements += [
                (torch.accelerator, name, _distinct(answer))
                for name, answer in self._accelerator().items()
                if hasattr(torch.accelerator, name)
            ]
        return [item for item in replacements if hasattr(item[0], item[1])]

    def _memory(self) -> int:
        """Return the bytes of the GPU, to a program that asks for them."""
        self.asked = True
        return int(self.gpu.get("memory") or 0)

    def _answers(self) -> dict[str, Callable[..., Any]]:
        states = lambda *_args, **_kwargs: [_rng_state() for _ in range(self.count)]  # noqa: E731 - one of a table
        return {
            "is_available": lambda: True, "device_count": lambda: self.count,
            "current_device": lambda: GPU.index, "is_initialized": lambda: True, "init": lambda: None,
            "set_device": _nothing, "synchronize": _nothing,
            "get_device_capability": lambda _device=None: self.capability,
            "get_device_name": lambda _device=None: self.gpu.get("name", "NVIDIA GPU"),
            "get_device_properties": lambda _device=None: self.properties(),
            "get_arch_list": lambda: ARCHITECTURES, "get_gencode_flags": lambda: "",
            "is_bf16_supported": lambda including_emulation=True: (
                including_emulation or self.capability >= AMPERE
            ),
            "is_tf32_supported": lambda: self.capability >= AMPERE,
            "can_device_access_peer": lambda _one, _other: True,
            "current_stream": lambda *_device, **_named: self.stream,
            "default_stream": lambda *_device, **_named: self.default,
            "set_stream": self._set_stream, "is_current_stream_capturing": lambda: False,
            "current_blas_handle": lambda: 0, "empty_cache": self._empty_cache, "ipc_collect": _nothing,
            "memory_allocated": lambda _device=None: self.ledger().live,
            "max_memory_allocated": lambda _device=None: self.ledger().peak,
            "memory_reserved": lambda _device=None: self.ledger().live,
            "max_memory_reserved": lambda _device=None: self.ledger().peak,
            "memory_cached": lambda _device=None: self.ledger().live,
            "max_memory_cached": lambda _device=None: self.ledger().peak,
            "mem_get_info": lambda _device=None: (self._memory() - self.ledger().live, self._memory()),
            "reset_peak_memory_stats": _nothing, "reset_max_memory_allocated": _nothing,
            "reset_max_memory_cached": _nothing, "reset_accumulated_memory_stats": _nothing,
            "memory_stats": lambda _device=None: _Counts(self.ledger()),
            "memory_summary": lambda *_a, **_k: "",
            "memory_snapshot": lambda *_a, **_k: [], "set_per_process_memory_fraction": _nothing,
            "device_memory_used": lambda _device=None: self.ledger().live,
            "utilization": lambda _device=None: 0, "temperature": lambda _device=None: 40,
            "power_draw": lambda _device=None: 0, "clock_rate": lambda _device=None: 1000,
            "memory_usage": lambda _device=None: 0, "list_gpu_processes": lambda *_args: "",
            "manual_seed": _nothing, "manual_seed_all": _nothing, "seed": _nothing, "seed_all": _nothing,
            "initial_seed": lambda: 0, "get_rng_state": _rng_state, "set_rng_state": _nothing,
            "get_rng_state_all": states, "set_rng_state_all": _nothing, "set_sync_debug_mode": _nothing,
            "get_sync_debug_mode": lambda: 0, "cudart": lambda: SimpleNamespace(
                cudaProfilerStart=_nothing, cudaProfilerStop=_nothing,
                cudaMemGetInfo=lambda _device: (self._memory() - self.ledger().live, self._memory())),
        }  # fmt: skip

    def _empty_cache(self, *_given: Any) -> None:
        """Record that the allocator gives back what it caches."""
        self.ledger().work(EMPTYING)

    def _accelerator(self) -> dict[str, Callable[..., Any]]:
        answers = self._answers()
        return {
            "is_available": lambda: True, "device_count": lambda: self.count,
            "current_accelerator": lambda *_check, **_named: torch.device("cuda"),
            "current_device_index": lambda: GPU.index, "current_device_idx": lambda: GPU.index,
            "set_device_index": _nothing, "set_device_idx": _nothing, "synchronize": _nothing,
            "current_stream": lambda *_device, **_named: self.stream, "set_stream": self._set_stream,
            "reset_peak_memory_stats": _nothing,
            **{name: answers[name] for name in (
                "empty_cache", "memory_allocated", "max_memory_allocated", "memory_reserved",
                "max_memory_reserved", "memory_stats")},
        }  # fmt: skip

    def _set_stream(self, stream: Any) -> None:
        self.stream = stream

    def _context(self) -> type:
        module = self

        class StreamContext:
            """Makes a stream the current one; what is made inside comes from that stream's pool."""

            def __init__(self, stream: Any) -> None:
                self.stream = stream

            def __enter__(self) -> None:
                self.before = module.stream
                if self.stream is not None:
                    module.stream = self.stream
                    other = self.stream is not module.default
                    self.label = module.ledger().streaming(self.stream.stream_id if other else 0)
                    self.label.__enter__()

            def __exit__(self, *error: Any) -> None:  # noqa: PYI036 - passed on
                if self.stream is not None:
                    module.stream = self.before
                    self.label.__exit__(*error)

        return StreamContext

    def properties(self) -> Any:
        """Return what get_device_properties says."""
        major, minor = self.capability
        return _Properties(
            self._memory, name=self.gpu.get("name", "NVIDIA GPU"), major=major, minor=minor,
            multi_processor_count=int(self.gpu.get("multiprocessors") or 1), warp_size=WARP,
            is_integrated=0, is_multi_gpu_board=0, gcnArchName="", uuid="GPU-0",
            max_threads_per_multi_processor=1536, max_threads_per_block=1024, regs_per_multiprocessor=65536,
            shared_memory_per_block=49152, shared_memory_per_block_optin=101376,
            shared_memory_per_multiprocessor=102400, L2_cache_size=int(self.gpu.get("l2_cache") or 2**25),
            clock_rate=1_500_000, memory_clock_rate=7_000_000, memory_bus_width=256,
        )  # fmt: skip


class _Properties(SimpleNamespace):
    """A card's properties, of which the memory is noticed."""

    def __init__(self, memory: Callable[[], int], **known: Any) -> None:
        super().__init__(**known)
        self._memory = memory

    @property
    def total_memory(self) -> int:
        """The bytes of the card."""
        return self._memory()


class _Counts(dict):  # type: ignore[type-arg]  # generic since Python 3.9 alone
    """The allocator's statistics: what is live, 0 for all else."""

    def __init__(self, ledger: LiveLedger) -> None:
        super().__init__({
            "allocated_bytes.all.current": ledger.live, "allocated_bytes.all.peak": ledger.peak,
            "reserved_bytes.all.current": ledger.live, "reserved_bytes.all.peak": ledger.peak,
            "active_bytes.all.current": ledger.live, "active_bytes.all.peak": ledger.peak,
        })  # fmt: skip

    def __missing__(self, _key: str) -> int:
        return 0


def _distinct(answer: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of its own: torch's compiler refuses two names of one object."""

    def own(*args: Any, **kwargs: Any) -> Any:
        return answer(*args, **kwargs)

    return own


def _nothing(*_args: Any, **_kwargs: Any) -> None:
    """Do what a GPU would."""


def _called(function: Callable[..., Any], **_kwargs: Any) -> None:
    function()


def _rng_state(*_args: Any, **_kwargs: Any) -> Any:
    return torch.zeros(16, dtype=torch.uint8, device="cpu")
