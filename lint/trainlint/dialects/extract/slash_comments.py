# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""JSON whose comments its trainer takes out by cutting every line at its first "//", as KAIR does."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Final

from trainlint.dialects.schema.dialect import Dialect
from trainlint.errors import UnreadableError
from trainlint.model.document import Document
from trainlint.model.trainer import Trainer

SLASHED: Final = "slashed-json"
"""The loader that cuts."""


def held_to_its_loader(document: Document, dialect: Dialect, trainer: Trainer) -> None:
    """Raise UnreadableError where a trainer's own loader stops at what is read here.

    It cuts inside of quotes too (a path with "//" in it), and knows no /* */. A repository whose Python has
    no "//" in quotes has another loader; a page with JSON in it is given to none.
    """
    if dialect.loader != SLASHED or document.format != "json" or document.meta.get("fragment"):
        return
    text = document.source.text
    if ("//" not in text and "/*" not in text) or (trainer.source and not trainer.source.quotes("//")):
        return
    with suppress(RecursionError):
        try:
            json.loads("\n".join(line.partition("//")[0] for line in text.split("\n")))
        except json.JSONDecodeError as error:
            why = f'{dialect.title} cuts every line at "//", in quotes too, and takes no other comment'
            raise UnreadableError(f"{why}: json.loads stops here", error.lineno, error.colno) from None
