# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A hook of mkdocs: pages that lie at the root, and links to the sources, which are not part of the site."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
SOURCES = "https://github.com/trainlint/trainlint/blob/main"

AT_ROOT = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changes.md"}
"""Pages at the root, and what the site calls them."""

RULES = frozenset(path.stem for path in (ROOT / "docs" / "rules").glob("*.md"))
_RULE = re.compile(r"(?<!\[)`([a-z0-9-]+)`")
_LINK = re.compile(r"\]\((?!\w+:|#|/)([^)#\s]+)(#[^)\s]+)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages at the root."""
    for name, page in AT_ROOT.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=_LINK.sub(_from_root, text)))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Turn links that lead out of docs/ into links to the site's page or the source; link rules in guides."""
    folder = posixpath.dirname(page.file.src_uri)

    def moved(found: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join("docs", folder, found[1]))
        if path.startswith("docs/"):
            return found[0]
        return f"]({_outside(path, found[2] or '', folder)})"

    def linked(found: re.Match[str]) -> str:
        pages = posixpath.relpath("rules", folder or ".")
        return f"[{found[0]}]({pages}/{found[1]}.md)" if found[1] in RULES else found[0]

    if page.file.src_uri in AT_ROOT.values():
        return markdown
    if page.file.src_uri.startswith("guides"):
        markdown = _RULE.sub(linked, markdown)
    return _LINK.sub(moved, markdown)


def _from_root(found: re.Match[str]) -> str:
    path = posixpath.normpath(found[1])
    inside = path.removeprefix("docs/")
    return f"]({inside if inside != path else _outside(path, '', '')}{found[2] or ''})"


def _outside(path: str, anchor: str, folder: str) -> str:
    if path in AT_ROOT:
        return posixpath.relpath(AT_ROOT[path], folder or ".") + anchor
    return f"{SOURCES}/{path}{anchor}"
