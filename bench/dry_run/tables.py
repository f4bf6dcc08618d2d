# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Write the rows of bench/data/dry_runs.csv into docs/dry-run.md as tables, or check that they are there.

    python -m bench dry_run_tables [--check]

A table is between `<!-- rows: NAME -->` and `<!-- /rows -->`: recipes, image_models, two_gpus, until,
reach, forks, older, broken, measured, card and cost.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from statistics import median
from typing import Final

from bench.commands import parser_of
from bench.dry_run.cost_rows import PROGRAMS, costs
from bench.dry_run.entries import Entry, Row, entries, rows

PAGE: Final = Path(__file__).parents[2] / "docs" / "dry-run.md"
BLOCK: Final = re.compile(r"(?<=<!-- rows: )(\w+)( -->\n).*?(?=<!-- /rows -->)", re.DOTALL)
CLOSE_SHARE: Final = 0.005
"""How far from a recipe's figure is the same."""
NEAR_OF_IMAGE_MODELS: Final = 0.01
"""The same of an image model."""
MOST_CHARACTERS: Final = 160
"""Characters of a reason that a table shows."""
CRASH: Final = "program-crashes: "
JUDGED_OUTCOMES: Final = ("pass", "warn", "fail")


def main() -> int:
    """Write or check."""
    parser = parser_of(__doc__)
    parser.add_argument("--check", action="store_true", help="exit 1 where the page has other rows")
    text = PAGE.read_text(encoding="utf-8")
    written = page(text, rows())
    if parser.parse_args().check:
        return int(written != text)
    PAGE.write_text(written, encoding="utf-8")
    return 0


def page(text: str, known: dict[tuple[str, str], Row]) -> str:
    """Return the page with the tables of some rows."""

    def written(found: re.Match[str]) -> str:
        lines = "\n".join(TABLES[found[1]](known))
        return f"{found[1]}{found[2]}{lines}\n"

    return BLOCK.sub(written, text)


def _of(name: str, known: dict[tuple[str, str], Row]) -> list[tuple[Entry, Row]]:
    """Return a list's programs that have a row."""
    return [(entry, known[name, entry.name]) for entry in entries(name) if (name, entry.name) in known]


def _recipes(known: dict[tuple[str, str], Row]) -> Iterator[str]:
    return _compared("recipes", known)


def _image_models(known: dict[tuple[str, str], Row]) -> Iterator[str]:
    return _compared("image_models", known, NEAR_OF_IMAGE_MODELS)


def _two_gpus(known: dict[tuple[str, str], Row]) -> Iterator[str]:
    return _compared("two_gpus", known)


def _forks(known: dict[tuple[str, str], Row]) -> Iterator[str]:
    found = [row for _, row in _of("forks", known)]
    dry = {row.name for row in found if row.allocated is not None}
    own = {row.name for row in found if row.recipe is not None}
    counts = f"The dry run has a figure for {len(dry)}, --run-code had one for {len(own)}"
    yield f"{counts}, and it alone for {len(own - dry)}."
    yield from _compared("forks", known, other="--run-code")


def _compared(
    name: str, known: dict[tuple[str, str], Row], near: float = CLOSE_SHARE, other: str = "recipe"
) -> Iterator[str]:
    found = _of(name, known)
    apart = [abs(share) for _, row in found if (share := _apart(row.allocated, row.recipe)) is not None]
    within = sum(each <= near for each in apart)
    yield f"{len(found)} of {len(entries(name))} were run. Of {len(apart)} with both figures,"
    yield f"{apart.count(0)} are equal to the byte and {within} within {near:.1%}."
    yield ""
    yield f"| config | dry run | {other} | apart | |"
    yield "|---|---|---|---|---|"
    for entry, row in found:
        apart_by = _percent(_apart(row.allocated, row.recipe))
        why = entry.why or ("" if row.allocated else _reason(row))
        yield f"| {entry.name} | {_bytes(row.allocated)} | {_bytes(row.recipe)} | {apart_by} | {why} |"


def _apart(figure: int | None, other: int | None) -> float | None:
    """Return by which share a figure is more than another; None where one of them is missing."""
    return figure / other - 1 if figure and other else None


def _percent(share: float | None, digits: int = 2) -> str:
    return "" if share is None else f"{share:+.{digits}%}"


def _until(known: dict[tuple[str, str], Row]) -> Iterator[str]:
    yield "| program | verdict | live bytes of a step | of its validation | files of one save | |"
    yield "|---|---|---|---|---|---|"
    for entry, row in _of("until", known):
        figures = " | ".join(map(_bytes, (row.allocated, row.validation, row.saved)))
        yield f"| {entry.name} | {row.outcome} | {figures} | {entry.why} |"


def _reach(known: dict[tuple[str, str], Row]) -> Iterator[str]:
    return _verdicts("reach", "projects", known)


def _older(known: dict[tuple[str, str], Row]) -> Iterator[str]:
    return _verdicts("older", "releases", known)


def _verdicts(name: str, kind: str, known: dict[tuple[str, str], Row]) -> Iterator[str]:
    found = _of(name, known)
    judged = [entry for entry, row in found if row.allocated is not None and row.outcome in JUDGED_OUTCOMES]
    folders = {entry.folder.partition("/")[0] for entry in judged}
    yield f"{len(found)} were run; {len(judged)}, of {len(folders)} {kind}, came to a verdict on memory."
    yield ""
    yield "| program | verdict | live bytes at the peak | |"
    yield "|---|---|---|---|"
    for entry, row in found:
        why = entry.why or ("" if row.allocated else _reason(row))
        verdict = row.outcome if row.allocated and row.outcome in JUDGED_OUTCOMES else "not judged"
        yield f"| {entry.name} | {verdict} | {_bytes(row.allocated)} | {why} |"


def _broken(known: dict[tuple[str, str], Row]) -> Iterator[str]:
    found = _of("broken", known)
    own = sum(_is_own(entry, row) for entry, row in found)
    good = [row for name in ("recipes", "reach") for entry, row in _of(name, known) if entry.stops is None]
    false = sum(CRASH in row.said for row in good)
    yield f"{own} of {len(found)} end with the program's own error."
    yield f"Of the {len(good)} good ones above, {false} are said to crash."
    yield ""
    yield "| what is wrong | what is said |"
    yield "|---|---|"
    for entry, row in found:
        said = (row.said.partition(CRASH)[2] or row.said).partition("; ")[0]
        yield f"| {entry.name.removeprefix('broken: ')} | {_short(said)} |"


def _is_own(entry: Entry, row: Row) -> bool:
    """Return whether a broken program was reported as its own error, which names what is wrong."""
    crash = row.said.partition(CRASH)[2]
    return row.outcome == "fail" and entry.stops is not None and entry.stops in crash


def _measured(known: dict[tuple[str, str], Row]) -> Iterator[str]:
    found = _of("measured", known)
    for meter, reserved in (("live", False), ("reserved", True)):
        apart = _all_apart(
            [(entry, row) for entry, row in found if entry.reserved == reserved and not entry.chosen]
        )
        if apart:
            what = f"{meter.capitalize()} bytes: {len(apart)} row{'s' * (len(apart) > 1)}"
            yield f"{what}, median {median(apart):.2%} apart, at most {max(apart):.2%}."
    yield ""
    yield "| program | measured | dry run | apart | |"
    yield "|---|---|---|---|---|"
    for entry, row in found:
        figure = _metered(entry, row)
        apart_by = _percent(_apart(figure, entry.measured))
        why = entry.why or ("" if figure else _reason(row))
        yield f"| {entry.name} | {_bytes(entry.measured)} | {_bytes(figure)} | {apart_by} | {why} |"


def _card(known: dict[tuple[str, str], Row]) -> Iterator[str]:
    found = _of("card", known)
    apart = _all_apart(found)
    timed = [
        row.fastest <= entry.seconds <= row.slowest
        for entry, row in found
        if entry.seconds and row.fastest and row.slowest
    ]
    if apart:
        yield f"Reserved bytes of {len(apart)}: median {median(apart):.1%} apart, at most {max(apart):.1%}."
        yield f"{sum(timed)} of {len(timed)} steps took as long as is said."
    yield ""
    yield "| program | reserved | dry run | apart | ms a step | dry run | |"
    yield "|---|--:|--:|--:|--:|--:|---|"
    for entry, row in found:
        apart_by = _percent(_apart(row.reserved, entry.measured), 1)
        seconds = f"{1000 * entry.seconds:.0f}" if entry.seconds else ""
        pace = f"{1000 * row.fastest:.0f} to {1000 * row.slowest:.0f}" if row.fastest and row.slowest else ""
        why = entry.why or ("" if row.reserved else _reason(row))
        figures = f"{_bytes(entry.measured)} | {_bytes(row.reserved)} | {apart_by} | {seconds} | {pace}"
        yield f"| {entry.name} | {figures} | {why} |"


def _all_apart(found: Iterable[tuple[Entry, Row]]) -> list[float]:
    """Return how far dry runs are from what was measured, of those that have both."""
    shares = (_apart(_metered(entry, row), entry.measured) for entry, row in found)
    return [abs(share) for share in shares if share is not None]


def _metered(entry: Entry, row: Row) -> int | None:
    return row.reserved if entry.reserved else row.allocated


def _cost(known: dict[tuple[str, str], Row]) -> Iterator[str]:
    judged = [row.cpu_seconds for row in known.values() if row.allocated is not None and row.cpu_seconds]
    broken = [row.cpu_seconds for row in known.values() if row.list == "broken"]
    yield "| | CPU seconds, imports and all runs of a verdict together |"
    yield "|---|---|"
    for what, seconds in (("programs to a verdict", judged), ("broken ones to their error", broken)):
        if seconds:
            least, most = min(seconds), max(seconds)
            yield f"| {len(seconds)} {what} | {least} to {most}, median {median(seconds):.0f} |"
    verdicts = {key[1]: known[key].cpu_seconds for key in PROGRAMS if key in known}
    whole = [cost for cost in costs() if cost.bare is None]
    if whole:
        yield ""
        yield "| CPU seconds | one recording | its imports alone | a verdict | times |"
        yield "|---|---|---|---|---|"
        for cost in whole:
            verdict = verdicts.get(cost.name)
            times = "" if verdict is None else f"{verdict / cost.seconds:.1f}"
            imports = "" if cost.imports is None else f"{cost.imports:.1f}"
            yield f"| {cost.name} | {cost.seconds:.1f} | {imports} | {verdict or ''} | {times} |"
    steps = [(cost, cost.bare) for cost in costs() if cost.bare]
    if steps:
        yield ""
        yield "| CPU seconds of a step of `bench/dry_run/timed_steps.py` | recorded | bare on meta | times |"
        yield "|---|---|---|---|"
        for cost, bare in steps:
            yield f"| {cost.name} | {cost.seconds:.2f} | {bare:.2f} | {cost.seconds / bare:.1f} |"


TABLES: Final[dict[str, Callable[[dict[tuple[str, str], Row]], Iterator[str]]]] = {
    "recipes": _recipes,
    "image_models": _image_models,
    "two_gpus": _two_gpus,
    "until": _until,
    "reach": _reach,
    "forks": _forks,
    "older": _older,
    "broken": _broken,
    "measured": _measured,
    "card": _card,
    "cost": _cost,
}


def _reason(row: Row) -> str:
    return _short(row.said.rpartition("memory: ")[2])


def _short(text: str) -> str:
    """Return a text of a report as a table's cell."""
    flat = " ".join(text.replace("|", "/").replace("`", "'").split())
    cut = flat if len(flat) <= MOST_CHARACTERS else f"{flat[:MOST_CHARACTERS].rpartition(' ')[0]} ..."
    return re.sub(r"([\\_*<>\[\]])", r"\\\1", cut)


def _bytes(value: int | None) -> str:
    return f"{value:,}" if value is not None else ""


if __name__ == "__main__":
    sys.exit(main())
