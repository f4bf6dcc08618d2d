# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Processes of our own that answer messages, one after the other each.

A process is started as the one that reads repositories is: with our own package on the path and never the
working folder, which multiprocessing's has first.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any, Final

from trainlint.child_processes import environment
from trainlint.cli.workers.worker_channel import read_message, write_message

START: Final = "import sys; sys.path[:] = {path!r}; from {module} import main; main()"


class Worker:
    """A process that runs `main` of a module; started when it gets its first message.

    `first`: a message that it gets before that and does not answer; None: it expects none.
    """

    def __init__(self, module: str, first: object = None) -> None:
        self._module, self._first = module, first
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False

    def ask(self, message: object) -> Any:
        """Return the answer to a message; OSError, EOFError or UnpicklingError where the process ended."""
        process = self._process = self._process or self._start()
        if process.stdin is None or process.stdout is None:
            raise EOFError
        write_message(process.stdin, message)
        return read_message(process.stdout)

    def _start(self) -> subprocess.Popen[bytes]:
        if self._closed:
            raise EOFError
        flags = [
            "-P",
            *(["-E"] if sys.flags.ignore_environment else []),
            *(["-s"] if sys.flags.no_user_site else []),
        ]
        process = subprocess.Popen(  # noqa: S603 - our own interpreter on our own code
            [sys.executable, *flags, "-c", START.format(path=sys.path, module=self._module)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment(),
        )
        if process.stdin is not None and self._first is not None:
            write_message(process.stdin, self._first)
        return process

    def close(self) -> None:
        """End the process, and start no other."""
        self._closed = True
        if self._process is not None:
            self._process.kill()
            self._process.wait()


class Workers:
    """Some of these processes, each message to the one that has nothing to do."""

    def __init__(self, count: int, module: str, first: object = None) -> None:
        self.count = count
        self._workers = [Worker(module, first) for _ in range(count)]
        self._idle: SimpleQueue[Worker] = SimpleQueue()
        for worker in self._workers:
            self._idle.put(worker)
        self._threads = ThreadPoolExecutor(count)

    def submit(self, message: object) -> Future[Any]:
        """Have a message answered; the answer is None where the process that got it ended."""
        return self._threads.submit(self._ask, message)

    def _ask(self, message: object) -> Any:
        worker = self._idle.get()
        try:
            return worker.ask(message)
        except (OSError, EOFError, pickle.UnpicklingError):  # for want of memory, say
            worker.close()
            return None
        finally:
            self._idle.put(worker)

    def close(self) -> None:
        """End the processes, whatever they do."""
        for worker in self._workers:
            worker.close()
        self._threads.shutdown(wait=False, cancel_futures=True)
