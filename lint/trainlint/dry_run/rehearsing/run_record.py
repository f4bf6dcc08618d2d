# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a run wrote down.

Its file is written inside of the program's process, so nothing in it is believed unchecked.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from trainlint.errors import CannotTraceError
from trainlint.model.facts import Uncounted
from trainlint.model.spec import DIRECTIONS

FILE: Final = "outcome.json"
STATUSES: Final = ("recorded", "crashed", "ended", "refused")
MOST_RECORD_BYTES: Final = 64 << 20
"""Bytes of the file: a program that imports ten thousand modules lists them in one."""
MOST_MESSAGE_CHARACTERS: Final = 4000
"""Characters of a message that are kept."""
WRONG_WORDS: Final = "wrong words"
"""In the place of an exception's name, where a program's parser refuses what it is given."""
MISSING_FILE_ERRORS: Final = ("FileNotFoundError", "NotADirectoryError")
"""Errors of a file that is not there."""
NO_FILE: Final = "No such file or directory"
COMPILED_NOTE: Final = "torch.compile is left out"
"""Beginning of the note of a program that compiles its step."""
STEP: Final = "step"
"""How far a run goes that is not to go on to a validation or a save."""
MOST_BYTES: Final = 2**60
MOST_NAMED_NETWORKS: Final = 4
"""Networks that are named."""
MOST_KEPT_NOTES: Final = 200
"""Guesses and notes that are kept."""


class Frame(Struct, frozen=True):
    """A line of a traceback."""

    file: str
    line: int
    function: str


class LackingPackage(Struct, frozen=True):
    """A module that the environment lacks; "": of a package that only the message names.

    `has` is the version of its package where that is installed, `below` the project's folder that holds it;
    `refuses` says that it is there, and refuses what the program gives it.
    """

    name: str
    has: str | None = None
    below: str | None = None
    refuses: bool = False


class Died(Struct, frozen=True):
    """The exception that ended the program; `imitation`: what plays the GPU caused it, `reason` says how."""

    type: str
    message: str
    frames: tuple[Frame, ...]
    imitation: bool
    reason: str
    causes: tuple[str, ...] = ()
    """The kinds of the exceptions that led to it."""
    lacks: LackingPackage | None = None
    """What it could not import of the environment: of the program's own code it is the program's fault."""
    missing: str = ""
    """The folder or file of data that is not there and of which the error comes; "" where none is known."""
    opened: bool = False
    """Whether that was to be opened: it is a file, whatever its name."""

    @property
    def misses_file(self) -> bool:
        """Whether a file is not there: libraries say so in errors of their own."""
        return bool(self.missing) or self.type in MISSING_FILE_ERRORS or NO_FILE in self.message


class Guessed(Struct, frozen=True):
    """A value of the GPU that was read and is not known; `shapes`: sizes of tensors followed from it."""

    what: str
    where: str
    count: int
    shapes: bool


class Standing(Struct, frozen=True):
    """Bytes that stand on a GPU whatever a step takes there: weights now, the others once it trains."""

    networks: tuple[str, ...]
    weights: int
    gradients: int
    states: int

    @property
    def trained(self) -> int:
        """The bytes once every parameter of the optimizers has its gradient and its states."""
        return self.weights + self.gradients + self.states


class Outcome(Struct, frozen=True):
    """One run of the program. `batch` counts a step's samples in this process; None: not known."""

    status: str
    folder: Path
    tape: Path | None = None
    batch: int | None = None
    rounds: int = 0
    optimizers: int = 0
    """Those that it made, whether they stepped or not; 0: not known, or a program that does without."""
    died: Died | None = None
    guesses: tuple[Guessed, ...] = ()
    notes: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    packages: Mapping[str, str] | None = None
    imported: frozenset[str] = frozenset()
    """Packages and modules, the program's own too, whose import is over."""
    unseen: int = 0
    self_check: str = ""
    shapes: tuple[str, ...] = ()
    reason: str = ""
    terms: tuple[Uncounted, ...] = ()
    """What the tape leaves out, and in which direction."""
    standing: Standing | None = None
    asks_memory: bool = False
    """Whether the program asked how much memory the GPU has."""
    reached: str = STEP
    """How far it came: to its steps, or to what lies beyond them and was asked for."""
    image: tuple[int, int] | None = None
    """Height and width of the largest image that a validation gave the network."""
    short: tuple[int, int] | None = None
    """Samples of a data set that are fewer than its batch, and the batch."""
    tried: tuple[int, ...] = ()
    """The peaks of the recorded round and of two more with another guess; () where these were not tried."""


def read_outcome(folder: Path) -> Outcome:
    """Read what a run left in its folder; CannotTraceError where it is not what a run leaves."""
    path = folder / FILE
    if path.stat().st_size > MOST_RECORD_BYTES:
        raise CannotTraceError("the program's record is larger than any run's")
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        return _outcome(record, folder)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OSError) as error:
        raise CannotTraceError(
            f"the program's record cannot be read ({type(error).__name__}: {error})"
        ) from error


def _outcome(record: Mapping[str, Any], folder: Path) -> Outcome:
    status = record["status"]
    if status not in STATUSES:
        raise ValueError(f"unknown status {str(status)[:40]}")
    tape, crash, batch = record.get("tape"), record.get("crash"), record.get("batch")
    return Outcome(
        status=status,
        folder=folder,
        tape=None if tape is None else folder / Path(str(tape)).name,
        batch=batch if isinstance(batch, int) and not isinstance(batch, bool) and batch > 0 else None,
        rounds=int(record.get("rounds") or 0),
        optimizers=_size(record.get("optimizers")),
        died=None if not crash else _died(crash),
        guesses=tuple(map(_guessed, (record.get("guesses") or ())[:MOST_KEPT_NOTES])),
        notes=tuple(
            _text(note)
            for note in _list(record.get("notes"))[:MOST_KEPT_NOTES]
            if not isinstance(note, Mapping)
        ),
        terms=tuple(_terms(_list(record.get("notes")))),
        sources=tuple(str(source) for source in record.get("sources") or ()),
        packages={str(name): str(version) for name, version in (record.get("packages") or {}).items()},
        imported=frozenset(map(_text, _list(record.get("imported")))),
        unseen=_count(record.get("unseen")),
        self_check=_failed_check(record.get("self_check")),
        shapes=tuple(_text(shape) for shape in _list(record.get("shapes"))[:MOST_KEPT_NOTES]),
        reason=_words(record.get("reason")),
        standing=_standing(record.get("standing")),
        asks_memory=record.get("asks_memory") is True,
        reached=_text(record.get("reached") or STEP),
        image=read_image(record.get("image")),
        short=_pair(record.get("short")),
        tried=tuple(map(_size, _list(record.get("tried"))[:MOST_KEPT_NOTES])),
    )


def _standing(entry: Any) -> Standing | None:
    if not isinstance(entry, Mapping):
        return None
    sizes = [_size(entry.get(name)) for name in ("weights", "gradients", "states")]
    return Standing(tuple(map(_text, _list(entry.get("networks"))[:MOST_NAMED_NETWORKS])), *sizes)


def read_image(sides: Any) -> tuple[int, int] | None:
    """Read the height and the width of an image; None where that is something else."""
    return _pair(sides)


def _pair(sides: Any) -> tuple[int, int] | None:
    known = [_size(side) for side in _list(sides)]
    return (known[0], known[1]) if len(known) == 2 and all(known) else None  # noqa: PLR2004 - a pair


def _size(value: Any) -> int:
    return value if type(value) is int and 0 <= value < MOST_BYTES else 0


def _died(crash: Mapping[str, Any]) -> Died:
    frames = tuple(
        Frame(str(file), int(line or 0), str(function)) for file, line, function in crash.get("frames") or ()
    )
    imitation = crash.get("imitation") is True
    causes = tuple(map(_text, _list(crash.get("causes"))[:MOST_KEPT_NOTES]))
    return Died(
        str(crash["type"]), _text(crash["message"]), frames, imitation, _words(crash.get("reason")), causes,
        _lacking_package(crash.get("lacks")), _text(crash.get("missing") or ""),
        crash.get("opened") is True,
    )  # fmt: skip


def _lacking_package(entry: Any) -> LackingPackage | None:
    if not isinstance(entry, Mapping):
        return None
    name, has, below = (entry.get(key) for key in ("name", "has", "below"))
    return LackingPackage(
        _text(name or ""), None if has is None else _text(has), None if below is None else _text(below),
        entry.get("refuses") is True,
    )  # fmt: skip


def _guessed(entry: Mapping[str, Any]) -> Guessed:
    count = entry.get("count", 1)
    return Guessed(
        _text(entry["what"]), _text(entry.get("where", "")), int(count), entry.get("shapes_depend") is True
    )


def _terms(notes: Iterable[Any]) -> Iterator[Uncounted]:
    """Yield the notes that say in which direction something is missing."""
    for note in notes:
        if isinstance(note, Mapping) and note.get("direction") in DIRECTIONS:
            share = note.get("share")
            yield Uncounted(
                _text(note["what"]), note["direction"], share=share if isinstance(share, float) else 0.0
            )
        elif isinstance(note, str) and note.startswith(COMPILED_NOTE):
            yield Uncounted("what torch.compile makes of the step", "unknown")


def _count(value: Any) -> int:
    if isinstance(value, list | tuple | Mapping):
        return len(value)
    return int(value or 0)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if not value else [value]


def _words(value: Any) -> str:
    """Return a remark; "" for one that says that nothing is wrong."""
    return "" if value in (None, True, "ok", "") else _text(value)


def _failed_check(value: Any) -> str:
    """Return what a self check found wrong; "" where it found nothing."""
    if isinstance(value, Mapping):
        return "; ".join(_text(wrong) for wrong in _list(value.get("wrong")))
    return _words(value)


def _text(value: Any) -> str:
    return str(value)[:MOST_MESSAGE_CHARACTERS]
