# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where the arguments of a command line are, and what they hold, as they are laid into a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct, field

from trainlint.commands.flags import Argument
from trainlint.commands.shell.shell_raw import Word
from trainlint.config.extracted_text import Excerpt
from trainlint.config.place_map import NO_KEY, Offsets
from trainlint.model.document import Duplicate, Path, Span


class ArgumentTable(Struct):
    """The value and the offsets, as arguments are laid into it."""

    excerpt: Excerpt
    value: dict[str, Any] = field(default_factory=dict)
    offsets: dict[Path, Offsets] = field(default_factory=dict)
    duplicates: list[Duplicate] = field(default_factory=list)
    unresolved: list[Path] = field(default_factory=list)

    def put(self, path: Path, span: Span, key: Span | None = None) -> None:
        """Note where a value is."""
        key_start, key_end = (key.start, key.end) if key else (NO_KEY, NO_KEY)
        self.offsets[path] = (span.start, span.end, key_start, key_end)

    def words(self, path: Path, words: Sequence[Word], key: Span | None) -> Any:
        """Lay one word, or a list of several, under a path."""
        span = self.excerpt.span(words[0].start, words[-1].end)
        self.put(path, span, key)
        if len(words) == 1 and path[0] != "@args":
            self._resolve(path, words[0])
            return words[0].text
        for index, word in enumerate(words):
            self.put((*path, index), self.excerpt.span(word.start, word.end))
            self._resolve((*path, index), word)
        return [word.text for word in words]

    def _resolve(self, path: Path, word: Word) -> None:
        if not word.resolved:
            self.unresolved.append(path)

    def flag(self, name: str, argument: Argument) -> None:
        """Lay a flag; a second one of its name replaces the first."""
        key = self.excerpt.span(argument.start, argument.end)
        if (name,) in self.offsets:
            *_, start, end = self.offsets[name,]
            self.duplicates.append(Duplicate((name,), Span(start, end), key))
            old = self.value[name]
            for index in range(len(old) if isinstance(old, list) else 0):
                del self.offsets[name, index]
            del self.offsets[name,]
        if argument.words:
            self.value[name] = self.words((name,), argument.words, key)
        else:
            self.value[name] = True
            self.put((name,), key, key)
