# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A finding on the first screen: what is wrong, where, and the edit, in at most 65 words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from trainlint.model.document import Source, Span
from trainlint.model.finding import CHANGES_TRAINING, REFUSED, Finding, Fix, Level
from trainlint.model.recommendation import Recommendation, changed
from trainlint.model.result import Result
from trainlint.model.units import disk, gib_between, plural, sessions_between
from trainlint.report.brief.calendar_time import hours_each, run_hours
from trainlint.report.brief.first_answer import limit_words
from trainlint.report.brief.reading_names import IF_IT_IS, settled_by
from trainlint.report.brief.remark import Remark
from trainlint.report.brief.severity import COLOURS, Severity
from trainlint.report.brief.short_message import clauses, said
from trainlint.report.brief.source_excerpt import excerpt
from trainlint.report.job_block import runs_out
from trainlint.report.shown_place import shown
from trainlint.report.style import Style, printable

MOST_WORDS = 64
"""Words of a finding with its code and fix, when a note may still be added: zizmor's have 65."""
MOST_PLACES = 5
"""Further lines that are named."""
BY_HAND = "possible fix"
"""What an edit is called that only some readings need, or of which it is not known what it makes."""
MOST_FURTHER = 3
"""Edits of other places that are said."""
UNTRIED_WORDS = "; {} shows those of the other commands"
SIZE_RULES = ("vram-budget", "vram-tight")
"""Rules of which the limit of the batch is said beneath the value."""
NONE_FITS = "not even one sample"
LIMIT_PHRASE = "the limit is"
"""What a note holds that gives it."""


class Complaint(Struct, frozen=True):
    """A finding and what surrounds it; `times`: commands that have it, `lines` where the others are.

    `count`: how many findings it stands for, of which a command may have several.

    `alike`: the other commands' findings say the same; where all begin alike (`unrecognized arguments: `),
    `named` is what each of them names. `leads`: its fix is the recommended one, of which only
    the first finding that it is for speaks. `untried`: for others no edit was tried. `further`: the edits of
    the others, which --fix writes as well. `repeats`: an edit of the same place is named by another finding.
    """

    remark: Remark
    result: Result
    times: int = 1
    count: int = 1
    lines: tuple[int, ...] = ()
    leads: bool = False
    alike: bool = True
    named: tuple[str, ...] = ()
    untried: bool = False
    further: tuple[str, ...] = ()
    repeats: bool = False

    @property
    def head(self) -> str:
        """What is wrong, without colour."""
        finding = self.remark.finding
        only = f" ({self.remark.only})" if self.remark.only else ""
        several = f"{self.count} findings in " if self.count != self.times else ""
        commands = plural(self.times, "command") if self.count > 1 else ""
        here = "" if self.alike or self.named else ", here"
        many = f"{several}{commands}{here}: " if commands else ""
        return f"{many}{printable(_all_named(self.named) or said(finding))}{printable(only)}"


def named_in(messages: Sequence[str]) -> tuple[str, ...]:
    """Return what messages begin with, if that is the same, and what each of them names after it."""
    begun, colon, _ = messages[0].partition(": ")
    lead = f"{begun}{colon}"
    if not colon or not all(message.startswith(lead) for message in messages):
        return ()
    return (lead, *dict.fromkeys(message.removeprefix(lead) for message in messages))


def _all_named(named: Sequence[str]) -> str:
    lead, *names = named or ("",)
    more = f" and {len(names) - MOST_PLACES} more" if len(names) > MOST_PLACES else ""
    return f"{lead}{'; '.join(names[:MOST_PLACES])}{more}"


def render(complaint: Complaint, style: Style) -> Iterator[str]:
    """Yield a finding with its line of code, a note or two as far as words allow, and its fix."""
    finding, source = complaint.remark.finding, complaint.result.source
    lines, under = [_head(complaint, style)], _under(complaint)
    seen = shown(source, finding.spans[:1])
    others = f", also {_places(complaint.lines)}" if complaint.lines else ""
    lines.append(f"{style.paint('blue', '  -->')} {printable(seen.place)}{others}")
    if source.text:
        _, *code = excerpt(seen.source, seen.spans, style, under)
        lines += code
    fix = _fix(complaint, style)
    budget = MOST_WORDS - sum(len(line.split()) for line in (*lines, *fix))
    said = [note for note in finding.notes if not (under and (LIMIT_PHRASE in note or NONE_FITS in note))]
    for note in sorted(said, key=lambda note: not note.startswith(REFUSED))[:1]:
        words = clauses(note, 24)
        if budget - len(words.split()) - 1 < 0:
            break
        lines.append(f"   {style.paint('blue', '=')} {printable(words)}")
    yield from (*lines, *fix)


def _places(lines: Sequence[int]) -> str:
    if len(lines) > MOST_PLACES:
        return f"{', '.join(map(str, lines[: MOST_PLACES - 1]))} and {len(lines) - MOST_PLACES + 1} more"
    return ", ".join(map(str, lines))


def one_line(complaint: Complaint, style: Style) -> str:
    """Return a finding on one line, with its place at the end."""
    seen = shown(complaint.result.source, complaint.remark.finding.spans[:1])
    return f"{_head(complaint, style)} {style.paint('dim', f'({printable(seen.place)})')}"


def _head(complaint: Complaint, style: Style) -> str:
    severity = complaint.remark.severity
    name = f"{style.paint(COLOURS[severity], severity.value)}{style.rule(complaint.remark.finding.rule)}"
    return f"{name}: {complaint.head}"


def _under(complaint: Complaint) -> str:
    """Say beneath the value what it may be at most, and what is safe: what a fix makes of it, if one does."""
    finding, result = complaint.remark.finding, complaint.result
    memory = result.facts.memory if result.facts is not None else None
    if memory is None or finding.rule not in SIZE_RULES:
        return ""
    if finding.rule == "vram-budget" and not (memory.largest_batch or memory.largest_open):
        return f"{NONE_FITS} per GPU fits"
    edits = finding.fixes[0].edits if finding.fixes else ()
    here = [edit.text for edit in edits if edit.span == finding.spans[0] and edit.text.isdigit()]
    return limit_words(memory, int(here[0]) if here else 0)


def _fix(complaint: Complaint, style: Style) -> list[str]:
    """Return the line of the fix: of the recommended one with what follows from it, where that is said."""
    finding, advice = complaint.remark.finding, complaint.result.recommended
    if not finding.fixes or complaint.repeats:
        return []
    fix = finding.fixes[0]
    if advice is None or not is_recommended(complaint):
        sure = fix in finding.writable and not complaint.remark.only
        name = _named("" if fix.safe else fix.effect) if sure else _by_hand(fix, finding)
        return [f"   {style.paint('blue', '=')} {name}: {_edit_of(fix, complaint)}"]
    if not complaint.leads:
        return []
    line = complaint.result.source.position(finding.spans[0].start)[0]
    if complaint.times > 1:
        said = advised(advice, complaint.result, finding.rule, edit_line=advice.edits[0][1])
        option = "--diff --unsafe-fixes" if advice.changes_training else "--diff"
        said += UNTRIED_WORDS.format(option) if complaint.untried else _further(complaint, option)
    else:
        said = advised(advice, complaint.result, finding.rule, line)
    return [f"   {style.paint('blue', '=')} {said}"]


def _further(complaint: Complaint, option: str) -> str:
    """Say the edits of a finding's other places, which are written with the one that was said."""
    shown = complaint.further[:MOST_FURTHER]
    more = len(complaint.further) - len(shown)
    return "".join(f"; {edit}" for edit in shown) + (f"; {option} shows {more} more" if more else "")


def edit_at(complaint: Complaint) -> str:
    """Say a finding's edit with its line and what it does to the run; "" where none is made."""
    finding = complaint.remark.finding
    in_its_row = is_recommended(complaint) and in_row(complaint.result)
    if not finding.writable or complaint.remark.only or in_its_row:
        return ""
    fix = finding.writable[0]
    line = changed(complaint.result.source.text, fix.edits[0])[0]
    effect = f" ({fix.effect})" if fix.effect and not fix.safe and fix.effect != CHANGES_TRAINING else ""
    return printable(f"line {line}{effect}: {_head_of(fix.summary)}")


def in_row(result: Result) -> bool:
    """Return whether the line of a job among others says the edit that it is advised to make."""
    after = result.recommended.after if result.recommended is not None else None
    return after is not None and after.memory is not None and runs_out(result)


def is_recommended(complaint: Complaint) -> bool:
    """Return whether a finding's first fix is the edit that its job is advised to make."""
    finding, result = complaint.remark.finding, complaint.result
    if result.recommended is None or not finding.fixes:
        return False
    edits = tuple((result.path, *changed(result.source.text, edit)) for edit in finding.fixes[0].edits)
    return edits == result.recommended.edits


def advised(advice: Recommendation, result: Result, rule: str = "", line: int = 0, edit_line: int = 0) -> str:
    """Say what is recommended for a rule's finding and what follows from it.

    `line` was quoted above it; `edit_line` is where the edit is, of which the job that is shown is one
    of several.
    """
    mine = {
        finding.rule
        for finding in result.findings
        for fix in finding.fixes[:1]
        if fix.summary == advice.summary
    }
    also = [name for name in dict.fromkeys((*sorted(mine), *advice.also_fixes)) if name != rule]
    effect = ", ".join(filter(None, (advice.effect, _fewer(advice, result))))
    name = _named(effect if advice.changes_training else "", edit_line)
    edit = _head_of(advice.summary)
    if len(advice.edits) == 1 and advice.edits[0][1] == line and all(advice.edits[0][2:]):
        edit = printable(" -> ".join(advice.edits[0][2:]))
    edit += _not_nearer(advice, result)
    others = f"; also fixes {', '.join(also)}" if also and rule else ""
    left = [name for name in _errors(result) if name not in (rule, *also)] if rule and advice.after else []
    remaining = f"; {' and '.join(left)} {'remains' if len(left) == 1 else 'remain'}" if left else ""
    uncovered = " and ".join(advice.uncovers)
    then = f"; then {uncovered} {'fail' if len(advice.uncovers) > 1 else 'fails'}" if uncovered else ""
    return f"{name}: {edit}{_after(advice, result)}{others}{remaining}{then}"


def _errors(result: Result) -> list[str]:
    """Return the rules of a result's errors."""
    return list(dict.fromkeys(finding.rule for finding in result.findings if finding.level is Level.FAIL))


def _named(effect: str, line: int = 0) -> str:
    place = f" at line {line}" if line else ""
    return f"fix{place} ({printable(effect)})" if effect else f"fix{place}"


def _by_hand(fix: Fix, finding: Finding) -> str:
    """Say why an edit is not made, and what makes --fix write it."""
    if fix.unknown:
        return f"{BY_HAND}, not made by --fix as its memory is unknown"
    return f"{BY_HAND}, made once {settled_by(finding.holds_in or ())} says which is yours"


def _fewer(advice: Recommendation, result: Result) -> str:
    """Say how much less is learned from after the edit, where that is known."""
    before, after = result.samples_seen, advice.after.samples if advice.after is not None else None
    if not before or after is None or after >= before:
        return ""
    return f"{max(1, round(100 * (before - after) / before))}% fewer samples"


def _not_nearer(advice: Recommendation, result: Result) -> str:
    """Say why the edit is no smaller one; of a batch that memory alone decides the limit says it."""
    memory = result.facts.memory if result.facts is not None else None
    safe = memory.safe.value if memory is not None and memory.safe is not None else None
    if not advice.nearer or advice.edits[0][3] == str(safe):
        return ""
    return f" ({printable(advice.nearer)})"


def _edit_of(fix: Fix, complaint: Complaint) -> str:
    """Return what a fix edits, without why: old and new where the line was quoted above."""
    source, finding = complaint.result.source, complaint.remark.finding
    if len(fix.edits) == 1:
        line, old, new = changed(source.text, fix.edits[0])
        if old and new and line == source.position(finding.spans[0].start)[0]:
            return printable(f"{old} -> {new}")
    return _head_of(fix.summary)


def _head_of(summary: str) -> str:
    return printable(summary.partition(" (")[0])


def edit_of_row(result: Result, *, short: bool = False) -> list[str]:
    """Return the edit that a job is advised to make, and what it needs then, for a line among others.

    The last of it is the size on disk, where that is known. [] where nothing is known of the edited job, or
    it fits as it is.
    """
    advice = result.recommended
    if advice is None or not in_row(result):
        return []
    first, *more = after_parts(advice, result, with_disk=True, short=short)
    return [f"{_head_of(advice.summary)}, then {first}", *more]


def after_parts(
    advice: Recommendation, result: Result, *, with_disk: bool = False, short: bool = False
) -> list[str]:
    """Return what a job needs after the edit, of disk where that changes, or `with_disk` in any case."""
    after, before = advice.after, result.facts.disk if result.facts is not None else None
    if after is None:
        return []
    parts = []
    if after.memory is not None:
        parts.append(f"{gib_between(*after.memory)} GiB")
    if after.hours is not None:
        parts.append(run_hours(after.hours))
    elif after.thousand_hours is not None:
        parts.append(hours_each(after.thousand_hours, _samples(result), short=short))
    if after.hours is not None and after.sessions is not None and after.sessions[2] != 1:
        parts.append(sessions_between(after.sessions))
    if after.disk is not None and (with_disk or before is None or before.total != after.disk):
        parts.append(disk(after.disk))
    return parts


def _samples(result: Result) -> str:
    """Return what a job learns from: the edit changes nothing about that."""
    time = result.facts.time if result.facts is not None else None
    return "images" if time is None else time.samples


def _after(advice: Recommendation, result: Result) -> str:
    parts = after_parts(advice, result)
    return f", then {', '.join(parts)}" if parts else ""


def led(complaints: Sequence[Complaint]) -> list[Complaint]:
    """Return findings, the first that the recommended edit fixes marked as the one that speaks of it.

    What it fixes as well comes last of its severity: the others are left to do.
    """
    first = next((index for index, complaint in enumerate(complaints) if is_recommended(complaint)), None)
    chosen = () if first is None else (complaints[first],)
    marked = [
        replace(complaint, leads=index == first, repeats=_repeats(complaint, complaints[:index], chosen))
        for index, complaint in enumerate(complaints)
    ]
    order = list(Severity)
    return sorted(
        marked, key=lambda complaint: (order.index(complaint.remark.severity), _goes_too(complaint))
    )


def _repeats(complaint: Complaint, earlier: Sequence[Complaint], recommended: Sequence[Complaint]) -> bool:
    """Return whether another finding says the edit of the same place: one value cannot be two."""
    own = set() if is_recommended(complaint) else _edited(complaint)
    return any(
        own & _edited(other)
        for other in (*earlier, *recommended)
        if other.result.source is complaint.result.source
    )


def _edited(complaint: Complaint) -> set[Span]:
    fixes = complaint.remark.finding.fixes
    return {edit.span for edit in fixes[0].edits if edit.span.start < edit.span.end} if fixes else set()


def _goes_too(complaint: Complaint) -> bool:
    """Return whether the recommended edit, which another finding speaks of, fixes this one as well."""
    advice = complaint.result.recommended
    return advice is not None and not complaint.leads and complaint.remark.finding.rule in advice.also_fixes


def listed(complaints: list[Complaint], style: Style) -> str:
    """Name findings by rule and line, by severity: "3 warnings: queue-not-divisible 32, ...; 1 hint: ..."."""
    parts = []
    for severity in Severity:
        mine = [complaint for complaint in complaints if complaint.remark.severity is severity]
        if mine:
            counted = style.paint(
                COLOURS[severity], plural(sum(complaint.count for complaint in mine), severity.value)
            )
            parts.append(f"{counted}: {'; '.join(_named_at(mine))}")
    return "; ".join(parts)


def _named_at(complaints: Sequence[Complaint]) -> Iterator[str]:
    """Yield rules with their lines, and how many findings each stands for; of the same readings together."""
    counts: dict[str, Counter[str]] = {}
    for complaint in sorted(complaints, key=lambda complaint: bool(complaint.remark.only)):
        finding = complaint.remark.finding
        name = f"{finding.rule} {_line(complaint.result.source, finding)}"
        counts.setdefault(complaint.remark.only, Counter())[name] += complaint.count
    said = ""
    for only, times in counts.items():
        names = ", ".join(
            f"{name}{f' ({count} times)' if count > 1 else ''}" for name, count in times.items()
        )
        yield printable(f"{only.removeprefix(said)}: {names}" if only else names)
        said = IF_IT_IS if only.startswith(IF_IT_IS) else said


def _line(source: Source, finding: Finding) -> str:
    seen = shown(source, finding.spans[:1])
    line = seen.source.position(seen.spans[0].start)[0]
    return str(line) if seen.cell is None else f"cell {seen.cell}, line {line}"
