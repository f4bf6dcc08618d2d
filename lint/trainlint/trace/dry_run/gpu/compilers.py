# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Compilers: what would be compiled runs as it is, and what is launched from Python does nothing.

torch.compile fuses operators and may keep less for the backward; what it saves is not counted, and said so. A
Triton kernel writes into tensors that have no values: its launch is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import ModuleType, SimpleNamespace
from typing import Any

import torch
from torch import nn

from trainlint.trace.dry_run.arrivals import Arrivals
from trainlint.trace.dry_run.gpu.built_operators import published
from trainlint.trace.dry_run.operators.shapeless_operators import MissingKernelError
from trainlint.trace.dry_run.truth import told

COMPILED = (
    "torch.compile is left out: the step runs eagerly, and what compiling saves or takes is not counted"
)
COMPILED_AT_START: Any = {
    "what": "CUDA code that the program compiles when it starts, and not here",
    "direction": "unknown",
}
"""Programs that can do without take another way here than there."""
FLEX = "torch.nn.attention.flex_attention"
"""The module of the operator that is compiled for itself: what its kernel allocates is known."""
QUERY_KEY_VALUE = 3
"""Its tensors."""
CUDA_SOURCES = (".cu", ".cuh")


def _flex_attention(*tensors: Any, score_mod: Any = None, **options: Any) -> Any:
    """Attend as the kernel allocates; what a score depends on is followed on the tensors as they are."""
    if len(tensors) > QUERY_KEY_VALUE:
        tensors, score_mod = tensors[:QUERY_KEY_VALUE], tensors[QUERY_KEY_VALUE]

    def scored(*where: Any) -> Any:
        with told():
            return score_mod(*where)

    attend = published("torch.compile.flex_attention")
    return attend(*tensors, score_mod=score_mod and scored, **options)


class Compilers:
    """The compilers that a program may ask for."""

    def __init__(self, note: Callable[[Any], None], capability: tuple[int, ...]) -> None:
        self.note, self.capability = note, capability

    def replacements(self) -> list[tuple[Any, str, Any]]:
        """Return (where, name, replacement)."""
        return [(torch, "compile", self._compile), (nn.Module, "compile", self._compile_module)]

    def _compile(self, model: Any = None, **_options: Any) -> Any:
        if model is None:
            return self._compile  # as a decorator
        if (getattr(model, "__module__", ""), getattr(model, "__name__", "")) == (FLEX, "flex_attention"):
            return _flex_attention
        if not isinstance(model, nn.Module):  # libraries compile functions when they are imported
            return self._noting(model)
        self.note(COMPILED)
        return model

    def _noting(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that is noted when it is called."""

        @wraps(function)
        def compiled(*args: Any, **kwargs: Any) -> Any:
            self.note(COMPILED)
            return function(*args, **kwargs)

        return compiled

    def _compile_module(self, _module: nn.Module, *_args: Any, **_options: Any) -> None:
        self.note(COMPILED)

    def watch(self, arrivals: Arrivals) -> None:
        """Leave out the launches of Triton's kernels as soon as Triton is there."""
        arrivals.after("triton.runtime.jit", lambda module: self._no_launch(module, "JITFunction"))
        arrivals.after("triton.runtime.autotuner", self._no_tuning)
        arrivals.after("triton.runtime.driver", self._driver)
        arrivals.after("torch.utils.cpp_extension", self._no_building)

    def _no_building(self, module: ModuleType) -> None:
        """Compile no CUDA code; what has none in it is compiled as ever."""
        load, load_inline = module.load, module.load_inline

        @wraps(load)
        def checked_load(name: str, sources: Any, *args: Any, **kwargs: Any) -> Any:
            files = [sources] if isinstance(sources, str) else sources
            self._refuse(name, kwargs.get("with_cuda") or any(str(f).endswith(CUDA_SOURCES) for f in files))
            return load(name, sources, *args, **kwargs)

        @wraps(load_inline)
        def checked_load_inline(
            name: str, cpp_sources: Any, cuda_sources: Any = None, *args: Any, **kwargs: Any
        ) -> Any:
            self._refuse(name, kwargs.get("with_cuda") or cuda_sources)
            return load_inline(name, cpp_sources, cuda_sources, *args, **kwargs)

        module.load, module.load_inline = checked_load, checked_load_inline  # type: ignore[attr-defined]  # a module's functions

    def _refuse(self, name: str, cuda: Any) -> None:
        if cuda:
            self.note(COMPILED_AT_START)
            raise MissingKernelError(f"{name} is CUDA code that is compiled at the start, and not here")

    def _no_launch(self, module: ModuleType, name: str) -> None:
        def run(kernel: Any, *_args: Any, **_kwargs: Any) -> None:
            self.note(f"a Triton kernel is not run: {getattr(kernel, '__name__', name)}")

        getattr(module, name).run = run

    def _no_tuning(self, module: ModuleType) -> None:
        for name in ("Autotuner", "Heuristics"):
            self._no_launch(module, name)

    def _driver(self, module: ModuleType) -> None:
        major, minor = self.capability[:2]
        target = SimpleNamespace(backend="cuda", arch=10 * major + minor, warp_size=32)
        active = SimpleNamespace(
            get_current_target=lambda: target, get_current_device=lambda: 0,
            get_current_stream=lambda _device=0: 0,
            get_device_interface=lambda: torch.cuda, get_benchmarker=lambda: lambda *_args, **_kwargs: 0.0,
            get_active_torch_device=lambda: torch.device("cuda", 0), is_active=lambda: True,
            utils=SimpleNamespace(get_device_properties=lambda _device: {
                "multiprocessor_count": 1, "max_shared_mem": 101376, "max_num_regs": 65536, "warpSize": 32}),
        )  # fmt: skip
        driver = module.driver
        for name in ("set_active", "_active"):
            if hasattr(driver, name):
                driver.set_active(active) if name == "set_active" else setattr(driver, name, active)
                return
