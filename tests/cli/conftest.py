# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The real command in a process of its own (tests/fork_server.py), in a folder of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests import in_process
from tests.fork_server import IMPORTED, STARTED, TRACER, ForkServer
from tests.warm_cache import warm

CONFIG = """\
name: tiny
model_type: SRModel
scale: 4
num_gpu: 1
datasets:
  train:
    name: photos
    type: PairedImageDataset
    dataroot_gt: photos/hr
    dataroot_lq: photos/lr
    io_backend:
      type: disk
    gt_size: 128
    use_hflip: true
    use_rot: true
    num_worker_per_gpu: 2
    batch_size_per_gpu: 16
network_g:
  type: MSRResNet
  num_in_ch: 3
  num_out_ch: 3
  num_feat: 64
  num_block: 16
  upscale: 4
path:
  pretrain_network_g: ~
train:
  optim_g:
    type: Adam
    lr: !!float 2e-4
  scheduler:
    type: MultiStepLR
    milestones: [200000]
    gamma: 0.5
  total_iter: 300000
  pixel_opt:
    type: L1Loss
    loss_weight: 1.0
    reduction: mean
logger:
  print_freq: 100
  save_checkpoint_freq: !!float 5e3
"""

NATIVE_JOB = """\
trainlint: 1
model: RRDBNet
args: {num_in_ch: 3, num_out_ch: 3, num_feat: 16, num_block: 1}
input: [3, 32, 32]
batch: 2
optimizer: {type: Adam, lr: 0.001}
"""
"""A job in trainlint's own format."""


OF_PYTHON = ("PYTHON", "LC_", "LANG", "LD_")
"""How variables begin that an interpreter reads when it starts."""


class Command:
    """Runs trainlint in `folder` with a cache of its own."""

    server: ForkServer | None = None
    """What runs it; None: an interpreter of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = {
            **os.environ, "XDG_CACHE_HOME": str(warm(folder.with_name(f"{folder.name}-cache"))),
            "XDG_CONFIG_HOME": str(folder / ".config"), "COLUMNS": "100",
        }  # fmt: skip
        self.env.pop("GITHUB_STEP_SUMMARY", None)

    def __call__(self, *arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        if self.server is not None and self._is_alike():
            return self.server.run(arguments, self.folder, self.env, text)
        command = [sys.executable, "-m", "trainlint", *arguments]
        return subprocess.run(
            command, cwd=self.folder, env=self.env, input=text, capture_output=True, encoding="utf-8",
            check=False, timeout=120,
        )  # fmt: skip

    def _is_alike(self) -> bool:
        """Return whether Python would start as it did for us."""
        names = {name for name in (*self.env, *os.environ) if name.startswith(OF_PYTHON)}
        return all(self.env.get(name) == os.environ.get(name) for name in names)

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def json(self, *arguments: str) -> dict:
        """Return what is said of configs: without a process, where Python would start as it did for us."""
        words = ("--format", "json", "--no-trace", *arguments)
        judged = in_process.run_with(self.folder, self.env, *words) if self._is_alike() else self(*words)
        return json.loads(judged.stdout)


def unfolded(text: str) -> str:
    """Return a report without its line breaks: where it folds a line hangs on the length of what is said."""
    return " ".join(text.split())


def hear_interrupts() -> None:
    """Undo a shell's `&`, in which interrupts are ignored, before a child begins."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def fork_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[bool, ForkServer]]:
    """Return what runs commands without torch imported, and with it."""
    folders = (tmp_path_factory.mktemp("server") for _ in range(2))
    found = {
        False: STARTED.pop() if STARTED else ForkServer(next(folders), *IMPORTED),
        True: ForkServer(next(folders), *IMPORTED, *TRACER),
    }
    yield found
    for each in found.values():
        each.close()


@pytest.fixture(scope="module", autouse=True)
def server(request: pytest.FixtureRequest, fork_servers: dict[bool, ForkServer]) -> Iterator[None]:
    """Run the commands of a module in forks, where the system forks safely."""
    if sys.platform == "linux":
        Command.server = fork_servers[request.node.get_closest_marker("torch") is not None]
    yield
    Command.server = None


@pytest.fixture
def trainlint(tmp_path: Path) -> Command:
    return Command(tmp_path)


@pytest.fixture
def config() -> str:
    return CONFIG


@pytest.fixture
def variant() -> Callable[..., str]:
    """Return a function that replaces pieces of the config, each of which must be in it."""

    def change(*pairs: tuple[str, str]) -> str:
        text = CONFIG
        for old, new in pairs:
            assert old in text
            text = text.replace(old, new)
        return text

    return change
