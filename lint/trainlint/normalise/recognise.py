"""Which dialect a document speaks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatch
from pathlib import PurePath

from trainlint.normalise.dialect import Dialect
from trainlint.normalise.expression import Scope, evaluate, flatten, plain
from trainlint.read.document import Document


def scope_of(document: Document) -> Scope:
    """Return what a schema's expressions see of a document."""
    doc = plain(document.value)
    script = PurePath(str(document.meta.get("script", ""))).name
    file = {"path": plain(document.source.path), "format": document.format, "script": plain(script)}
    return Scope(doc, flatten(doc), file)


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
    elif signs.when is None or not any(fnmatch(document.source.path, pattern) for pattern in signs.files):
        return False
    return signs.when is None or evaluate(signs.when, scope) is True
