# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Measuring a training step on a real GPU: one run in a process of its own.

Two runs make a measurement, each in a fresh process, because one run's figures stay in the other's cache:

* as the trainer runs it: torch's peaks include cuDNN's and cuBLAS's workspaces while a call holds them;
* with `between`: the allocator is read after every operator, when cuDNN's and cuBLASLt's workspaces of that
  call are given back, and cuBLAS is set to keep none (CUBLAS_WORKSPACE_CONFIG). What is left are tensors:
  the figure to hold against `allocated`. (CUDNN_CONV_WSCAP_DBG would make cuDNN choose other algorithms.)

A request on standard input, {"request", "networks", "paths"}, is answered on standard output with {"reading"}
or {"error", "kind"}.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

import torch
from torch import distributed

from trainlint.errors import BadArgumentsError, CannotTraceError, TrainlintError, UsageError
from trainlint.measuring.gpu_reading import CONTEXT_ALONE, OUT_OF_MEMORY, OUTCOME_RAN, Reading, Request
from trainlint.trace.building.argument_origin import arguments_of
from trainlint.trace.building.build import networks_from, networks_of, recipe
from trainlint.trace.building.user_registries import build_from_environment
from trainlint.trace.on_gpu.context_step import ContextStep
from trainlint.trace.on_gpu.cuda_stage import CudaStage, no_garbage
from trainlint.trace.on_gpu.meter import CudaMeter, Meter
from trainlint.trace.parallel.wrapper import Layout, looks_for_unused
from trainlint.trace.stage import Recipe
from trainlint.trace.torch_private import TorchDispatchMode

NO_GPU = "trainlint measure needs an NVIDIA GPU: torch.cuda.is_available() is False"
NO_WORKSPACE = ":0:0"
"""CUBLAS_WORKSPACE_CONFIG with which cuBLAS does without (PyTorch's notes on CUDA semantics)."""
OUT_OF_MEMORY_WORDS = ("out of memory", "CUBLAS_STATUS_ALLOC_FAILED", "CUDNN_STATUS_ALLOC_FAILED")
"""What errors say where memory ran out outside torch's allocator."""
BACKENDS = {"cuda": "nccl", "cpu": "gloo"}


def require_gpu() -> None:
    """Raise UsageError where torch finds no NVIDIA GPU."""
    if not torch.cuda.is_available() or torch.version.cuda is None:
        raise UsageError(NO_GPU)


def measure(request: Request, meter: Meter, build: Callable[..., Recipe] | None = None) -> Reading:
    """Run a step and read the memory; running out is a result. CannotTraceError as in tracing."""
    run = _MeasuredSteps(request, meter, build or recipe(request.step))
    torch.backends.cudnn.benchmark = request.benchmark
    meter.limit(request.limit)
    with ExitStack() as stack:
        stack.enter_context(no_garbage())
        if request.step.get("parallel") == "ddp":
            stack.enter_context(_alone(BACKENDS[run.stage.device.type]))
        try:
            run.all()
        except Exception as error:
            if not ran_out(error):
                raise
            return Reading(OUT_OF_MEMORY, run.number, run.stage.last, machine=meter.machine())
    return Reading(
        OUTCOME_RAN,
        request.steps,
        gpus=meter.readings(run.peak),
        seconds=None if request.between else median(run.seconds[1:]),
        retries=meter.retries(),
        machine=meter.machine(),
    )


def ran_out(error: BaseException) -> bool:
    """Return whether an error, or what it was raised from, says that a GPU's memory ran out."""
    if isinstance(error, torch.OutOfMemoryError):
        return True
    if isinstance(error, RuntimeError) and any(words in str(error) for words in OUT_OF_MEMORY_WORDS):
        return True
    return error.__cause__ is not None and ran_out(error.__cause__)


class _MeasuredSteps:
    """One request's steps: `number` is the step that runs (0: building), `seconds` what each took."""

    def __init__(self, request: Request, meter: Meter, build: Callable[..., Recipe]) -> None:
        self.request, self.meter, self.build = request, meter, build
        mode = str(request.step.get("parallel", "none"))
        layout = Layout(mode, request.batch, request.total, looks_for_unused(request.step))
        self.stage = CudaStage(layout, request.pool, request.device)
        self.number = 0
        self.peak: int | None = None
        self.seconds: list[float] = []

    def all(self) -> None:
        """Build the recipe, then step."""
        with torch.device(self.stage.device), arguments_of(self.request.step):
            recipe = self.build(self.request.step, self.stage)
        if self.stage.device.type == "cuda":
            torch.cuda.empty_cache()  # what initialization left behind; trainers initialize on the CPU
        self.meter.lap()
        for number in range(1, self.request.steps + 1):
            self.number = number
            self._step(recipe)

    def _step(self, recipe: Recipe) -> None:
        watch = _Between(self.meter.live) if self.request.between and self.number > 1 else None
        self.stage.mark("")
        start = time.perf_counter()
        with watch or nullcontext():
            recipe.train_step(self.request.total)
        self.meter.lap()
        self.seconds.append(time.perf_counter() - start)
        if watch is not None:
            self.peak = max(self.peak or 0, watch.peak)


class _Between(TorchDispatchMode):
    """Reads the allocator after each operator, forward and backward."""

    def __init__(self, live: Callable[[], int]) -> None:
        super().__init__()
        self.live = live
        self.peak = live()

    def __torch_dispatch__(self, func: Any, _types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run one operator and read."""
        result = func(*args, **(kwargs or {}))
        self.peak = max(self.peak, self.live())
        return result


@contextmanager
def _alone(backend: str) -> Iterator[None]:
    """Be the only process of a group: DistributedDataParallel's buckets exist all the same."""
    store = distributed.HashStore()  # type: ignore[attr-defined]  # torch imports it without exporting it
    distributed.init_process_group(backend, store=store, rank=0, world_size=1)
    try:
        yield
    finally:
        distributed.destroy_process_group()


def answer(message: Mapping[str, Any]) -> dict[str, Any]:
    """Measure what a message asks for, with the user's networks where it names any."""
    request = Request(**message["request"])
    require_gpu()
    if request.between:
        os.environ["CUBLAS_WORKSPACE_CONFIG"] = NO_WORKSPACE
    with ExitStack() as stack:
        stack.enter_context(networks_from([Path(path) for path in message["networks"]]))
        if message["environment"]:
            sys.path[:0] = message["networks"]
            stack.enter_context(networks_of(build_from_environment))
        build = ContextStep if request.step.get("recipe") == CONTEXT_ALONE else None
        return {"reading": asdict(measure(request, CudaMeter(), build))}


def main() -> None:
    """Answer one message; what the user's code prints goes to standard error."""
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        reply = answer(json.load(sys.stdin))
    except TrainlintError as error:
        kind = "arguments" if isinstance(error, BadArgumentsError) else "trace"
        reply = {"error": str(error), "kind": kind if isinstance(error, CannotTraceError) else "usage"}
    except Exception as error:  # noqa: BLE001 - a published network may raise anything
        reply = {"error": f"the step cannot run: {type(error).__name__}: {error}", "kind": "trace"}
    json.dump(reply, channel)
    channel.close()


if __name__ == "__main__":
    main()
