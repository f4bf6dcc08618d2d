# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Files that cannot be read as they are, and are another program's own: JSON with # comments, say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from trainlint.dialects.extract.recognise import recognise
from trainlint.dialects.schema.dialect import Dialect
from trainlint.documents.file_format import read
from trainlint.errors import UnreadableError
from trainlint.expressions.patterns import later
from trainlint.model.document import Source

_COMMENT: Final = later(r"(?m)(?:^|(?<=[\s,{\[]))#[^\n]*$")
"""A comment as commentjson and hjson read it: from a # that no word holds to the end of the line."""


_COMMA: Final = later(r",(?=\s*[}\]])")
"""A comma behind the last item, which commentjson, hjson and JSON5 take."""


def anothers(source: Source, dialects: Sequence[Dialect]) -> bool:
    """Say whether a file is JSON but for such comments and commas, and a config of none of the dialects.

    No trainer here reads them, so that one of their own files with a # or such a comma in it is broken.
    """
    if not source.path.lower().endswith(".json"):
        return False
    plain = _COMMA.sub("", _COMMENT.sub("", source.text))
    try:
        documents = read(Source(source.path, plain)) if plain != source.text else ()
    except UnreadableError:
        return False
    return bool(documents) and all(recognise(document, dialects) is None for document in documents)
