# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How a process works for another one: pickled messages on its standard input and output."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import struct
import sys
import warnings
from typing import IO, Any, Final

from trainlint.cli.entry import GARBAGE_THRESHOLD

HEAD: Final = struct.Struct("<Q")
"""Before each message: its length in bytes."""


def write_message(stream: IO[bytes], message: object) -> None:
    """Write an object."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    stream.write(HEAD.pack(len(data)) + data)
    stream.flush()


def read_message(stream: IO[bytes]) -> Any:
    """Read an object that a process of ours wrote; EOFError where it ended."""
    head = stream.read(HEAD.size)
    if len(head) < HEAD.size:
        raise EOFError
    data = stream.read(HEAD.unpack(head)[0])
    return pickle.loads(data)  # noqa: S301 - from our own process, through a pipe that no other has


def answers_channel() -> IO[bytes]:
    """Become a process that works for another one, and return where its answers go."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that asked says how far it came
    warnings.simplefilter("ignore")
    gc.set_threshold(GARBAGE_THRESHOLD)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing else gets between the messages
    return answers
