# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""XML for reports: elements whose values are text that XML 1.0 can hold."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from trainlint.report.style import printable


def element(parent: Element | None, tag: str, text: str = "", /, **attributes: object) -> Element:
    """Make an element, below `parent` where there is one; lines of `text` stay lines."""
    words = {name: printable(str(value)) for name, value in attributes.items() if value is not None}
    made = Element(tag, words) if parent is None else SubElement(parent, tag, words)
    if text:
        made.text = "\n".join(map(printable, text.split("\n")))
    return made


def xml(root: Element) -> str:
    """Return a document."""
    indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(root, encoding="unicode")}\n'
