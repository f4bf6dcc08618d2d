# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a rule found, where, and the edits that would fix it."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from trainlint.model.after_edit import After
    from trainlint.model.document import Span


class Edit(Struct, frozen=True):
    """Replace `span` of the file's text by `text`."""

    span: Span
    text: str


class Level(StrEnum):
    """How bad: `fail` crashes or wastes the run, `warn` probably does."""

    FAIL = "fail"
    WARN = "warn"


class Outcome(StrEnum):
    """A result's verdict; fail > warn > skipped > pass."""

    PASS = "pass"  # noqa: S105  # a verdict, not a password
    WARN = "warn"
    FAIL = "fail"
    SKIPPED = "skipped"
    UNREADABLE = "unreadable"


CHANGES_TRAINING: Final = "changes training"
OF_FLAGS: Final = "unknown-key"
"""The rule of a command's flags, which its option file says nothing of."""


class Fix(Struct, frozen=True):
    """Edits that were applied, linted again and passed: no others are offered.

    `safe`: they leave alone what is learned. `unknown` says why it is not known what they make: such a fix is
    shown, is not called checked, and --fix does not write it.
    `rules` names the rules of the findings that they were made for: two, where it takes them together.
    `nearer` says why the value next to it, which changes less, is not the one: "160 would be tight".
    `effect` is what one that is not safe does to the run; "" where the run could not start before.
    `after`: what the job needs then, of an edit that only some of its readings need.
    """

    summary: str
    edits: tuple[Edit, ...]
    safe: bool = True
    rules: tuple[str, ...] = ()
    unknown: str = ""
    nearer: str = ""
    effect: str = CHANGES_TRAINING
    after: After | None = None


class Finding(Struct, frozen=True):
    """One rule's complaint: `spans` holds every value it is about, the clearest first (never empty).

    `holds_in` names the readings of the job that have it, where not all of them do; `pointer` is the JSON
    pointer of the first span's value in its document; `short` is the message in a few words ("": it is short
    itself); of a `hint` no crash, memory or session hangs.
    """

    rule: str
    level: Level
    message: str
    spans: tuple[Span, ...]
    fixes: tuple[Fix, ...] = ()
    notes: tuple[str, ...] = ()
    holds_in: tuple[str, ...] | None = None
    pointer: str = ""
    short: str = ""
    hint: bool = False

    @property
    def writable(self) -> tuple[Fix, ...]:
        """Fixes that --fix may write: every reading has the finding, and it is known what they make."""
        return () if self.holds_in is not None else tuple(fix for fix in self.fixes if not fix.unknown)


Key = tuple[str, int]
"""A finding in any of its readings: its rule and where it points first."""


def key_of(finding: Finding) -> Key:
    """Return what makes a finding the same in another reading: its figures may differ."""
    return finding.rule, finding.spans[0].start


PART_OF_CONFIG: Final = "part of a config"
"""How the message begins of lines on a page that are no config by themselves."""
REFUSED = "an edit is refused, as then"
"""How the note of an edit begins that would break something else."""
NOT_ENOUGH: Final = "all edits together are not enough"
UNKNOWN_SETS: Final = "what several edits together would leave is not known"
NO_EDIT: Final = "no edit that was tried makes it fit"
"""How the notes begin of a finding of memory without a fix."""
EMULATED: Final = frozenset({"bf16-unsupported"})
"""The rule of a precision that a card imitates, slowly and with copies that no tape has: what its step needs
is not known, and its fix goes first, as other sizes follow from another precision."""

OUT_OF_MEMORY: Final = frozenset({"vram-budget", "vram-validation"})
"""The rules of a run that does not fit, for which a report and `fit` advise one edit."""
UNTRIED: Final = (
    "not every edit was tried: their number is limited for one file, so split it to have more tried"
)
"""The note of a finding without a fix once the tries of its file are used up."""
NO_ROOM: Final = "as much was traced for the edits of this file as may be"
"""The reason of a Skip: why an edited text has no memory once no more is traced for edits."""
NO_TARGET: Final = "no target given"
"""The reason of a Skip: what a target or an estimate says is missing where there is none."""
DATA_LOOK: Final = "data"
"""The name under which a result says that its data was not looked at, for every rule that asks for it."""
UNCOUNTED: Final = "samples not counted: "
"""How the reason begins of a look that counted no samples."""


class Skip(Struct, frozen=True):
    """A rule that could not be judged, and why."""

    rule: str
    reason: str
