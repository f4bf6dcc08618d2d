"""Which dialect a document speaks."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatch
from functools import cache, lru_cache
from pathlib import PurePath

from trainlint.normalise.dialect import Dialect
from trainlint.normalise.expression import Scope, evaluate, flatten, plain
from trainlint.read.document import Document

_KEY = re.compile(r"""'([^'\\]*)' in flat\b(?!\s*[.\[])|\bflat\[\??'([^'\\]*)'\]|\bdoc\.(\w+)\b(?!\s*\()""")
"""How an expression asks for one key: `'a.b' in flat`, `flat['a.b']`, `flat[?'a.b']`, `doc.a`."""

_DOCUMENT = re.compile(r"\b(?:flat|doc)\b")


def scope_of(document: Document) -> Scope:
    """Return what a schema's expressions see of a document."""
    doc = plain(document.value)
    script = PurePath(str(document.meta.get("script", ""))).name
    path = document.source.path
    folder = _folder(path, os.getcwd())  # noqa: PTH109 - a page may hold 20,000 blocks
    file = {"path": plain(path), "folder": folder, "format": document.format, "script": plain(script)}
    return Scope(doc, flatten(doc), file)


@lru_cache(maxsize=256)
def _folder(path: str, here: str) -> str:  # noqa: ARG001 - where a relative path starts
    """Return the folder in which a file really lies, or the one that its name says where there is no file."""
    try:
        there = os.path.realpath(path, strict=True)
    except (OSError, ValueError):
        there = path
    return str(plain(PurePath(there).parent.as_posix()))


def recognise(document: Document, dialects: Sequence[Dialect]) -> Dialect | None:
    """Return the dialect of a document, the most specific where several claim it; None where none does."""
    if not isinstance(document.value, Mapping):
        return None
    scope = scope_of(document)
    claims = [dialect for dialect in dialects if _claims(dialect, document, scope)]
    return max(claims, key=lambda dialect: dialect.recognition.priority, default=None)


def _claims(dialect: Dialect, document: Document, scope: Scope) -> bool:
    signs = dialect.recognition
    if document.format not in dialect.formats:
        return False
    if document.format == "command":
        if not any(fnmatch(scope.file["script"], pattern) for pattern in signs.scripts):
            return False
    elif signs.when is None or not (
        "*" in signs.files or any(fnmatch(document.source.path, pattern) for pattern in signs.files)
    ):
        return False
    return signs.when is None or _holds(signs.when, scope)


def _holds(when: str, scope: Scope) -> bool:
    """Evaluate an expression over the keys that it asks for: a page may hold 20,000 blocks that have none."""
    asked = keys_of(when)
    if asked is None:
        return evaluate(when, scope) is True
    found = {key: scope.flat[key] for key in asked & scope.flat.keys()}
    if not found:
        return _holds_without_keys(when, tuple(scope.file.items()))
    return evaluate(when, Scope(scope.doc, found, scope.file)) is True


@cache
def keys_of(when: str) -> frozenset[str] | None:
    """Return the keys by which alone an expression sees the document; None where it looks at others too."""
    keys = frozenset(key for match in _KEY.findall(when) for key in match if key)
    return None if _DOCUMENT.search(_KEY.sub("", when)) else keys


@lru_cache(maxsize=256)
def _holds_without_keys(when: str, file: tuple[tuple[str, str], ...]) -> bool:
    """Tell what an expression is where a document has none of the keys that it asks for."""
    return evaluate(when, Scope({}, {}, dict(file))) is True
