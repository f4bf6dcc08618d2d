# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a run needs against what there is: memory, time and disk, a row each, of one reading."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from trainlint.model.facts import Facts, Memory, Time
from trainlint.model.finding import Outcome
from trainlint.model.result import Result
from trainlint.model.units import count_between, disk, gib, plural, seconds
from trainlint.model.verdict import Verdict
from trainlint.report.brief.batch_limits import advised_batch, batch_figures, largest, limit_words
from trainlint.report.brief.calendar_time import (
    gpu_hours,
    hours_each,
    length,
    samples_of_session,
    sessions,
)
from trainlint.report.brief.line_folding import folded
from trainlint.report.brief.missing import (
    GPU_ALONE,
    HOW_MANY_SAMPLES,
    disk_wanted,
    measurement_wanted,
    memory_wanted,
    samples_wanted,
    time_wanted,
)
from trainlint.report.brief.reading_names import (
    IF_IT_IS,
    LAUNCHER_WORDS,
    either,
    reading_words,
    without_launcher,
)
from trainlint.report.job_block import JobBlock, runs_out
from trainlint.report.memory.decisive_figure import TEST, VALIDATION, figure_words, need_words, peak
from trainlint.report.memory.memory_text import PROJECT, library_words, measured_words, source_words
from trainlint.report.style import Style, printable

NAME, FIGURE = 6, 18
"""Columns of a row's name and of its figure."""
LEAST_WORDS, BELOW = 20, "    "
"""Columns that words need next to a figure; in fewer they go below it, so far in."""
FAIL = "FAIL"
ASKS = {"memory": memory_wanted, "sample images": samples_wanted, "hours": time_wanted, "disk": disk_wanted}
"""What a figure lacks, by its name in a list of what is missing."""
MOST_VERSIONS = 4
MOST_RULES = 2
THESE_LINES = "these lines alone are"
NEVER_RUNS = "never runs"
WHOLE_RUN = "all epochs"
"""What hours for each 1,000 samples are of: every epoch."""
HOPELESS_TIMES = 2
"""How many times a card's memory a step needs at least whose time is of no use: it never runs."""


class Row(Struct, frozen=True):
    """A figure and what it means; `failed` says so in its own row."""

    name: str
    figure: str
    words: str
    failed: bool = False


def rows(block: JobBlock, style: Style) -> Iterator[str]:
    """Yield the rows of what is known of a job on its target, and what is asked for where it is not."""
    result = block.result
    if result.target is None or result.facts is None:
        return
    unknown = {memory_wanted(result), time_wanted(result), disk_wanted(result)}
    if result.facts.memory is None and len(unknown) == 1 and (wanted := unknown.pop()):
        saving = _saving(block)
        names = "memory, time and disk" if saving is block else "memory and time"
        yield f"  {THESE_LINES if result.is_part else names} not judged: {printable(wanted)}"
        yield from () if saving is block else _lines([_disk(saving, apart=True)], style)
        return
    able = _able(block)
    apart = able is not block
    yield from _lines((_memory(block), *_of_versions(block), _time(able, apart), _disk(able, apart)), style)


def _lines(of_each: Sequence[Row | None], style: Style) -> Iterator[str]:
    known_rows = [row for row in of_each if row is not None]
    width = max((FIGURE, *(len(row.figure) for row in known_rows)))
    for row in known_rows:
        words = row.words
        if row.failed:
            words = f"{style.paint('red', FAIL)}{f', {words}' if words else ''}"
        lead = f"  {row.name:<{NAME}}   {row.figure:<{width}}   "
        if style.width - len(lead) < LEAST_WORDS and words:
            yield lead.rstrip()
            yield from (f"{BELOW}{line.lstrip()}" for line in folded(words, style.width - len(BELOW)))
            continue
        first, *rest = folded(words, style.width - len(lead))
        yield f"{lead}{first}".rstrip()
        yield from (f"{'':<{len(lead)}}{line.lstrip()}" for line in rest)


def _able(block: JobBlock) -> JobBlock:
    """Return a job as its readings that fit have it, where the one that is shown runs out of memory."""
    able = block.running
    return replace(block, result=able[0], readings=able) if able else block


def _saving(block: JobBlock) -> JobBlock:
    """Return a job as those of its readings have it whose size on disk is known; itself where none is."""
    known = tuple(reading for reading in block.readings if _disk_of(reading))
    return replace(block, result=known[0], readings=known) if known else block


def figures_of(block: JobBlock, *, with_disk: bool = True, short: bool = False) -> list[str]:
    """Return a job's figures for one line, the most important first; the last is the size on disk.

    `short` is for a line among others: the batch is last there.
    """
    result = block.result
    facts = result.facts
    if facts is None or result.target is None:
        return []
    known = []
    if facts.memory is not None:
        known.append(f"{need_words(peak(facts.memory))}{_beyond(facts.memory)}")
    measured = any(fact.measured for fact in (facts.memory, facts.time) if fact is not None)
    if measured:
        known.append("by your measured runs")
    if facts.time is not None and facts.time.total_hours is not None:
        first, *several = length(facts.time, result.target)
        known += [f"{first}{_alone(result, short=short)}", *several]
    elif facts.time is not None and (step := _step(facts, short=short)):
        known.append(step)
    batches = batch_figures(facts.memory, named=False) if facts.memory and not runs_out(result) else []
    on_disk = list(_on_disk(facts, short=short)) if with_disk else []
    return [*known, *on_disk, *batches] if short else [*known, *batches, *on_disk]


def _on_disk(facts: Facts, *, short: bool) -> Iterator[str]:
    if facts.disk is not None:
        yield disk_words(facts.disk.total, short=short)
    if words := _download(facts):
        yield words


def _download(facts: Facts) -> str:
    """Say how large the base model is at the hub, "" where there is none."""
    return "" if facts.download is None else f"{disk(facts.download)} to download"


def _alone(result: Result, *, short: bool = False) -> str:
    """Say that hours leave out a loader that may be slower than the GPU."""
    words = "of GPU" if short else GPU_ALONE
    return f" {words}" if measurement_wanted(result).startswith(GPU_ALONE) else ""


def disk_words(size: int, *, short: bool = False) -> str:
    """Write what a run leaves on disk, for one line."""
    return f"{disk(size)} {'' if short else 'of '}disk"


def _step(facts: Facts, *, short: bool = False) -> str:
    """Return how long a step takes, or a run of 1,000 images; "" where it is too far from fitting to run."""
    memory, time = facts.memory, facts.time
    if time is None or (memory is not None and never_runs(memory)):
        return ""
    if time.thousand_hours is not None:
        return hours_each(time.thousand_hours, time.samples, short=short)
    return f"{seconds(time.step_seconds[1])} a step"


def never_runs(memory: Memory) -> bool:
    """Return whether a step is too far from fitting to start, so that how long it takes is of no use."""
    gpu = peak(memory)
    return gpu.least > HOPELESS_TIMES * gpu.capacity


def wanted(result: Result) -> dict[str, list[str]]:
    """Return what would give what is missing, and what each of it gives: hours, disk."""
    asks: dict[str, list[str]] = {}
    for name, ask in ASKS.items():
        if words := ask(result):
            asks.setdefault(words, []).append(name)
    return asks


def listing(names: list[str]) -> str:
    """Write a list of up to three: "memory, hours and disk"."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def each_wanted(block: JobBlock, *, short: bool = False) -> Iterator[str]:
    """Yield what is missing, with what gives it: "hours: how many training images? --dataset-size N".

    In `short` without the question.
    """
    for words, names in wanted(block.result).items():
        what = ", ".join(names) if short else listing(names)
        yield f"{what}: {printable(words.rpartition('? ')[2] if short else words)}"


def _memory(block: JobBlock) -> Row | None:
    memory = block.result.facts.memory if block.result.facts is not None else None
    if memory is None or memory_wanted(block.result):
        words = memory_wanted(block.result)
        known = need_words(peak(memory)) if memory is not None else ""
        return Row("memory", known or "not judged", printable(words)) if words else None
    failed = _failed(block, "memory", runs_out)
    which = _which(block)
    if _are_versions(block):
        name = without_launcher(block.tightest)
        others = _others(_of_version(block, name), _memory_of)
        return Row(
            "memory",
            need_words(peak(memory)),
            f"{printable(name)}{_on_gpus(memory, block)}: {_state(memory, block, '')}{others}",
            failed,
        )
    words = f"{_state(memory, block, which)}{_others(block, _memory_of, named=bool(which))}"
    return Row("memory", need_words(peak(memory)), words, failed)


def _are_versions(block: JobBlock) -> bool:
    """Return whether published versions of a script need different memory: each has a row of its own then."""
    published = all(reading.version is not None for reading in block.readings)
    return published and len(_versions(block)) <= MOST_VERSIONS and bool(_which(block))


def _versions(block: JobBlock) -> list[str]:
    """Return the names of a job's versions, each once, however it is started."""
    return list(dict.fromkeys(without_launcher(reading.variant or "") for reading in block.readings))


def _of_version(block: JobBlock, name: str) -> JobBlock:
    """Return one version's readings, called by how they are started, with the one that needs most."""
    own = [reading for reading in block.readings if without_launcher(reading.variant or "") == name]
    readings = tuple(
        replace(reading, variant=(reading.variant or "").removeprefix(name).removeprefix(", "))
        for reading in own
    )
    return replace(block, result=max(readings, key=_short_of), readings=readings)


def _short_of(reading: Result) -> float:
    """Return how much more than its card a reading needs, in bytes."""
    memory = reading.facts.memory if reading.facts is not None else None
    return float("-inf") if memory is None else peak(memory).least - peak(memory).capacity


def _on_gpus(memory: Memory, block: JobBlock) -> str:
    """Say that a version trains on fewer GPUs than the machine has: " on 1 GPU"."""
    target, used = block.result.target, len(memory.gpus)
    return f" on {plural(used, 'GPU')}" if target is not None and used < target.gpu_count else ""


def _of_versions(block: JobBlock) -> Iterator[Row]:
    """Yield a row for each version but the one that is shown: what it needs, and the rules it fails."""
    for name in _versions(block) if _are_versions(block) else ():
        own = _of_version(block, name)
        memory = own.result.facts.memory if own.result.facts is not None else None
        if name == without_launcher(block.tightest) or memory is None:
            continue
        rules = dict.fromkeys(
            finding.rule
            for finding in block.result.findings
            if name in map(without_launcher, finding.holds_in or ()) and not finding.hint
        )
        fails = all(reading.alone is Outcome.FAIL for reading in own.readings) and rules
        state = f"stops by {listing(list(rules)[:MOST_RULES])}" if fails else "fits"
        state = "does not fit" if runs_out(own.result) else state
        said = f"{printable(name)}{_on_gpus(memory, own)}: {state}{_others(own, _memory_of)}"
        yield Row("", need_words(peak(memory)), said)


def limit_of(reading: Result) -> str:
    """Say how large the batch may be where a reading runs out of memory; "" where that is not known.

    What makes it fit comes after it, with what the reading needs then.
    """
    memory = reading.facts.memory if reading.facts is not None else None
    if memory is None or memory.batch is None or not runs_out(reading):
        return ""
    fixed = [finding for finding in reading.findings if finding.rule == "vram-budget" and finding.fixes]
    words = limit_words(memory, advised_batch(fixed[0]) if fixed else 0)
    name = f" {reading_words(reading.variant)}" if reading.variant else ""
    edit = ""
    if fixed:
        from trainlint.report.brief.advised_edit import head_of, then  # noqa: PLC0415 - where something is wrong

        fix = fixed[0].fixes[0]
        outer_keys, key, _ = head_of(fix.summary).partition(f"{memory.batch.key}: ")
        words_of_fix = head_of(fix.summary).replace(outer_keys if key else "", "")
        edit = f"; possible fix: {words_of_fix}{then(fix.after, reading)}"
    return f"  {printable(f'{memory.batch.key}: {words}{name}')}{edit}" if words else ""


def _failed(block: JobBlock, family: str, fails: Callable[[Result], bool]) -> bool:
    """Return whether the reading that is shown fails: by its own figures, where another one does not."""
    if block.result.verdicts.get(family) is Verdict.FAIL:
        return True
    return len(block.readings) > 1 and fails(block.result)


def _state(memory: Memory, block: JobBlock, which: str) -> str:
    gpu = peak(memory)
    moment = {VALIDATION: " at validation", TEST: ""}.get(memory.peak_phase, "") + which
    most = largest(memory)
    most = f", {most}" if most else ""
    unwritten = most if memory.batch is None else ""  # else it is said beneath the value
    if runs_out(block.result):
        origin = f"{library_words(memory)}{_project_words(memory)}{measured_words(memory)}"
        return f"does not fit{moment}{unwritten}{origin}"
    if gpu.least > gpu.capacity:
        said = f"fits{moment} if it does not fragment{unwritten}"
    elif gpu.expect > gpu.capacity:
        said = f"tight{moment}: it runs, flushing its cache, from {gib(gpu.least)} GiB on{unwritten}"
    elif gpu.worst > gpu.capacity:
        said = f"tight{moment}: a run may take all of it{unwritten}"
    else:
        said = f"fits{moment}{most}"
    return f"{said}{_beyond(memory)}{measured_words(memory)}"


def _beyond(memory: Memory) -> str:
    left = ", ".join(printable(term.what) for term in memory.uncounted)
    return f"{f', without {left}' if left else ''}{library_words(memory)}{_project_words(memory)}"


def _project_words(memory: Memory) -> str:
    """Say that figures are by a profile of the project, which others may have written."""
    return source_words(memory) if memory.source == PROJECT else ""


def _others(
    block: JobBlock, figure: Callable[[Result], str], *, named: bool = False, apart: bool = False
) -> str:
    """Put the other readings' figures in half a line, those that differ.

    Where the version that is shown is `named` before them, and all others agree, they are not. It is named
    here where it is `apart` from the one whose memory is shown.
    """
    own = figure(block.result)
    names_by_state: dict[str, list[str]] = {}
    for reading in block.readings:
        value = figure(reading)
        if reading.facts is not block.result.facts and value not in ("", own):
            names_by_state.setdefault(value, []).append(reading.variant or "")
    said = [_said(value, names) for value, names in names_by_state.items()]
    if named and [len(names) for names in names_by_state.values()] == [len(block.readings) - 1]:
        said = [f"{value} if it is not" for value in names_by_state]
    said = [*([_shown_reading(block, figure)] if apart else ()), *said]
    return f" ({'; '.join(said)})" if any(said) else ""


def _shown_reading(block: JobBlock, figure: Callable[[Result], str]) -> str:
    """Name the reading that is shown, without how it is started where that makes no difference."""
    version, own = without_launcher(block.result.variant or ""), figure(block.result)
    names = [reading.variant or "" for reading in block.readings if figure(reading) == own]
    return printable(either([name for name in names if without_launcher(name) == version]))


def _said(value: str, names: Sequence[str]) -> str:
    words = printable(either(names))
    if any(words == started for started in LAUNCHER_WORDS.values()):
        return f"{words.removeprefix('with ')}: {value}"
    return f"{value} {words}"


def _which(block: JobBlock) -> str:
    """Name the version whose figures are shown, where those of others differ."""
    name = reading_words(block.tightest)
    return f" {printable(name)}" if _others(block, _memory_of) and name.startswith(IF_IT_IS) else ""


def _memory_of(result: Result) -> str:
    memory = result.facts.memory if result.facts is not None else None
    if memory is None:
        return "not judged"
    return figure_words(peak(memory))


def _time(block: JobBlock, apart: bool) -> Row | None:
    """Return the row of time; its reading is named where it is `apart` from the one whose memory is shown."""
    facts = block.result.facts
    if facts is None:
        return None
    words = time_wanted(block.result)
    if facts.time is None:
        words = f"{printable(words)}{_others(block, _sessions_of, apart=apart)}" if words else ""
        return Row("time", "not judged", words) if words else None
    others = _others(block, _sessions_of, apart=apart)
    if facts.time.total_hours is None:
        step = _step(facts) or NEVER_RUNS
        hours = "" if words.startswith(HOW_MANY_SAMPLES) else "hours: "
        what = "hours and disk: " if words == disk_wanted(block.result) else hours
        asked = f"{what}{printable(words)}{_by(facts.time)}" if words else ""
        said = "; ".join(filter(None, (_whole_run(block), _holds(block.result), asked)))
        return Row("time", step, f"{said}{others}".lstrip())
    failed = block.result.verdicts.get("time") is Verdict.FAIL  # which says how long a session is
    planned = sessions(facts.time, block.result.target, others=others, failed=failed)
    said = f"{planned or others.lstrip()}{_by(facts.time)}"
    remark = "; ".join(filter(None, (said, measurement_wanted(block.result))))
    return Row("time", gpu_hours(facts.time), remark, failed)


def _whole_run(block: JobBlock) -> str:
    """Say what hours for each 1,000 samples are of, and those of other versions where they differ."""
    if not _each(block.result):
        return ""
    name, others = reading_words(block.tightest), _others(block, _each, named=True)
    return f"{WHOLE_RUN} {printable(name)}{others}" if others and block.tightest else f"{WHOLE_RUN}{others}"


def _each(result: Result) -> str:
    """Return the hours of a run with 1,000 samples, without the unit's name; "" where they are not known."""
    facts = result.facts
    known = facts is not None and facts.time is not None and facts.time.thousand_hours is not None
    return _step(facts).partition(" per ")[0] if facts is not None and known else ""


def _holds(result: Result) -> str:
    """Say how many samples a run of unknown length may have that ends in one session."""
    facts, target = result.facts, result.target
    time = facts.time if facts is not None else None
    if facts is None or time is None or target is None or target.session_budget_h is None or not _step(facts):
        return ""
    if time.thousand_hours is None:
        return ""
    budget = target.session_budget_h
    enough = samples_of_session(time.thousand_hours, budget)
    return f"a {budget:g} h session does {enough} {time.samples}"


def _by(time: Time) -> str:
    return f", by {time.measured}" if time.measured else ""


def _sessions_of(result: Result) -> str:
    time = result.facts.time if result.facts is not None else None
    if time is None or time.sessions is None:
        return ""
    return "no save" if time.sessions[1] is None else count_between(time.sessions)


def _disk(block: JobBlock, apart: bool) -> Row | None:
    """Return the row of the disk, its reading named like that of time."""
    facts, target = block.result.facts, block.result.target
    if facts is None or target is None:
        return None
    if facts.disk is None:
        words = disk_wanted(block.result)
        if not words or words == time_wanted(block.result):
            return None
        return Row("disk", "not judged", f"{printable(words)}{_others(block, _disk_of, apart=apart)}")
    size = disk(facts.disk.total)
    download = _download(facts)
    others = _others(block, _disk_of, apart=apart) + (f", {download}" if download else "")
    if target.disk is None:
        return Row("disk", size, others.removeprefix(",").lstrip())
    failed = block.result.verdicts.get("disk") is Verdict.FAIL
    figure = f"{size.removesuffix(' GB')} of {disk(target.disk)}"
    fits = facts.disk.total <= target.disk
    words = "" if failed else "ok" if fits else "too much"
    return Row("disk", figure, f"{words}{others}".removeprefix(",").lstrip(), failed)


def _disk_of(result: Result) -> str:
    facts = result.facts
    return "" if facts is None or facts.disk is None else disk(facts.disk.total)
