# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A case: files and the command that is run on them, as it is kept."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass

from bench.hostile.texts import Base


@dataclass(frozen=True)
class Case:
    """A tree of files, and the command's words; without words its one file goes through every format."""

    files: tuple[Base, ...]
    words: tuple[str, ...] = ()

    def encoded(self) -> str:
        """Return the case as JSON."""
        files = {name: base64.b64encode(data).decode() for name, data in self.files}
        return json.dumps({"words": self.words, "files": files}, indent=1)

    @staticmethod
    def decoded(text: str) -> Case:
        """Return the case of its JSON."""
        value = json.loads(text)
        files = tuple((name, base64.b64decode(data)) for name, data in value["files"].items())
        return Case(files, tuple(value["words"]))
