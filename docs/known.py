# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The page of what can be traced: training steps and networks, read from the literal tables without torch."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator

from sources import removed, rows

from trainlint.catalogue.zoo import library_networks
from trainlint.catalogue.zoo.packages import NETWORKS, RECIPES, own

LEFT_OUT = ("neosr.default",)
"""Steps that are listed in order to say why they are not traced."""

HEAD = """\
# What can be traced

<!-- written by `python docs/generate.py` from the files of lint/trainlint_zoo -->

A job gets memory and disk figures where its training step and all of its networks are listed. All else is
skipped with its name. Networks of your own come in with `--networks` or `--python` ([native.md](native.md)).
"""


SOURCES = """
## Sources and licenses

[NOTICE](../NOTICE) names the copyright holders, `LICENSES/` has the texts.

| file | networks | written after | license |
|---|---|---|---|
"""
REMOVED_SECTION = """

## Removed for their license

Arguments of these are still checked. The published configs of most are judged by stored profiles: a tape is a
measurement. Anything else is not judged, unless the library is installed or a file of yours builds it
(`--networks`). The commit still holds the code.

| networks | upstream | why | now from | last in |
|---|---|---|---|---|
"""


def table(kind: str, name: str) -> Iterator[str]:
    """Yield the keys of the literal dict `name` of every file of one kind."""
    for file in own().files(kind):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
                continue
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and target.id == name:
                yield from ast.literal_eval(node.value)


def by_dialect(names: Iterable[str], separator: str, otherwise: str) -> dict[str, list[str]]:
    """Group `dialect:name` by dialect, sorted without regard to case."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        dialect, found, rest = name.partition(separator)
        groups[dialect if found else otherwise].append(rest or name)
    return {key: sorted(groups[key], key=str.lower) for key in sorted(groups)}


def section(title: str, text: str, groups: dict[str, list[str]]) -> str:
    """Render one table: a dialect a row."""
    rows = [f"| {dialect} | {', '.join(names)} |" for dialect, names in groups.items()]
    return "\n".join([f"\n## {title}\n", f"{text}\n", "| dialect | names |", "|---|---|", *rows, ""])


def page() -> str:
    """Return docs/networks.md."""
    steps = by_dialect((name for name in table(RECIPES, "RECIPES") if name not in LEFT_OUT), ".", "one step")
    networks = by_dialect(table(NETWORKS, "BUILDERS"), ":", "basicsr and its forks")
    of_libraries = by_dialect(library_networks.names(), ":", "basicsr and its forks")
    return "".join(
        [
            HEAD,
            section("Training steps", "By the config's own name for them (`model_type`, `model`).", steps),
            section(
                "Networks of the project",
                "With `pip install '.[torch]'`. `@` marks one of several published definitions.",
                networks,
            ),
            section(
                "Networks from libraries",
                "With `pip install '.[networks]'`: spandrel's (some are in spandrel-extra-arches, whose "
                "licenses forbid commercial use). The timm dialect takes every classification model of timm.",
                of_libraries,
            ),
            SOURCES,
            "\n".join(rows()),
            REMOVED_SECTION,
            "\n".join(removed()),
            "\n",
        ]
    )
