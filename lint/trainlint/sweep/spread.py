# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Tasks spread over processes, or over a cluster that the user has: through joblib, where it is installed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from trainlint.errors import UsageError
from trainlint.hardware.host_machine import cores
from trainlint.sweep.step_task import FEW_STEPS, Done, Tapes, Task, parts_of, perform

BACKENDS: Final = ("loky", "dask", "ray")
INSTALL: Final = "pip install 'trainlint[sweep]'"


def spread(
    tasks: Sequence[Task],
    tapes: Tapes,
    backend: str | None,
    jobs: int | None,
    progress: Callable[[str], None],
) -> Done:
    """Do all tasks; `backend` None: in other processes where that is quicker and joblib is there.

    UsageError for a backend whose package is not installed.
    """
    steps = sum(len(task.shares) for task in tasks)
    count = jobs or cores()
    if backend is None and (steps < FEW_STEPS or count < 2 or find_spec("joblib") is None):  # noqa: PLR2004  # one process is no other
        return perform(tasks, tapes, progress)
    for package in ("joblib", *({"dask": ("distributed",), "ray": ("ray",)}.get(backend or "", ()))):
        if find_spec(package) is None:
            raise UsageError(f"--backend {backend} needs {package}: {INSTALL}")
    joblib: Any = import_module("joblib")
    with ExitStack() as stack:
        stack.enter_context(_nothing_from_where_we_stand())
        workers = _enter(stack, joblib, backend or "loky", count)
        parts = list(parts_of(tasks, tapes, workers))
        progress(f"judging {steps:,} steps in {min(workers, len(parts))} processes")
        work = (joblib.delayed(perform)([tasks[index] for index in part], tapes) for part in parts)
        try:
            done = joblib.Parallel(batch_size=1)(work)
        finally:
            progress("")
    results = {
        index: result
        for part, finished in zip(parts, done, strict=True)
        for index, result in zip(part, finished.results, strict=True)
    }
    return Done(
        tuple(results[index] for index in range(len(tasks))),
        sum(finished.traced for finished in done),
        max((finished.seconds for finished in done), default=0.0),
    )


@contextmanager
def _nothing_from_where_we_stand() -> Iterator[None]:
    """Keep processes that start from looking for modules in the working folder, as `python -m` does first."""
    name = "PYTHONSAFEPATH"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def _enter(stack: ExitStack, joblib: Any, backend: str, count: int) -> int:
    """Start the backend, and return how many tasks it does at a time.

    Dask: the cluster of the configuration (DASK_SCHEDULER_ADDRESS), else a new one on this machine. Ray the
    same by RAY_ADDRESS.
    """
    if backend == "dask":
        client = stack.enter_context(import_module("distributed").Client())
        stack.enter_context(joblib.parallel_config(backend="dask"))
        return max(1, sum(map(int, client.nthreads().values())))
    if backend == "ray":
        import_module("ray.util.joblib").register_ray()
        import_module("ray").init(ignore_reinit_error=True, log_to_driver=False)
    stack.enter_context(joblib.parallel_config(backend=backend, n_jobs=count))
    return count
