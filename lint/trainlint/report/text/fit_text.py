# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""One config against many machines, as a table: does it fit, how much more would, how long, how much disk."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from math import inf
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from trainlint.model.facts import GIVEN, LOG, Memory
from trainlint.model.finding import Level, Outcome
from trainlint.model.launcher import WITH_LAUNCHER
from trainlint.model.result import Result, why_unjudged
from trainlint.model.units import count_between, disk, dollars, gib, hours, hours_alone, plural
from trainlint.model.verdict import Verdict
from trainlint.report.brief.line_folding import folded
from trainlint.report.brief.missing import memory_wanted
from trainlint.report.brief.reading_names import only_launches, reading_label
from trainlint.report.closing import headline
from trainlint.report.memory.decisive_figure import peak, takes_all
from trainlint.report.memory.memory_text import source_words
from trainlint.report.style import Style, printable
from trainlint.report.text.worded_table import worded_table

if TYPE_CHECKING:
    from trainlint.estimate.memory.crop_fit import LargestCrop

    Crops = Mapping[tuple[str, str | None], LargestCrop]
    """The largest crop by target and reading."""

PER_THOUSAND = "h per 1,000"
READING, LAUNCHER = "reading", "torchrun"
CROP_LIMIT = "crop limit"
HEADINGS = (
    "target", READING, "verdict", "least", "expect", "card", "limit", "safe", CROP_LIMIT,
    "hours", PER_THOUSAND, "sessions", "price", "disk", "why",
)  # fmt: skip
WORD_COLUMNS = HEADINGS.index("verdict") + 1
"""How many columns, from the first, are words and no figures."""
FEWEST_RESULTS = 2
NOT_JUDGED = "not judged"
"""Represents the figures of memory where it has no verdict."""
OF_ONE: Final = (
    "the time was measured on one card and is taken for all of them: time, sessions and prices hold for that"
    " card alone (--log FILE --log-gpu GPU scales it to each)"
)
NO_CROPS: Final[Crops] = MappingProxyType({})


def render_fit(
    results: Sequence[Result],
    style: Style,
    crops: Crops = NO_CROPS,
    sort: str = "memory",
    own: Sequence[str] = (),
) -> Iterator[str]:
    """Yield what the table comes to and the table of one job's results, in the order of `sort` (ORDERS)."""
    yield from (line for remark in remarks_on(results, own) for line in folded(remark, style.width))
    common = everywhere(results)
    ranked = _different(sorted(_told_apart(results), key=ORDERS[sort]), crops, common)
    if not ranked:
        return
    rows = _rows(ranked, crops, common)
    words = sum(heading in (*HEADINGS[:WORD_COLUMNS], LAUNCHER) for heading in rows[0][:-1])
    yield from worded_table(rows, [headline(result) for result in ranked], style, words)


def render_markdown(
    results: Sequence[Result], crops: Crops = NO_CROPS, sort: str = "memory", own: Sequence[str] = ()
) -> Iterator[str]:
    """Yield the same as a table in Markdown."""
    yield from (f"{line}\n" for line in remarks_on(results, own))
    common = everywhere(results)
    if ranked := _different(sorted(_told_apart(results), key=ORDERS[sort]), crops, common):
        yield from markdown_table(_rows(ranked, crops, common))


def remarks_on(results: Sequence[Result], own: Sequence[str] = ()) -> Iterator[str]:
    """Yield what holds for the table as a whole: the answer, and what was found on every target."""
    yield answer(results, own)
    if rules := everywhere(results):
        yield f"on every target: {', '.join(map(printable, rules))} (trainlint check says where)"
    if is_of_one(results):
        yield OF_ONE


def _same_disk(results: Sequence[Result]) -> str:
    """Return the disk that several targets all need; "" where they differ."""
    needs = {_disk(result) for result in _told_apart(results)}
    return next(iter(needs)) if len(needs) == 1 and len(results) >= FEWEST_RESULTS else ""


def _disk(result: Result) -> str:
    return disk(result.facts.disk.total) if result.facts is not None and result.facts.disk else ""


def everywhere(results: Sequence[Result]) -> tuple[str, ...]:
    """Return the rules that found something on every one of several targets, in every reading."""
    if len({_name(result) for result in results}) < FEWEST_RESULTS:
        return ()
    first, *others = ([finding.rule for finding in result.findings] for result in results)
    return tuple(rule for rule in dict.fromkeys(first) if all(rule in rules for rules in others))


def _told_apart(results: Sequence[Result]) -> Sequence[Result]:
    """Return the results that a table is for: where no memory is known, those with a finding of their own."""
    if any(_is_known(result) for result in results) or len(results) < FEWEST_RESULTS:
        return results
    common = everywhere(results)
    return [result for result in results if any(finding.rule not in common for finding in result.findings)]


def _is_known(result: Result) -> bool:
    return why_unjudged(result) is None and result.facts is not None and result.facts.memory is not None


def markdown_table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield rows, the first of them the heading, as a table in Markdown."""
    for row in (rows[0], ["---"] * len(rows[0]), *rows[1:]):
        yield f"| {' | '.join(map(_cell, row))} |"


def _cell(text: str) -> str:
    """Write text for a Markdown table: neither a further column nor HTML."""
    return text.replace("|", "\\|").replace("<", "&lt;")


def answer(results: Sequence[Result], own: Sequence[str] = ()) -> str:
    """Say on how many targets the job fits, the smallest of them, where it is done first, and the cheapest.

    A job that can be read in several ways fits where it does in all of them. `own` are the targets that the
    user's settings name: the verdict on each of them is said too.
    """
    verdicts: dict[str, set[Outcome]] = defaultdict(set)
    for result in results:
        verdicts[_name(result)].add(headline(result))
    small = {_name(result) for result in results if _may_not_fit(result)}
    good = [
        result
        for result in results
        if verdicts[_name(result)] <= {Outcome.PASS, Outcome.WARN} and _name(result) not in small
    ]
    fitting = sorted((result for result in good if _is_known(result)), key=_rank)
    count = len({_name(result) for result in fitting})
    unknown = {_name(result): memory_wanted(result) for result in results if not _is_known(result)}
    if len(unknown) == len(verdicts):
        words = _unjudged(len(verdicts), len(_too_small(results)), _common(unknown.values(), ": {}"))
    else:
        words = f"fits {count} of {plural(len(verdicts), 'target')}"
        failing = {_name(result) for result in results if _fails_on_a_card(result)}
        whys = [why for name, why in unknown.items() if name not in failing]
        words += f", {len(whys)} not judged{_common(whys, ' ({})')}" if whys else ""
    alike = is_of_one(results)
    longest = _longest(fitting)
    timed = sorted(
        (result for result in longest if _hours(result) < inf and not alike),
        key=lambda fitting_result: (_hours(fitting_result), _rank(fitting_result)),
    )
    if fitting and len(verdicts) > 1:
        words += f"; the smallest: {printable(_name(fitting[0]))}"
        words += f"; done first on {printable(_name(timed[0]))}{_how_long(timed[0])}" if timed else ""
        sold = sorted(
            (price, _name(result)) for result in longest if (price := cost(result)) is not None and not alike
        )
        words += (
            f"; cheapest of those with a price: {printable(sold[0][1])} ({dollars(sold[0][0])})"
            if sold
            else ""
        )
    same = _same_disk(results)
    words += f"; disk on each: {same}" if same else ""
    yours = [f"{printable(name)}: {_worst(verdicts[name])}" for name in own if name in verdicts]
    return f"{words}; on yours, {', '.join(yours)}" if yours else words


def _fails_on_a_card(result: Result) -> bool:
    """Return whether a job surely stops on a target's card, whatever its memory is."""
    return headline(result) is Outcome.FAIL and result.target is not None and result.target.gpu is not None


def _common(reasons: Iterable[str], form: str) -> str:
    """Say why where there is one reason alone."""
    different = [*dict.fromkeys(filter(None, reasons))]
    return form.format(printable(different[0])) if len(different) == 1 else ""


def _longest(results: Sequence[Result]) -> list[Result]:
    """Return each target's reading in which the run takes longest, in the order of the targets."""
    longest: dict[str, Result] = {}
    for result in results:
        other = longest.setdefault(_name(result), result)
        if _hours(result) > _hours(other):
            longest[_name(result)] = result
    return list(longest.values())


def _too_small(results: Sequence[Result]) -> set[str]:
    """Return the targets on which every reading fails by its memory."""
    fails: dict[str, bool] = {}
    for result in results:
        fails[_name(result)] = (
            fails.get(_name(result), True) and result.verdicts.get("memory") is Verdict.FAIL
        )
    return {name for name, fail in fails.items() if fail}


def _unjudged(targets: int, small: int, why: str) -> str:
    """Say on how many targets memory is not judged, where nothing but what is too small is known of any."""
    fails = f"does not fit on {small} of {plural(targets, 'target')}"
    if small == targets:
        return fails
    return (
        f"{fails}; memory not judged on the others{why}"
        if small
        else f"memory not judged on {plural(targets, 'target')}{why}"
    )


def _how_long(result: Result) -> str:
    """Say how long the run takes, where its length is known."""
    time = result.facts.time if result.facts else None
    return f" ({hours(time.total_hours[1])})" if time is not None and time.total_hours else ""


def _may_not_fit(result: Result) -> bool:
    """Say whether a run needs more than a card has, though that may be no fail."""
    memory = result.facts.memory if result.facts is not None else None
    return memory is not None and (gpu := peak(memory)).least > gpu.capacity


def is_of_one(results: Sequence[Result]) -> bool:
    """Return whether a measured time, which is one card's, is taken for several."""
    timed = [
        result
        for result in results
        if result.facts and result.facts.time and result.facts.time.basis in {GIVEN, LOG}
    ]
    return len({result.target.gpu.name for result in timed if result.target and result.target.gpu}) > 1


def _worst(outcomes: set[Outcome]) -> str:
    return max(outcomes, key=list(Outcome).index).value


def _name(result: Result) -> str:
    return result.target.name if result.target else ""


def _rank(result: Result) -> tuple[int, int, str]:
    target = result.target
    if target is None or target.gpu is None:
        return (0, 0, "")
    return (target.gpu.memory, target.gpu_count, target.name)


def _hours(result: Result) -> float:
    """Return the hours of the run, or of a step where its length is unknown."""
    time = result.facts.time if result.facts else None
    if time is None:
        return inf
    return time.total_hours[1] if time.total_hours else time.step_seconds[1] / 3600


ORDERS: Final[Mapping[str, Callable[[Result], Any]]] = {
    "memory": _rank,
    "time": lambda result: (_hours(result), _rank(result)),
    "name": lambda result: (_name(result), _rank(result)),
    "verdict": lambda result: (list(Outcome).index(headline(result)), _rank(result)),
}
"""The orders that a table can have; `memory` begins with the smallest card."""


def _rows(ranked: Sequence[Result], crops: Crops, common: Collection[str]) -> list[list[str]]:
    """Return the table's heading and rows without the columns that no target has anything for.

    What is alike on all is said above it: the `common` rules, and the disk.
    """
    started = only_launches([result.variant for result in ranked if result.variant])
    headings = [_heading(heading, ranked, crops, started=started) for heading in HEADINGS]
    table = [
        headings,
        *((*map(printable, _row(result, crops, started=started)), _why(result, common)) for result in ranked),
    ]
    said_above = [HEADINGS.index("disk")] if _same_disk(ranked) else []
    filled = [
        column
        for column in range(len(HEADINGS))
        if column == len(HEADINGS) - 1 or (column not in said_above and any(row[column] for row in table[1:]))
    ]
    return [[row[column] for column in filled] for row in table]


def _different(ranked: Sequence[Result], crops: Crops, common: Collection[str]) -> list[Result]:
    """Leave out readings whose row is another one's in all cells.

    That is one that adds to the other's name alone, and all but the first where each has the same.
    """
    rows = [(result, (*_row(result, crops, started=True), _why(result, common))) for result in ranked]
    alike: dict[tuple[str, ...], list[str]] = defaultdict(list)
    of_target: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for result, (target, _, *cells) in rows:
        alike[target, *cells].append(result.variant or "")
        of_target[target].add(tuple(cells))
    left, same = [], set()
    for result, (target, _, *cells) in rows:
        variants = alike[target, *cells]
        if len(of_target[target]) == 1 and len(variants) > 1:
            if target not in same:
                left.append(replace(result, variant=None))
            same.add(target)
        elif not any(other and (result.variant or "").startswith(f"{other}, ") for other in variants):
            left.append(result)
    return left


def crop_heading(crops: Crops) -> str:
    """Say that a limit is one of crops, or of the length at which text is cut."""
    return "length limit" if any(crop.of_text for crop in crops.values()) else CROP_LIMIT


def _heading(heading: str, results: Sequence[Result], crops: Crops, *, started: bool) -> str:
    """Say in the heading of hours for each 1,000 what a run learns from, and of readings what they are."""
    if heading == READING and started:
        return LAUNCHER
    if heading == CROP_LIMIT:
        return crop_heading(crops)
    if heading != PER_THOUSAND:
        return heading
    times = [result.facts.time for result in results if result.facts is not None]
    return f"{heading} {next((time.samples for time in times if time is not None), '')}".rstrip()


def of_model(result: Result) -> str:
    """Write what a model takes of a card at the least, where nothing more is known of its step; else ""."""
    model = result.facts.model if result.facts and result.facts.memory is None else None
    return f"{gib(model.total)}+" if model and not model.parted else ""


def _row(result: Result, crops: Crops, *, started: bool) -> tuple[str, ...]:
    facts, target = result.facts, result.target
    cells = [
        target.name if target else "",
        _started(result) if started else printable(reading_label(result.variant)),
        headline(result).value,
    ]
    memory = facts.memory if facts else None
    if memory is None or memory.open:
        has = gib(target.gpu.memory) if target and target.gpu else "no GPU"
        unjudged = NOT_JUDGED if why_unjudged(result) else ""
        cells += [of_model(result) or unjudged, "", has, "", ""]
    else:
        gpu = peak(memory)
        cells += [
            gib(gpu.least),
            "full" if takes_all(gpu) else gib(gpu.expect),
            gib(gpu.capacity),
            _batch(memory),
            _safe(memory),
        ]
    crop = crops.get((target.name, result.variant)) if target and not (memory and memory.open) else None
    cells.append(_crop(crop) if crop else "")
    time = facts.time if facts else None
    long, sessions = (time.total_hours, time.sessions) if time is not None else (None, None)
    cells.append(hours_alone(long[0], long[2]) if long else "")
    thousand = time.thousand_hours if time is not None else None
    cells.append(hours_alone(thousand[0], thousand[2]) if thousand else "")
    if sessions is None:
        cells.append("")
    else:
        cells.append("never saves" if sessions[1] is None else count_between(sessions))
    cells.append(_price(result))
    cells.append(_disk(result))
    return tuple(cells)


def _started(result: Result) -> str:
    """Say whether a reading is that of a job started by a launcher."""
    return "" if result.variant is None else "yes" if result.variant == WITH_LAUNCHER else "no"


def cost(result: Result) -> float | None:
    """Return the dollars that the run's middle hours cost on its target; None where either is not known."""
    time, price = result.facts.time if result.facts else None, result.target.price if result.target else None
    if time is None or time.total_hours is None or price is None:
        return None
    return time.total_hours[1] * price.hourly


def _price(result: Result) -> str:
    """Write what the run costs, and an hour of the machine; that alone where the run's hours are unknown."""
    price, whole = result.target.price if result.target else None, cost(result)
    if price is None:
        return ""
    return f"{dollars(price.hourly)}/h" if whole is None else f"{dollars(whole)} at {dollars(price.hourly)}/h"


def _crop(crop: LargestCrop) -> str:
    return crop.words


def _batch(memory: Memory) -> str:
    """Write the largest batch as the config would, at its own key."""
    most = memory.batch.value if memory.batch else memory.largest_batch
    if not most and memory.largest_open:
        return "?"
    return f"{most or 'none'}{'+' * memory.largest_open}"


def _safe(memory: Memory) -> str:
    """Write the largest batch that leaves room, as the config would."""
    safe = memory.safe.value if memory.safe is not None else memory.safe_batch
    if not safe:
        return "?" if memory.largest_open else "none"
    return f"{safe}{'+' * memory.largest_open}"


def source_of(results: Sequence[Result]) -> str:
    """Say where the figures are from (", by a profile ..."), where one of the results says it."""
    sources = (
        source_words(result.facts.memory) for result in results if result.facts and result.facts.memory
    )
    return next(filter(None, sources), "")


def batch_key(results: Sequence[Result]) -> str:
    """Return the key at which the config writes its batch ("" where none of the results knows)."""
    memories = (result.facts.memory for result in results if result.facts and result.facts.memory)
    return next((memory.batch.key for memory in memories if memory.batch), "")


def _why(result: Result, common: Collection[str]) -> str:
    """Name the rules behind a row's verdict that are not everywhere, or say why nothing could be judged."""
    own = [finding for finding in result.findings if finding.rule not in common]
    failing = [finding for finding in own if finding.level is Level.FAIL]
    rules = list(dict.fromkeys(finding.rule for finding in failing or own))
    if rules:
        return printable(", ".join(rules))
    if not result.undecided:
        return ""
    return printable(why_unjudged(result) or next((skip.reason for skip in result.skips), ""))
