# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What no input may do to trainlint: break it, take it long, fill the memory, or get through its output."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from xml.etree.ElementTree import fromstring  # what we wrote ourselves

from fuzz_inputs import Case

from trainlint.cli.batch import Unread, lint_all
from trainlint.cli.main import run
from trainlint.cli.toolbox import pipeline_for, tapes_for
from trainlint.errors import UnreadableError
from trainlint.judge.result import Report
from trainlint.pipeline import Pipeline
from trainlint.read import source_of
from trainlint.report.fit_text import render_fit
from trainlint.report.formats import format_called, names
from trainlint.report.style import Style, harmless, printable
from trainlint.settings import Settings

CPU_S = 2.0
"""CPU time that one input may take."""
MEMORY = 500 * 2**20
"""Resident memory that trainlint may need, all it has loaded included."""
PARSERS = {
    "json": json.loads,
    "sarif": json.loads,
    "gitlab": json.loads,
    "junit": fromstring,
    "checkstyle": fromstring,
}
"""What reads a format; what it cannot read ends in a traceback."""
INTERNAL = 3
"""Exit code of an internal error."""


def complaints(case: Case, scratch: Path) -> list[str]:
    """Run a case and say what is wrong with how it went; figures first where there are any."""
    most = MEMORY + max(0, resident("VmRSS") - loaded())  # what earlier inputs left is not this one's
    forget_peak()
    start = spent()
    try:
        wrong = of_tree(case, scratch) if case.words else of_file(case)
    except MemoryError:
        wrong = ["memory: MemoryError"]
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what we look for
        wrong = [f"traceback: {type(error).__name__}: {error}"]
    taken, peak = spent() - start, resident("VmHWM")
    wrong += [f"slow: {taken:.1f} s of CPU"] if taken > CPU_S else []
    return wrong + ([f"memory: {peak / 2**20:.0f} MB"] if peak > most else [])


def of_file(case: Case) -> list[str]:
    """Lint one file and render it in every format."""
    ((name, data),) = case.files
    try:
        given = source_of(data, name)
    except UnreadableError as error:
        given = Unread(name, error)
    report = lint_all(pipeline(), [given], lambda _: None)
    wrong = [f"traceback: {crash.message}\n{crash.traceback}" for crash in report.crashes]
    wrong += [] if report.results or report.crashes else ["verdict: none"]
    for form, text in rendered(report):
        wrong += [f"{form}: {words}" for words in obeyed(text, form)]
    return wrong


def rendered(report: Report) -> Iterator[tuple[str, str]]:
    """Yield what each format prints."""
    for form in names():
        made = format_called(form)
        yield form, harmless(made.render(report, Style()), annotations=made.annotations)
        yield f"{form} alone", made.render(report, Style())
        if made.summary is not None:
            yield "summary", made.summary(report)
    if report.results and report.results[0].target:
        yield "fit", "\n".join(render_fit(report.results, Style()))


def obeyed(text: str, form: str) -> Iterator[str]:
    """Yield what a terminal, a CI or a reader of the format would take for more than text."""
    yield from {f"raw {char!a}" for char in set(text) - {"\n"} if printable(char) != char}
    yield from (f"command {found!r}" for found in re.findall(r"##[A-Za-z]*\[.{,20}", text))
    text.encode()
    kind = form.removesuffix(" alone")
    if kind in PARSERS:
        PARSERS[kind](text)
    if form.endswith("alone"):
        return
    allowed = r"(?:error|warning|notice) file=" if form == "github" else "$."
    yield from (
        f"command {line!r}" for line in re.findall(rf"^\s*::(?!{allowed}).{{,20}}", text, re.MULTILINE)
    )


def of_tree(case: Case, scratch: Path) -> list[str]:
    """Run the command on a tree."""
    folder = Path(tempfile.mkdtemp(dir=scratch))
    out, err = io.StringIO(), io.StringIO()
    try:
        for name, data in case.files:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        with in_folder(folder), redirect_stdout(out), redirect_stderr(err):
            try:
                run(list(case.words))
            except SystemExit as end:
                code = end.code
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    wrong = [f"traceback: exit {code}: {err.getvalue()}"] if code == INTERNAL else []
    form = "github" if "github" in case.words else ""
    plain = re.sub("\x1b\\[[0-9;]+m", "", out.getvalue()) if "always" in case.words else out.getvalue()
    lines = plain.replace("\r\n", "\n") if "--diff" in case.words else plain
    return wrong + [f"stdout: {words}" for words in obeyed(lines, form)] + [
        f"stderr: {words}" for words in obeyed(err.getvalue(), "")
    ]  # fmt: skip


@contextmanager
def in_folder(folder: Path) -> Iterator[None]:
    """Be in a folder for a while."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@cache
def pipeline() -> Pipeline:
    """Return the pipeline of a machine with two GPUs; fixes are tried, nothing is traced."""
    chosen = Settings().with_options(target=("kaggle-t4x2",))
    return pipeline_for(chosen, tapes_for(chosen, lambda _: None, may_trace=False))


def spent() -> float:
    """Return the CPU time of this process."""
    return time.process_time()


def forget_peak() -> None:
    """Have the system count the highest memory from here on, where it can (Linux)."""
    if sys.platform == "linux":
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


@cache
def loaded() -> int:
    """Return the resident memory with all loaded that a first input needs."""
    pipeline()
    return resident("VmRSS")


def resident(name: str) -> int:
    """Return the resident memory in bytes, VmRSS now and VmHWM at its highest; 0 where not on Linux."""
    if sys.platform != "linux":
        return 0
    found = re.search(rf"{name}:\s+(\d+) kB", Path("/proc/self/status").read_text("ascii"))
    return int(found[1]) * 1024 if found else 0
