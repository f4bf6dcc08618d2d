# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What no input may do to trainlint: break it, take it long, fill the memory, or get through its output."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch
from xml.etree.ElementTree import fromstring  # what we wrote ourselves

from bench.fuzz.meter import JUDGING, MEMORY, Meter, forget_peak, resident
from bench.hostile.case import Case
from bench.hostile.texts import own_texts
from bench.hostile.trees import FAILING, JSON, RAN_MARKER, UNKNOWN
from trainlint.catalogue.signature import signature
from trainlint.catalogue.zoo.file_check import check_all_tables
from trainlint.catalogue.zoo.packages import NETWORKS, RECIPES
from trainlint.cli.main import run
from trainlint.cli.starting.option_like_files import refuse_named_files
from trainlint.errors import UnreadableError
from trainlint.files.text_source import source_of
from trainlint.model.document import Source
from trainlint.model.result import Report
from trainlint.pipeline.pipeline import Pipeline
from trainlint.pipeline.placer import ALONE_READING
from trainlint.report.formats import format_named, names
from trainlint.report.style import Style, as_shown, harmless, printable
from trainlint.report.text.fit_text import render_fit
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.many_files import Unread, lint_all
from trainlint.session.toolbox import pipeline_for
from trainlint.settings.settings import Settings

PARSERS: Mapping[str, Callable[[str], object]] = {
    "json": json.loads,
    "sarif": json.loads,
    "gitlab": json.loads,
    "junit": fromstring,
    "checkstyle": fromstring,
}
"""What reads a format; what it cannot read ends in a traceback."""
SUMMARY, TERMINAL = " summary", "text on a terminal"
"""Further forms of a report, besides the formats and fit's table."""
INTERNAL = 3
"""Exit code of an internal error."""
REFUSED = 2
"""Exit code of what is not done."""


def complaints(case: Case, scratch: Path) -> list[str]:
    """Run a case and say what is wrong with how it went; figures first where there are any."""
    most = MEMORY + max(0, resident("VmRSS") - loaded())  # what earlier inputs left is not this one's
    forget_peak()
    meter = Meter()
    try:
        wrong = of_tree(case, scratch, meter) if case.words else of_file(case, meter)
    except MemoryError:
        wrong = ["memory: MemoryError"]
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what we look for
        wrong = [f"traceback: {type(error).__name__}: {error}"]
    peak = resident("VmHWM")
    return wrong + meter.slow() + ([f"memory: {peak / 2**20:.0f} MB"] if peak > most else [])


def of_file(case: Case, meter: Meter) -> list[str]:
    """Judge one file, once, and render the result in every format."""
    ((name, data),) = case.files
    given: Source | Unread
    with meter.of(JUDGING):
        try:
            given = source_of(data, name)
        except UnreadableError as error:
            given = Unread(name, error)
        report = lint_all(pipeline(), [given], lambda _: None)
    meter.jobs = max(1, sum(result.dialect is not None for result in report.results))
    wrong = [f"traceback: {crash.message}\n{crash.traceback}" for crash in report.crashes]
    wrong += [] if report.results or report.crashes else ["verdict: none"]
    for form in forms(report):
        wrong += [f"{form}: {words}" for words in printed(report, form, meter)]
    return wrong


def forms(report: Report) -> list[str]:
    """Name what a report is rendered as: the formats, text for a terminal, the step summary, fit's table."""
    summaries = [f"{name}{SUMMARY}" for name in names() if format_named(name).summary is not None]
    return [*names(), TERMINAL, *summaries, *(["fit"] if report.results and report.results[0].target else [])]


def printed(report: Report, form: str, meter: Meter) -> list[str]:
    """Render a report in one form, as it is printed and as `printable` alone leaves it, and check both."""
    name = "text" if form == TERMINAL else form.removesuffix(SUMMARY)
    style = Style(colour=form == TERMINAL, terminal=form == TERMINAL, width=80)
    with meter.of(form):
        if form == "fit":
            text = "\n".join(render_fit(report.results, style))
        elif form.endswith(SUMMARY):
            summary = format_named(name).summary
            text = summary(report) if summary is not None else ""
        else:
            text = format_named(name).render(report, style)
        seen = harmless(text, annotations=form in names() and format_named(form).annotations)
    if form == TERMINAL:
        text, seen = as_shown(text), as_shown(seen)
    return [*obeyed(seen, form), *(obeyed(text, f"{form} alone") if text != seen else ())]


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


def of_tree(case: Case, scratch: Path, meter: Meter) -> list[str]:
    """Run the command on a tree."""
    folder = Path(tempfile.mkdtemp(dir=scratch))
    out, err = io.StringIO(), io.StringIO()
    try:
        for name, data in case.files:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        number, _, failing = dict(case.files).get(FAILING, b"0 ").decode().partition(" ")
        with (
            in_folder(folder),
            redirect_stdout(out),
            redirect_stderr(err),
            meter.of(JUDGING),
            unread(failing, int(number)),
        ):
            try:
                refuse_named_files(case.words)
                run(list(case.words))
            except SystemExit as end:
                code = end.code
        ran = (folder / RAN_MARKER).exists()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    wrong = [f"traceback: exit {code}: {err.getvalue()}"] if code == INTERNAL else []
    wrong += ["code of the tree ran"] if ran else []
    wrong += believed(case, out.getvalue(), failing) if case.words[:2] == JSON and code != INTERNAL else []
    wrong += [f"option: {word} was obeyed" for word in option_like(case) if code != REFUSED]
    form = "github" if "github" in case.words else ""
    plain = re.sub("\x1b\\[[0-9;]+m", "", out.getvalue()) if "always" in case.words else out.getvalue()
    lines = plain.replace("\r\n", "\n") if "--diff" in case.words else plain
    return wrong + [f"stdout: {words}" for words in obeyed(lines, form)] + [
        f"stderr: {words}" for words in obeyed(err.getvalue(), "")
    ]  # fmt: skip


def option_like(case: Case) -> list[str]:
    """Return the words of `trainlint *` that are files' names and look like options."""
    names = {name.partition("/")[0] for name, _ in case.files}
    if not set(case.words) <= names or "--" in case.words:
        return []
    return [word for word in case.words if word.startswith("-")]


def believed(case: Case, printed: str, failing: str) -> Iterator[str]:
    """Yield passes that nothing stands behind: of an unknown batch, or next to a script that was not read."""
    script = dict(case.files).get("train.sh", b"").decode("utf-8", "replace")
    for result in json.loads(printed)["results"] if printed else ():
        if result["path"] != "c.yml" or result["verdicts"].get("memory") != "pass":
            continue
        if failing == "train.sh":
            yield "pass: of what a script starts that could not be read"
        elif script in UNKNOWN and result["dialect"] == "basicsr" and result["variant"] != ALONE_READING:
            yield "pass: of a batch that only the shell knows"


@contextmanager
def unread(name: str, number: int) -> Iterator[None]:
    """Let every look at a file of a name end with an error; "": none."""
    if not name:
        yield
        return

    def failing(work: Callable[..., Any]) -> Callable[..., Any]:
        def work_or_fail(path: Any, *args: Any, **options: Any) -> Any:
            if isinstance(path, str | os.PathLike) and Path(path).name == name:
                raise OSError(number, os.strerror(number), os.fspath(path))
            return work(path, *args, **options)

        return work_or_fail

    with ExitStack() as stack:
        for place in ("open", "stat", "lstat", "scandir"):
            stack.enter_context(patch.object(os, place, failing(getattr(os, place))))
        yield


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
    """Return the pipeline of a machine with two GPUs; fixes are tried, nothing is traced.

    The table of networks that a checkout makes once, and a wheel has, is no input's time; nor is what a
    checkout alone checks where a name is in no table.
    """
    signature("basicsr", "MSRResNet")
    for kind in (NETWORKS, RECIPES):
        check_all_tables(kind)
    chosen = Settings().with_options(target=("kaggle-t4x2",))
    made = pipeline_for(chosen, tapes_for(chosen, lambda _: None, may_trace=False))
    for name, data in own_texts():  # what is imported and compiled for the first that needs it
        lint_all(made, [source_of(data, name)], lambda _: None)
    return made


@cache
def loaded() -> int:
    """Return the resident memory with all loaded that a first input needs."""
    pipeline()
    return resident("VmRSS")
