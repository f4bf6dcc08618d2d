# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What `fit --solve` and `fit --best` found for one job, target by target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from trainlint.model.document import Document
from trainlint.model.finding import (
    NO_EDIT,
    NOT_ENOUGH,
    OUT_OF_MEMORY,
    REFUSED,
    UNKNOWN_SETS,
    Level,
    Outcome,
)
from trainlint.model.result import Result
from trainlint.model.units import gib
from trainlint.report.memory.decisive_figure import peak
from trainlint.report.style import Style, printable
from trainlint.report.text.fit_text import markdown_table, of_model
from trainlint.report.text.worded_table import worded_table
from trainlint.solve import Best, Solved
from trainlint.solve.best_settings import Setting
from trainlint.solve.fits_target import TOO_LARGE

SOLVE_HEADINGS = ("target", "limit", "safe", "now", "least", "expect", "card", "the next one")
BEST_HEADINGS = (
    "target",
    "batch",
    "accumulate",
    "effective",
    "precision",
    "crop",
    "least",
    "expect",
    "card",
    "change",
)
AS_IT_IS = "fits as it is"
FRAGMENTED = "vram-fragmentation"
EXPANDABLE = "fits if started with PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"


def answers(
    document: Document, all_answers: Sequence[Solved | Best], style: Style, *, markdown: bool = False
) -> Iterator[str]:
    """Yield a heading and the table of one job's targets."""
    place = f"{document.source.path}:{document.line}" if document.index else document.source.path
    keys = dict.fromkeys(answer.key for answer in all_answers if isinstance(answer, Solved) and answer.key)
    solved = isinstance(all_answers[0], Solved)
    what = f"largest {', '.join(keys) or 'value'}" if solved else _found(all_answers)
    heading = printable(f"{place} ({what}; memory in GiB)")
    yield f"**{heading}**\n" if markdown else style.paint("bold", heading)
    rows = [
        SOLVE_HEADINGS if solved else _best_headings(all_answers),
        *(tuple(map(printable, _row(answer))) for answer in all_answers),
    ]
    if markdown:
        yield from markdown_table(rows)
        return
    outcomes = [Outcome.PASS if _fits(answer) else Outcome.FAIL for answer in all_answers]
    yield from worded_table(rows, outcomes, style)


def _found(all_answers: Sequence[Solved | Best]) -> str:
    best = [answer for answer in all_answers if isinstance(answer, Best)]
    fit = len(best) == len(all_answers) and not any(answer.why or _still_fails(answer) for answer in best)
    return "settings that fit, each judged" if fit else "settings looked for, each judged"


def _row(answer: Solved | Best) -> tuple[str, ...]:
    memory = _memory(answer.results)
    if isinstance(answer, Solved):
        return (
            answer.target.name,
            _found_value(answer, answer.value) or ("?" if answer.unjudged else "none"),
            _found_value(answer, answer.safe) or ("none found" if answer.value else ""),
            answer.words(answer.now) if answer.now else "",
            *memory,
            _next(answer),
        )
    settings = [_setting(setting) for setting in answer.settings]
    cells = (" or ".join(dict.fromkeys(filter(None, values))) for values in zip(*settings, strict=True))
    return (answer.target.name, *cells, *memory, _change(answer))


def _found_value(solved: Solved, value: int) -> str:
    """Write a value that fits, the last that was judged as what larger ones may fit above; "" for none."""
    is_last = solved.open and value == solved.value
    return f"{solved.words(value)}{'+' * is_last}" if value else ""


def _best_headings(all_answers: Sequence[Solved | Best]) -> tuple[str, ...]:
    """Return the headings, of which one says what text is cut at instead of images."""
    settings = [setting for answer in all_answers if isinstance(answer, Best) for setting in answer.settings]
    lengths = any(setting.length is not None for setting in settings)
    return tuple("length" if lengths and heading == "crop" else heading for heading in BEST_HEADINGS)


def _next(solved: Solved) -> str:
    """Say what is above, or why nothing fits; and what is recommended where the job does not fit as it is."""
    return f"{_above(solved)}; recommended: {solved.advice}" if solved.advice else _above(solved)


def _above(solved: Solved) -> str:
    if not solved.value:
        said = "not judged" if solved.unjudged else "none fits" if solved.key else "not looked for"
        return f"{said}: {solved.why}"
    if solved.above is None:
        return "larger ones were not tried"
    return f"{solved.words(solved.above)}: {'not judged: ' * solved.open}{solved.why}"


def _change(best: Best) -> str:
    """Say what is edited, and what is wrong then apart from memory."""
    if best.why:
        unjudged = not any(result.facts and result.facts.memory for result in best.results)
        what = _too_large(best) if best.why == TOO_LARGE else f"{'not judged: ' * unjudged}{best.why}"
        return "; ".join((*best.changes, what, *_still_fails(best)))
    said = "; ".join(best.changes) or AS_IT_IS
    said += "" if best.kept else "; the effective batch changes"
    return "; ".join((said, *_still_fails(best)))


def _still_fails(best: Best) -> list[str]:
    """Say by which rules it fails all the same; what its step takes is said anyway."""
    fails = dict.fromkeys(
        finding.rule for result in best.results for finding in result.findings if finding.level is Level.FAIL
    )
    left = [rule for rule in fails if not (best.why and rule in OUT_OF_MEMORY)]
    return [f"still fails: {', '.join(left)}"] if left else []


def _too_large(best: Best) -> str:
    """Say that no edit makes it fit, or what does where only fragments are in its way."""
    rules = {finding.rule for result in best.results for finding in result.findings}
    return (
        EXPANDABLE
        if FRAGMENTED in rules and not rules & OUT_OF_MEMORY
        else "; ".join((NO_EDIT, *_left(best)))
    )


def _left(best: Best) -> Iterator[str]:
    """Yield what all edits leave, what the last that is refused would break, and a larger card."""
    findings = (finding for result in best.results for finding in result.findings)
    notes = next((finding.notes for finding in findings if finding.rule in OUT_OF_MEMORY), ())
    yield from (note for note in notes if note.startswith((NOT_ENOUGH, UNKNOWN_SETS)))
    yield from [note for note in notes if note.startswith(REFUSED)][-1:]
    yield from (note.partition("; ")[2] for note in notes if note.startswith(NO_EDIT) and "; " in note)


def _setting(setting: Setting) -> tuple[str, ...]:
    size = setting.crop if setting.length is None else setting.length
    values = (setting.batch, setting.accumulate, setting.effective, setting.precision, size)
    return tuple("" if value is None else str(value) for value in values)


def _memory(results: Sequence[Result]) -> tuple[str, str, str]:
    """Return least, expect and capacity of the reading that needs the most; of a model alone, its least."""
    known = [peak(result.facts.memory) for result in results if result.facts and result.facts.memory]
    if not known:
        least = next(filter(None, map(of_model, results)), "")
        gpu = next((result.target.gpu for result in results if result.target), None)
        return least, "", gib(gpu.memory) if least and gpu else ""
    figures = max(known, key=lambda figures: figures.least - figures.capacity)
    return gib(figures.least), gib(figures.expect), gib(figures.capacity)


def _fits(answer: Solved | Best) -> bool:
    return bool(answer.value) if isinstance(answer, Solved) else not answer.why


def as_dict(document: Document, all_answers: Sequence[Solved | Best]) -> dict[str, Any]:
    """Return the same in JSON's types."""
    return {
        "path": document.source.path,
        "document": document.index,
        "line": document.line,
        "targets": [
            _solved(answer) if isinstance(answer, Solved) else _best(answer) for answer in all_answers
        ],
    }


def _solved(solved: Solved) -> dict[str, Any]:
    return {
        "target": solved.target.name,
        "key": solved.key,
        "now": solved.now or None,
        "value": solved.value or None,
        "safe": solved.safe or None,
        "above": solved.above,
        "why": solved.why or None,
        "tight": solved.tight,
        "recommended": solved.advice or None,
        "readings": [_reading(result) for result in solved.results],
    }


def _best(best: Best) -> dict[str, Any]:
    return {
        "target": best.target.name,
        "fits": not best.why,
        "why": best.why or None,
        "changes": list(best.changes),
        "effective_batch_kept": best.kept,
        "settings": [
            {
                "batch": setting.batch,
                "accumulate": setting.accumulate,
                "effective_batch": setting.effective,
                "precision": setting.precision,
                "crop": setting.crop,
                "length": setting.length,
            }
            for setting in best.settings
        ],
        "readings": [_reading(result) for result in best.results],
    }


def _reading(result: Result) -> dict[str, Any]:
    memory = result.facts.memory if result.facts is not None else None
    gpu = peak(memory) if memory is not None else None
    model = result.facts.model if result.facts is not None and memory is None else None
    return {
        "variant": result.variant,
        "outcome": result.outcome.value,
        "least": gpu.least if gpu else None,
        "expect": gpu.expect if gpu else None,
        "capacity": gpu.capacity if gpu else None,
        "model": model.total if model is not None and not model.parted else None,
        "findings": [finding.rule for finding in result.findings],
    }
