# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Files that cannot be read as they are, and are another program's: JSON with # comments, YAML with tags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from trainlint.dialects.extract.recognise import recognise
from trainlint.dialects.schema.dialect import Dialect
from trainlint.documents.file_format import read
from trainlint.errors import UnreadableError
from trainlint.expressions.patterns import later
from trainlint.files.enclosing_folders import repository_of
from trainlint.model.document import Source
from trainlint.repository.trainer.mentioned_words import words_of

_COMMENT: Final = later(r"(?m)(?:^|(?<=[\s,{\[]))#[^\n]*$")
"""A comment as commentjson and hjson read it: from a # that no word holds to the end of the line."""


_COMMA: Final = later(r",(?=\s*[}\]])")
"""A comma behind the last item, which commentjson, hjson and JSON5 take."""
_TAG: Final = later(r"(?<=[:,\[{-][ \t])![\w./:-]+")
"""A tag of a program's own, as in lm-evaluation-harness' `process_docs: !function utils.process_docs`."""


_READERS: Final = later(
    r"(?m)^[ \t]*(?:import|from)[ \t]+"
    r"(json5|pyjson5|hjson|commentjson|demjson3?|jstyleson|json_tricks|rapidjson)\b"
)
"""What reads more than JSON: single quotes, keys without any, commas and comments."""


def reader_around(path: str) -> str | None:
    """Return which other reader of JSON the Python around a file imports, and where."""
    root = repository_of(path) if path.lower().endswith(".json") else None
    words = words_of(root) if root is not None else None
    for name, text in zip(words.files, words.texts, strict=False) if words is not None else ():
        if (reader := _READERS.search(text)) is not None:
            return f"{reader[1]} ({name}:{text.count(chr(10), 0, reader.start(1)) + 1})"
    return None


def anothers(source: Source, dialects: Sequence[Dialect]) -> bool:
    """Say whether a file is JSON but for comments and commas, or YAML but for tags, and no dialect's config.

    No trainer here reads them, so that one of their own files with such a thing in it is broken.
    """
    path = source.path.lower()
    if path.endswith(".json"):
        plain = _COMMA.sub("", _COMMENT.sub("", source.text))
    elif path.endswith((".yml", ".yaml")):
        plain = _TAG.sub("", source.text)
    else:
        return False
    try:
        documents = read(Source(source.path, plain)) if plain != source.text else ()
    except UnreadableError:
        return False
    return bool(documents) and all(recognise(document, dialects) is None for document in documents)
