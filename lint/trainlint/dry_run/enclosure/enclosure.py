# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The enclosure from outside: which kind this machine has, and a program started and awaited in it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Thread
from typing import IO, BinaryIO, Final

from trainlint.dry_run.enclosure.copying import copy_folder, home_in, project_of
from trainlint.dry_run.enclosure.enter import NOT_ENCLOSED
from trainlint.dry_run.enclosure.instructions import GUARDED_COPY, OVERLAY, PLAIN_COPY, Plan
from trainlint.dry_run.enclosure.silent_terminal import silent_terminal
from trainlint.dry_run.enclosure.supervision import Limits, watch
from trainlint.errors import UsageError
from trainlint.files.given_search_paths import as_given

START: Final = "from trainlint.dry_run.enclosure.enter import main; main()"
WRITE_TEST: Final = """
import os
for place in (".", os.path.expanduser("~")):
    if os.access(place, os.W_OK):
        os.mkdir(os.path.join(place, ".trainlint-probe"))
        found = next((each.path for each in os.scandir(place) if each.is_file(follow_symlinks=False)), None)
        if found and os.access(found, os.W_OK) and os.path.getsize(found) < 1 << 16:
            open(found, "ab").close()
"""
"""Writes as a program does: no layer takes over what belongs to somebody whom its namespace does not know."""
MOST_LAYER_BYTES: Final = 8 << 30
"""Bytes that the private layers may take: checkpoints of a dry run hold no values, but tables and
images do."""
KEPT_OUTPUT_BYTES: Final = 64 << 10
"""Bytes of what a program printed last that are kept."""
OFFLINE: Final = {
    "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1",
    "HF_EVALUATE_OFFLINE": "1",
    "DIFFUSERS_OFFLINE": "1", "PIP_NO_INDEX": "1",
}  # fmt: skip
"""What tells libraries that there is no network, so that they say what they miss at once."""
OFFLINE_LOGGERS: Final = {
    "WANDB_MODE": "disabled", "WANDB_SILENT": "true", "COMET_MODE": "disabled", "NEPTUNE_MODE": "offline",
    "CLEARML_OFFLINE_MODE": "1", "SWANLAB_MODE": "disabled", "MPLBACKEND": "Agg",
}  # fmt: skip
"""What keeps loggers from their servers, and plots from a screen."""
ONE_THREAD: Final = {"OMP_NUM_THREADS": "1"}
"""Tensors of the imitated GPU have no values: more threads would wait for work, and spin while they do."""

SOCKET: Final = "/trainlint-XXXXXXXX/tmp/pymp-XXXXXXXX/listener-XXXXXXXX"
"""A socket by which multiprocessing hands over what it shares, below the machine's temporary folder."""
LONGEST_SOCKET: Final = 103
"""Bytes of a local socket's path: macOS' sun_path without its end; Linux has 107."""


@dataclass(frozen=True)
class Ended:
    """How a program ended: its exit code, why it was ended (None: by itself), what it printed last."""

    code: int
    stopped: str | None
    output: str


@dataclass(frozen=True)
class Enclosure:
    """A private folder of one kind, in which a program runs. `folder` is where it starts, seen from outside.

    `view` says where that is inside: the same, or its copy.
    """

    private: Path
    kind: str
    folder: Path
    network: bool
    limits: Limits
    view: Path
    laid: list[tuple[str, str]] = field(default_factory=list)
    made_up: list[Path] = field(default_factory=list)
    """What was made up for the program, as it sees it."""

    def lay(self, made: Path, target: Path) -> None:
        """Have something of the private folder seen where the program looks for it."""
        self.laid.append((str(made), str(target)))

    @property
    def out(self) -> Path:
        """The folder that both sides see."""
        return self.private / "out"

    def inside(self, path: Path) -> Path:
        """Return where something of the project is found inside."""
        project = project_of(self.folder)
        if self.kind == OVERLAY or not path.is_relative_to(project):
            return path
        return self.private / "work" / path.relative_to(project)

    def run(
        self,
        argv: Sequence[str],
        environment: Mapping[str, str],
        show: BinaryIO | None = None,
        look: Callable[[Path], None] = lambda _out: None,
    ) -> Ended:
        """Run a program to its end, or to that of a limit; `show` gets what it prints while it runs.

        `look` is called every moment with the folder that both sides see.
        """
        home = {} if self.kind == OVERLAY else home_in(self.private)
        variables = {
            **OFFLINE_LOGGERS,
            **ONE_THREAD,
            **as_given(dict(os.environ)),
            **({} if self.network else OFFLINE),
            **home,
            **environment,
        }
        plan = Plan(
            tuple(argv), variables, str(self.view), str(self.private), str(self.out), self.kind, self.network,
            self.limits.memory, self.limits.cpu_s, MOST_LAYER_BYTES, tuple(self.laid),
        )  # fmt: skip
        plan.save(self.private / "plan.json")
        with silent_terminal() as terminal:
            process = subprocess.Popen(  # noqa: S603 - our own interpreter and words
                [sys.executable, "-I", "-c", START, str(self.private / "plan.json")],
                stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                start_new_session=True, cwd=self.private,
            )  # fmt: skip
            tail = _Tail(process.stdout, show)
            stopped = watch(process, self.limits, lambda: look(self.out))
        tail.join(5)
        if process.returncode == NOT_ENCLOSED and not (self.out / "enclosure.json").exists():
            raise UsageError(f"the program cannot be started: {tail.text.strip()}")
        return Ended(process.returncode, stopped, tail.text)


Prepared = Callable[[Enclosure], None]
"""Puts into a private folder what a program needs and this machine lacks, before it starts."""


class _Tail(Thread):
    """Reads what a program prints; keeps the end of it."""

    def __init__(self, stream: IO[bytes] | None, show: BinaryIO | None) -> None:
        super().__init__(daemon=True)
        self.stream, self.show, self.kept = stream, show, b""
        self.start()

    def run(self) -> None:
        while self.stream is not None and (piece := os.read(self.stream.fileno(), KEPT_OUTPUT_BYTES)):
            self.kept = (self.kept + piece)[-KEPT_OUTPUT_BYTES:]
            if self.show is not None:
                self.show.write(piece)
                self.show.flush()

    @property
    def text(self) -> str:
        """What was printed last."""
        return self.kept.decode("utf-8", "replace")


def private_folder() -> tempfile.TemporaryDirectory[str]:
    """Make a private folder; where the machine's temporary one is too deep for sockets below it, in /tmp."""
    folder, shallow = tempfile.gettempdir(), "/tmp"  # noqa: S108 - the folder's own name is a new one
    is_deep = len(os.fsencode(folder + SOCKET)) > LONGEST_SOCKET
    return tempfile.TemporaryDirectory(
        prefix="trainlint-",
        dir=shallow if is_deep and os.access(shallow, os.W_OK) else folder,
        ignore_cleanup_errors=True,
    )


def enclosure(private: Path, folder: Path, limits: Limits, *, network: bool) -> Enclosure:
    """Prepare a private folder for a program that starts in `folder`."""
    folder = folder.resolve()
    kind = best_kind(folder)
    (private / "out").mkdir()
    if kind == OVERLAY:
        return Enclosure(private, kind, folder, network, limits, folder)
    project = project_of(folder)
    copy_folder(project, private / "work")
    return Enclosure(private, kind, folder, network, limits, private / "work" / folder.relative_to(project))


@cache
def best_kind(folder: Path) -> str:
    """Return the best kind of enclosure that this machine has for a program's folder, by trying it."""
    if sys.platform != "linux":
        return PLAIN_COPY
    for kind, tried in ((OVERLAY, WRITE_TEST), (GUARDED_COPY, "")):
        if _works(kind, folder if tried else Path("/"), tried):
            return kind
    return PLAIN_COPY


def _works(kind: str, folder: Path = Path("/"), writing: str = "") -> bool:
    with private_folder() as private:
        out = Path(private, "out")
        out.mkdir()
        plan = Plan(
            (sys.executable, "-I", "-c", writing),
            dict(os.environ),
            str(folder),
            private,
            str(out),
            kind,
            room=1 << 20,
        )
        plan.save(Path(private, "plan.json"))
        tried = subprocess.run(  # noqa: S603 - our own interpreter and words
            [sys.executable, "-I", "-c", START, f"{private}/plan.json"],
            stdin=subprocess.DEVNULL, capture_output=True, check=False, cwd=private,
        )  # fmt: skip
    return tried.returncode == 0
