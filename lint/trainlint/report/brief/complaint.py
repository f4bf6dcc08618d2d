# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A finding on the first screen: what is wrong, where, and the edit, in at most 65 words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from trainlint.model.document import Source, Span
from trainlint.model.finding import CHANGES_TRAINING, REFUSED, Finding, Fix
from trainlint.model.recommendation import changed
from trainlint.model.result import Result
from trainlint.model.units import plural
from trainlint.report.brief.advised_edit import advised, fix_named, head_of, in_row, then, then_memory
from trainlint.report.brief.batch_limits import advised_batch, limit_words
from trainlint.report.brief.reading_names import IF_IT_IS, settled_by
from trainlint.report.brief.remark import Remark
from trainlint.report.brief.severity import COLOURS, Severity
from trainlint.report.brief.short_message import clauses, said
from trainlint.report.brief.source_excerpt import excerpt
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
CONTINUED = " \t\\\r\n"
"""What a deleted argument on a line of its own begins with: the end of the line before it."""
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
        here = "" if self.alike or self.named else ", the first"
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
    """Return a finding on one line, with its place at the end, and the edits that --fix writes for errors."""
    seen = shown(complaint.result.source, complaint.remark.finding.spans[:1])
    edits = [edit for edit in (edit_at(complaint), *complaint.further) if edit]
    fix = f"; fix at {'; '.join(edits)}" if edits and complaint.remark.severity is Severity.ERROR else ""
    return f"{_head(complaint, style)} {style.paint('dim', f'({printable(seen.place)})')}{fix}"


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
    return limit_words(memory, advised_batch(finding))


def _fix(complaint: Complaint, style: Style) -> list[str]:
    """Return the line of the fix: of the recommended one with what follows from it, where that is said."""
    finding, advice = complaint.remark.finding, complaint.result.recommended
    if not finding.fixes or complaint.repeats:
        return []
    fix = finding.fixes[0]
    if advice is None or not is_recommended(complaint):
        sure = fix in finding.writable and not complaint.remark.only
        name = fix_named("" if fix.safe else fix.effect) if sure else _by_hand(fix, finding)
        of_memory = finding.rule in SIZE_RULES
        need = then(fix.after, complaint.result) if of_memory else then_memory(fix.after)
        edit = f"{_edit_of(fix, complaint)}{need}"
        return [f"   {style.paint('blue', '=')} {name}: {edit}"]
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
    if not finding.writable or complaint.remark.only or complaint.repeats or in_its_row:
        return ""
    fix = finding.writable[0]
    line, old, _ = changed(complaint.result.source.text, fix.edits[0])
    line += old[: len(old) - len(old.lstrip(CONTINUED))].count("\n")
    effect = f" ({fix.effect})" if fix.effect and not fix.safe and fix.effect != CHANGES_TRAINING else ""
    return printable(f"line {line}{effect}: {head_of(fix.summary)}")


def is_recommended(complaint: Complaint) -> bool:
    """Return whether a finding's first fix is the edit that its job is advised to make."""
    finding, result = complaint.remark.finding, complaint.result
    if result.recommended is None or not finding.fixes:
        return False
    edits = tuple((result.path, *changed(result.source.text, edit)) for edit in finding.fixes[0].edits)
    return edits == result.recommended.edits


def _by_hand(fix: Fix, finding: Finding) -> str:
    """Say why an edit is not made, and what makes --fix write it."""
    if fix.unknown:
        return f"{BY_HAND}, not made by --fix as its memory is unknown"
    return f"{BY_HAND}, once {settled_by(finding.holds_in or ())} says which is yours"


def _edit_of(fix: Fix, complaint: Complaint) -> str:
    """Return what a fix edits, without why: old and new where the line was quoted above."""
    source, finding = complaint.result.source, complaint.remark.finding
    if len(fix.edits) == 1:
        line, old, new = changed(source.text, fix.edits[0])
        if old and new and line == source.position(finding.spans[0].start)[0]:
            return printable(f"{old} -> {new}")
    return head_of(fix.summary)


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
    return sorted(marked, key=lambda complaint: (order.index(complaint.remark.severity), goes_too(complaint)))


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


def goes_too(complaint: Complaint) -> bool:
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
            parts.append(f"{counted}: {'; '.join(_named_at(mine))}{_cure(mine, severity)}")
    return "; ".join(parts)


def _cure(complaints: Sequence[Complaint], severity: Severity) -> str:
    """Say the edit of a finding that some readings have alone, where it is all that is named."""
    if len(complaints) > 1 or severity is Severity.HINT or not complaints[0].remark.only:
        return ""
    fixes = () if complaints[0].repeats else complaints[0].remark.finding.fixes[:1]
    return "".join(f" ({head_of(fix.summary)}{then_memory(fix.after)})" for fix in fixes)


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
