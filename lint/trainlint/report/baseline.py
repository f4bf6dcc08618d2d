# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A baseline: the findings that a project had when it began to lint, so that new ones are seen.

An entry names the rule, the file, the key and the values that the finding is about, not their lines: it holds
where lines move, and ends where one of the values changes.
"""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from trainlint.errors import UnreadableError, UsageError
from trainlint.files.read_limits import FILE_BYTES
from trainlint.files.text_source import regular_bytes
from trainlint.judge.rule import Rule
from trainlint.model.finding import Finding, Outcome
from trainlint.model.result import Result
from trainlint.model.units import plural

VERSION = 1
"""Of the file; another one is refused."""

SHOWN_ENTRIES = 5
"""Entries named in a note."""


class BaselineEntry(Struct, frozen=True):
    """A finding in the baseline, with the target where its rule judges a machine.

    `path` is taken from the baseline's folder on.
    """

    path: str
    rule: str
    pointer: str
    target: str | None
    values: str

    @property
    def sort_key(self) -> tuple[str, ...]:
        """Order in the file."""
        return self.path, self.rule, self.pointer, self.target or "", self.values


class Baseline(Struct):
    """The entries of one file, and what of them was met in a run."""

    path: Path
    rules: Mapping[str, Rule]
    entries: Counter[BaselineEntry] = field(default_factory=Counter)
    met: Counter[BaselineEntry] = field(default_factory=Counter)
    linted: set[str] = field(default_factory=set)
    targets: set[str | None] = field(default_factory=set)
    hidden: int = 0
    off: frozenset[str] = frozenset()
    """Rules that this run does not ask: what they found may still be there."""
    unjudged: set[tuple[str, str]] = field(default_factory=set)
    """Files and the rules that could not be judged there: the same is true of these."""

    def new(self, results: Sequence[Result]) -> list[Result]:
        """Return one file's results without what the baseline has; all readings of a job are one."""
        places = _places(self._entries(results))
        away: set[tuple[BaselineEntry, tuple[Any, ...]]] = set()
        for entry, entry_places in places.items():
            known = sorted(entry_places)[: self.entries[entry]]
            self.met[entry] += len(known)
            self.hidden += len(known)
            away |= {(entry, place) for place in known}
        self.linted |= {
            self._file(result.path) for result in results if result.outcome is not Outcome.UNREADABLE
        }
        self.unjudged |= {(self._file(result.path), skip.rule) for result in results for skip in result.skips}
        self.targets |= {result.target.name if result.target else None for result in results}
        return [self._without(result, away) for result in results]

    def learn(self, results: Sequence[Result]) -> None:
        """Take what is found in one file into the baseline."""
        for entry, places in _places(self._entries(results)).items():
            self.entries[entry] += len(places)

    def _without(self, result: Result, away: set[tuple[BaselineEntry, tuple[Any, ...]]]) -> Result:
        gone = tuple(
            finding
            for finding in result.findings
            if (self.entry(result, finding), _place(result, finding)) in away
        )
        kept = tuple(finding for finding in result.findings if finding not in gone)
        if not gone:
            return result
        advice = result.recommended
        said = advice is not None and any(
            fix.summary == advice.summary for finding in kept for fix in finding.fixes
        )
        return replace(result.with_findings(kept), known_before=gone, recommended=advice if said else None)

    def notes(self) -> Iterator[str]:
        """Yield what was not shown, and which entries have nothing to hide any more."""
        name = str(self.path)
        if self.hidden:
            yield f"{plural(self.hidden, 'finding')} of the baseline {name} not shown"
        expired = sorted(self._judged() - self.met, key=lambda entry: entry.sort_key)
        if expired:
            listed = ", ".join(
                f"{entry.rule} in {self._shown(entry.path)}{entry.pointer and '#'}{entry.pointer}"
                for entry in expired[:SHOWN_ENTRIES]
            )
            more = f" and {len(expired) - SHOWN_ENTRIES} more" if len(expired) > SHOWN_ENTRIES else ""
            yield (
                f"the baseline {name} has entries that are no longer found: {listed}{more}; "
                "write it again with --write-baseline"
            )

    def _judged(self) -> Counter[BaselineEntry]:
        """Return the entries of files, targets and rules that this run judged."""
        return Counter(
            {
                entry: count
                for entry, count in self.entries.items()
                if entry.path in self.linted
                and entry.rule not in self.off
                and (entry.path, entry.rule) not in self.unjudged
                and (entry.target is None or entry.target in self.targets)
            }
        )

    def entry(self, result: Result, finding: Finding) -> BaselineEntry:
        """Return what represents a finding."""
        from trainlint.report.fingerprint import digest, values_of  # noqa: PLC0415 - where one is kept

        rule = self.rules.get(finding.rule)
        machine = rule is not None and rule.needs_target and result.target is not None
        return BaselineEntry(
            self._file(result.path),
            finding.rule,
            finding.pointer,
            result.target.name if machine and result.target else None,
            digest(values_of(result.source, finding)),
        )

    def _entries(self, results: Iterable[Result]) -> Iterator[tuple[BaselineEntry, tuple[Any, ...]]]:
        for result in results:
            for finding in result.findings:
                if finding.rule in self.rules:  # a file that cannot be read is never an old story
                    yield self.entry(result, finding), _place(result, finding)

    def _file(self, path: str) -> str:
        folder = os.path.abspath(self.path.parent)  # noqa: PTH100  # links keep their names
        return os.path.relpath(os.path.abspath(path), folder).replace(os.sep, "/")  # noqa: PTH100  # a link's own name is meant

    def _shown(self, path: str) -> str:
        """Return an entry's path as the user would type it."""
        return os.path.relpath(self.path.parent / path).replace(os.sep, "/")

    def text(self, results: Iterable[Result]) -> str:
        """Return the file that hides all that was found."""
        from trainlint.report.json_version_1 import encoded  # noqa: PLC0415 - where one is written

        places = _places(self._entries(results))
        listed = [
            {
                "path": entry.path, "rule": entry.rule, "pointer": entry.pointer, "target": entry.target,
                "values": entry.values, "count": len(places[entry]),
            }
            for entry in sorted(places, key=lambda entry: entry.sort_key)
        ]  # fmt: skip
        return encoded({"trainlint-baseline": VERSION, "findings": listed})


def _place(result: Result, finding: Finding) -> tuple[Any, ...]:
    """Return where a finding is: the same in every reading and on every target."""
    return result.document, finding.spans[0].start, finding.spans[0].end


def _places(
    entries: Iterable[tuple[BaselineEntry, tuple[Any, ...]]],
) -> dict[BaselineEntry, set[tuple[Any, ...]]]:
    places: dict[BaselineEntry, set[tuple[Any, ...]]] = defaultdict(set)
    for entry, place in entries:
        places[entry].add(place)
    return places


def load_baseline(path: Path, rules: Mapping[str, Rule], off: frozenset[str]) -> Baseline:
    """Read a baseline; `off` are the rules that are not asked. UsageError where it is none."""
    if not path.exists():
        raise UsageError(f'there is no baseline "{path}": --write-baseline {path} writes it')
    try:
        data = json.loads(regular_bytes(str(path), FILE_BYTES))
        entries = _entries(data)
    except (OSError, UnreadableError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f'cannot read the baseline "{path}": {why}') from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UsageError(
            f'"{path}" is not a baseline of this version: write it again with --write-baseline {path}'
        ) from None
    return Baseline(path, rules, entries, off=off)


def _entries(data: Any) -> Counter[BaselineEntry]:
    if data["trainlint-baseline"] != VERSION:
        raise ValueError
    counts = {_entry(entry): entry["count"] for entry in data["findings"]}
    if not all(type(count) is int for count in counts.values()):
        raise TypeError
    return Counter(counts)


def _entry(data: Mapping[str, Any]) -> BaselineEntry:
    words = [data[name] for name in ("path", "rule", "pointer", "values")]
    if not all(isinstance(word, str) for word in (*words, data["target"] or "")):
        raise TypeError
    path, rule, pointer, values = words
    return BaselineEntry(path, rule, pointer, data["target"], values)
