# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The page on planted errors."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from string import Template

from bench.planted.row import Row

TEMPLATE = Path(__file__).with_suffix(".md")


def page(rows: Sequence[Row]) -> str:
    """Return the page's text."""
    found = sum(bool(row.found) for row in rows)
    stray = Counter(rule for row in rows for rule in row.elsewhere.split())
    clean = len(rows) - sum(bool(row.elsewhere) for row in rows)
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        slips=len(rows),
        kind_count=len({row.kind for row in rows}),
        repository_count=len({row.repository for row in rows}),
        found=found,
        share=f"{found / len(rows):.1%}",
        fails=sum("fail[" in row.found for row in rows),
        kinds=table(rows, "kind", lambda row: row.kind),
        repositories=table(rows, "repository", lambda row: f"{row.repository} {row.commit}"),
        missed=missed(rows),
        clean=clean,
        stray=sum(stray.values()),
    )


def table(rows: Iterable[Row], title: str, key: Callable[[Row], str]) -> str:
    """Return how many slips there are by a key, and how many of them are found."""
    groups: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    lines = [
        f"| {name} | {len(group)} | {sum(bool(row.found) for row in group)} "
        f"| {sum('fail[' in row.found for row in group)} |"
        for name, group in groups.items()
    ]
    return "\n".join([f"| {title} | planted | found | as a fail |", "|---|--:|--:|--:|", *lines])


def missed(rows: Iterable[Row]) -> str:
    """Return the kinds that are missed, each with the repositories."""
    where: defaultdict[str, list[str]] = defaultdict(list)
    for row in rows:
        if not row.found:
            where[row.kind].append(row.repository.partition("/")[2])
    return "\n".join(f"- {kind}: {', '.join(names)}" for kind, names in where.items()) or "None."
