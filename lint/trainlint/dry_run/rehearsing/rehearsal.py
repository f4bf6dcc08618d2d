# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""One run of a program in an enclosure, with what it wrote down."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, Final

from msgspec import Struct
from msgspec.structs import replace

from trainlint.dry_run.enclosure.copying import DATA_FOLDER_ENTRIES, MOST_COPIED_BYTES
from trainlint.dry_run.enclosure.enclosure import (
    OFFLINE_LOGGERS,
    Enclosure,
    Ended,
    Prepared,
    enclosure,
    private_folder,
)
from trainlint.dry_run.enclosure.instructions import GUARDED_COPY, PLAIN_COPY
from trainlint.dry_run.enclosure.supervision import Limits
from trainlint.dry_run.rehearsing import injected_package
from trainlint.dry_run.rehearsing.changed_options import ChangedOptions
from trainlint.dry_run.rehearsing.made_up_data import MADE_UP
from trainlint.dry_run.rehearsing.request import Request
from trainlint.dry_run.rehearsing.run_record import (
    FILE,
    WRONG_WORDS,
    Died,
    Outcome,
    read_outcome,
)
from trainlint.dry_run.rehearsing.signs_of_life import far
from trainlint.dry_run.starting.program import Program
from trainlint.dry_run.starting.starter import ranked
from trainlint.errors import CannotTraceError
from trainlint.expressions.patterns import later
from trainlint.files.given_search_paths import as_given

LAST_LINES: Final = 3
"""Lines of a program's output that say why it ended, where nothing else does."""
KILLED: Final = (-9, 128 + 9)
"""Exit codes of what SIGKILL ends: Python's for a child, and a shell's."""
USAGE_EXIT: Final = 2
"""Exit code of a program that refuses its words, as argparse and click have it."""
REFUSAL: Final = later(r"(?:\S.*: )?[Ee]rror: (.+)")
QUOTED: Final = later(r"""['"]([^'"\n]+)['"]""")
LOGGERS: Final = {
    "wandb": "WANDB_MODE", "comet_ml": "COMET_MODE", "neptune": "NEPTUNE_MODE",
    "clearml": "CLEARML_OFFLINE_MODE", "swanlab": "SWANLAB_MODE",
}  # fmt: skip
"""Packages of loggers, and what keeps them from their servers."""
INSTALLED: Final = "-packages"
"""How the names of folders end that packages are installed in."""


def _nothing(_enclosure: Enclosure) -> None:
    pass


class Rehearsal(Struct, frozen=True):
    """A program, ready to be run any number of times. `kept` is where what the runs wrote down stays."""

    program: Program
    folder: Path
    limits: Limits
    kept: Path
    network: bool = False
    show: BinaryIO | None = None
    prepare: Prepared = _nothing

    @property
    def has_made_up_data(self) -> bool:
        """Whether data is made up for it: how much there is of that says nothing."""
        return self.prepare is not _nothing

    def run(
        self,
        request: Request,
        words: Sequence[str] | None = None,
        look: Callable[[Path], None] = lambda _out: None,
        options: ChangedOptions | None = None,
    ) -> Outcome:
        """Run it once; CannotTraceError where nothing came back. `words` replace the program's own.

        `look` is called every moment with the folder in which the run writes how far it is; `options` lie in
        the place of the user's option file.
        """
        program = self.program if words is None else self.program.with_own_words(words)
        with private_folder() as private:
            around = enclosure(Path(private), self.folder, self.limits, network=self.network)
            (self.prepare if options is None else options.preparing(self.prepare))(around)
            tools = Path(private, "tools")
            tools.mkdir()
            injected_package.prepare(tools)
            made_up = [os.path.realpath(made) for made in around.made_up]
            instructions = {**request.words(str(around.out), self._limits()), "made_up": made_up}
            injected_package.write_request(tools / "request.json", instructions)
            ended = around.run(
                (program.interpreter, *program.arguments),
                self._variables(program, request, tools),
                self.show,
                look,
            )
            return self._outcome(around, ended, program)

    def _limits(self) -> dict[str, Any]:
        return {"seconds": self.limits.seconds, "memory": self.limits.memory}

    def _variables(self, program: Program, request: Request, tools: Path) -> dict[str, str]:
        processes = program.processes or (request.machine.gpus if program.processes == 0 else None)
        accelerated = program.starter == "accelerate launch"
        launched = processes is not None and (processes * program.nodes > 1 or not accelerated)
        known = ranked(program, processes or 1, program.nodes) if launched else dict(program.environment)
        around = as_given(dict(os.environ)) | known
        return {**known, **injected_package.variables(tools, tools / "request.json", around)}

    def _outcome(self, around: Enclosure, ended: Ended, program: Program) -> Outcome:
        """Keep what the run wrote, and say why it wrote nothing."""
        refusal = _refusal(ended)
        if not (around.out / FILE).exists():
            stopped = f"{ended.stopped}, and got to this: {far(around.out)}" if ended.stopped else None
            reason = stopped or _last_words(ended, program)
            return Outcome("ended" if refusal is None else "crashed", around.out, reason=reason, died=refusal)
        kept = Path(tempfile.mkdtemp(dir=self.kept))
        shutil.copytree(around.out, kept, dirs_exist_ok=True, symlinks=True)
        recorded = read_outcome(kept)
        if recorded.died is not None:
            recorded = replace(recorded, died=_of_logger(_of_made_up(recorded.died, around), program))
        if ended.stopped is not None and recorded.status != "recorded":
            return replace(recorded, status="ended", reason=ended.stopped)
        if ended.stopped is not None and not recorded.reason:
            recorded = replace(recorded, reason=ended.stopped)
        if recorded.status == "ended" and refusal is not None:
            return replace(recorded, status="crashed", died=refusal)
        if recorded.status == "ended" and not recorded.reason:
            return replace(recorded, reason=_last_words(ended, program))
        return replace(recorded, sources=tuple(self._outside(around, recorded.sources)))

    def _outside(self, around: Enclosure, sources: Sequence[str]) -> Iterator[str]:
        """Yield where the files that were read lie outside of a private copy."""
        copy = str(around.private / "work")
        from trainlint.dry_run.enclosure.copying import project_of  # noqa: PLC0415 - of a copy alone

        for source in sources:
            if source.startswith(f"{copy}{os.sep}"):
                yield str(project_of(self.folder) / os.path.relpath(source, copy))
            elif not source.startswith(str(around.private)):
                yield source


def _refusal(ended: Ended) -> Died | None:
    """Return what a parser of argparse's kind says of the command that it refuses; None where none did."""
    lines = [line.strip() for line in ended.output.splitlines() if line.strip()]
    match = REFUSAL.match(lines[-1]) if lines and ended.code == USAGE_EXIT and ended.stopped is None else None
    return None if match is None else Died(WRONG_WORDS, match[1], (), imitation=False, reason="")


def _of_made_up(died: Died, around: Enclosure) -> Died:
    """Return what a program died of: the data was made up if it is about that, or misses it."""
    if around.made_up and MADE_UP in died.message:
        return replace(died, imitation=True, reason="it is about what --data made up")
    names = [Path(os.path.normpath(around.view / name)) for name in QUOTED.findall(died.message)]
    folder = next((made for made in around.made_up for name in names if name.is_relative_to(made)), None)
    if folder is None or not died.misses_file:
        return died
    return replace(
        died, imitation=True, reason=f"what --data made up has other names than it looks for ({folder.name})"
    )


def _of_logger(died: Died, program: Program) -> Died:
    """Return what a program died of: within a logger that we kept offline, it would not have."""
    parts = Path(died.frames[-1].file).parts if died.frames else ()
    inside = next((after for folder, after in pairwise(parts) if folder.endswith(INSTALLED)), "")
    variable = LOGGERS.get(inside.removesuffix(".py"), "")
    if not variable or variable in os.environ or variable in program.environment:
        return died
    why = f"{inside} is kept offline ({variable}={OFFLINE_LOGGERS[variable]}), and stops there"
    reason = f"{why}: give {variable} another value, or leave it out"
    return replace(died, imitation=True, reason=reason)


def _last_words(ended: Ended, program: Program) -> str:
    """Say how a program ended that recorded nothing: by its exit code, and what it said last."""
    if ended.code in KILLED:
        return f"{program.name} was killed before a training step, as where this machine is out of memory"
    lines = [line.strip() for line in ended.output.splitlines() if line.strip()][-LAST_LINES:]
    said = f": {' / '.join(lines)}" if lines else ", without any output"
    return f"{program.name} ended with exit code {ended.code} before a training step{said}"


def how_enclosed(outcome: Outcome) -> dict[str, Any]:
    """Return how a run's program was enclosed; {} where that is not known."""
    path = outcome.folder / "enclosure.json"
    try:
        noted = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return noted if isinstance(noted, dict) else {}


def held_back(outcome: Outcome) -> Iterator[str]:
    """Say what a run could do all the same, where this system cannot hold it back."""
    enclosure = how_enclosed(outcome)
    files, network = enclosure.get("files"), enclosure.get("network")
    if files == PLAIN_COPY:
        yield (
            "this system has neither private layers nor Landlock: what it wrote to absolute paths, to files "
            f"of more than {MOST_COPIED_BYTES >> 20} MiB that were there, or into folders of "
            f"{DATA_FOLDER_ENTRIES:,} entries or more, remains"
        )
    elif files == GUARDED_COPY:
        yield "this system has no private layers: the program ran in a copy, and could write nowhere else"
    if enclosure.get("without"):
        yield f"visible as they are, read-only: {', '.join(map(str, enclosure['without']))}"
    if network == "open" and enclosure and not enclosure.get("asked"):
        yield "this system has no way to keep the network from a program: it was open"


@contextmanager
def rehearsing(program: Program, folder: Path, limits: Limits, **more: Any) -> Iterator[Rehearsal]:
    """Give a program to rehearse, and forget its runs afterwards."""
    if not folder.is_dir():
        raise CannotTraceError(f'"{folder}" is not a folder that a program can start in')
    with tempfile.TemporaryDirectory(prefix="trainlint-runs-", ignore_cleanup_errors=True) as kept:
        yield Rehearsal(program, folder, limits, Path(kept), **more)
