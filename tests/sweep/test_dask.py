# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A sweep on a Dask cluster says the same as one without, also where a worker dies at its work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from tests.sweep.conftest import EXAMPLES

pytest.importorskip("joblib")
distributed = pytest.importorskip("distributed")

pytestmark = pytest.mark.slow

WORKERS = 3
MOST = 120
"""Seconds that a part of this may take at most: the whole takes some 20."""
AXES = (
    "datasets.train.batch_size_per_gpu=range(1,120)",
    "gt_size=256,192,128",
    "num_gpu=1,auto",
)


@contextmanager
def cluster(folder):
    """A scheduler and workers of one thread, each a process: yield a client and the processes by name."""
    place = folder / "scheduler.json"
    parts = {"scheduler": ("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show")}
    for at in range(WORKERS):
        parts[f"w{at}"] = ("worker", "--name", f"w{at}", "--nthreads", "1", "--no-nanny", "--no-dashboard")
    processes = {}
    try:
        for name, (kind, *options) in parts.items():
            command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *options]
            with (folder / f"{name}.log").open("wb") as log:
                processes[name] = subprocess.Popen(
                    [*command, "--scheduler-file", str(place)], cwd=folder, stdout=log, stderr=log
                )
            wait_until(lambda name=name: name != "scheduler" or place.exists())
        with distributed.Client(scheduler_file=str(place)) as client:
            client.wait_for_workers(WORKERS, timeout=MOST)
            yield client, processes
    finally:
        for process in processes.values():
            process.kill()
            process.wait(timeout=MOST)


def wait_until(true):
    """Wait until something is, and return what it came to."""
    end = time.monotonic() + MOST
    while not (found := true()):
        assert time.monotonic() < end
        time.sleep(0.01)
    return found


def at_work(client):
    """Return the name of a worker that has something to do, or None."""
    names = {address: one["name"] for address, one in client.scheduler_info(-1)["workers"].items()}
    busy = (address for address, tasks in client.processing().items() if tasks)
    return next((names[address] for address in busy if address in names), None)  # one may have come since


def command_of(*options):
    path = str(EXAMPLES / "realesrgan_x4.yml")
    return [
        sys.executable, "-m", "trainlint", "sweep", path, *AXES, "--target", "kaggle-t4x2", "--no-trace",
        "--format", "json", *options,
    ]  # fmt: skip


def test_a_worker_that_dies_changes_nothing(tmp_path) -> None:
    alone = subprocess.run(
        command_of("--jobs", "1"), capture_output=True, timeout=MOST, check=False, cwd=tmp_path
    )
    assert alone.returncode == 1
    assert b'"fail"' in alone.stdout
    with cluster(tmp_path) as (client, processes):
        environment = os.environ | {"DASK_SCHEDULER_ADDRESS": client.scheduler.address}
        run = subprocess.Popen(
            command_of("--backend", "dask"), env=environment, cwd=tmp_path,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        name = wait_until(lambda: at_work(client))
        processes[name].send_signal(signal.SIGKILL)
        assert run.poll() is None
        spread, said = run.communicate(timeout=MOST)
        assert processes[name].wait(timeout=MOST) == -signal.SIGKILL
        wait_until(lambda: len(client.scheduler_info(-1)["workers"]) == WORKERS - 1)
    assert (run.returncode, spread) == (1, alone.stdout), said
