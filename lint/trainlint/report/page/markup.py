# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""HTML from Python: whatever is not markup already is escaped, so that a config can write none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import zip_longest
from typing import Final

from trainlint.report.style import harmless, printable

VOID_ELEMENTS: Final = frozenset({"meta", "input", "br", "rect", "line", "path"})
"""Elements that have no content here."""


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


def text(value: object) -> Html:
    """Return a value's text as markup that shows it; what is no text is replaced."""
    return Html(escape(harmless(printable(str(value)))))


def join(parts: Iterable[Html | str]) -> Html:
    """Return parts one after the other, those that are no markup escaped."""
    return Html("".join(part if isinstance(part, Html) else text(part) for part in parts))


def el(name: str, /, *children: Html | str, **attributes: object) -> Html:
    """Return an element; `class_` and `aria_label` are written as HTML has them, None leaves one out."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in VOID_ELEMENTS:
        return Html(f"<{name}{written}/>" if name in ("rect", "line", "path") else f"<{name}{written}>")
    return Html(f"<{name}{written}>{join(children)}</{name}>")


def table(
    head: Sequence[str], rows: Iterable[Iterable[Html | str]], readings: Iterable[str | None] = ()
) -> Html:
    """Return a table; each cell has its heading too, for screens that are too narrow for columns.

    `readings` name the reading of a job that each row is of, where there are several.
    """
    cells = [
        el(
            "tr",
            *(el("td", cell, data_of=name) for name, cell in zip(head, row, strict=True) if cell or name),
            data_reading=reading,
        )
        for row, reading in zip_longest(rows, readings)
    ]
    top = el("thead", el("tr", *(el("th", cell) for cell in head)))
    return el("div", el("table", top, el("tbody", *cells)), class_="scroll")
