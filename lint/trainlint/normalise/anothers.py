# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Files that cannot be read as they are, and are another program's own: JSON with # comments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from trainlint.errors import UnreadableError
from trainlint.normalise.dialect import Dialect
from trainlint.normalise.recognise import recognise
from trainlint.read import read
from trainlint.read.document import Source

_COMMENT: Final = re.compile(r"(?m)(?:^|(?<=[\s,{\[]))#[^\n]*$")
"""A comment as commentjson and hjson read it: from a # that no word holds to the end of the line."""


def anothers(source: Source, dialects: Sequence[Dialect]) -> bool:
    """Say whether a file is JSON but for such comments, and a config of none of the dialects without them.

    No trainer here reads them, so that one of their own files with a # in it is broken.
    """
    if not source.path.lower().endswith(".json") or "#" not in source.text:
        return False
    try:
        documents = read(Source(source.path, _COMMENT.sub("", source.text)))
    except UnreadableError:
        return False
    return all(recognise(document, dialects) is None for document in documents)
