# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A trainer's own source as text: which names it quotes, which keys it reads. Nothing of it is run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from trainlint.expressions.patterns import later
from trainlint.files.safe_open import is_folder
from trainlint.repository.trainer.argument_classes import takes_other_keys
from trainlint.repository.trainer.mentioned_words import Words, words_of
from trainlint.repository.trainer.option_classes import Structs, structs_of
from trainlint.repository.trainer.python_texts import texts_of, without_comments, without_docstrings
from trainlint.repository.trainer.survey_client import ask_declares, ask_options, ask_parser

_REGISTERED = later(r"(?m)^(?:import|from)[ \t]+(\w+)\.(?:archs|models|data|losses)\b")
_ON_CPU = later(r"""(?m)^[ \t]+self\.device\s*=\s*(?:torch\.device\(\s*)?['"]cpu['"]\s*\)?\s*$""")
_SHOWN = later(r"""CUDA_VISIBLE_DEVICES['"]\]\s*=(?!=)([^\n]+)""")
OPTIONS = "utils/options.py"
"""Where BasicSR and its relatives have the parser of the script that starts a training."""
OPTION_FLAGS = frozenset({"-opt", "--opt"})
"""What names an option file."""


class TrainerSource(Struct, frozen=True, dict=True):
    """A repository's Python: `marker` is the file by which it was found, `root` the struct of its options."""

    folder: Path
    marker: Path
    root: str | None = None

    @cached_property
    def structs(self) -> Structs | None:
        """The options as the trainer's own structs declare them; None where it has none that can be read."""
        if not self.root:
            return None
        return structs_of(ask_options(self.folder, self._marker), self.root)

    @property
    def _marker(self) -> str:
        return self.marker.relative_to(self.folder).as_posix()

    @property
    def words(self) -> Words | None:
        """What all Python of the repository mentions; None where that is too much to be read."""
        return words_of(self.folder)

    @cached_property
    def flags(self) -> Mapping[str, Sequence[str] | None]:
        """The flags of the marker's own parser, or of the options next to it, as far as they can be read.

        Each with the words that it takes, None where its call lists none or turns them into something else.
        """
        names = [(name, flag) for flag in self._parsed for name in flag["names"] if name.startswith("-")]
        written = [name for name, _ in names]
        return {name: _choices(flag) if written.count(name) == 1 else None for name, flag in names}

    @cached_property
    def _parsed(self) -> Sequence[Mapping[str, Any]]:
        options = (self.marker.parent / OPTIONS).relative_to(self.folder).as_posix()
        parsers = (ask_parser(self.folder, name) or {"flags": []} for name in (self._marker, options))
        return next((parser["flags"] for parser in parsers if parser["flags"]), [])

    def appends(self, name: str) -> bool:
        """Return whether a flag may be given more than once."""
        return any(flag["action"] == "append" for flag in self._parsed if flag["dest"] == name)

    @cached_property
    def joins_files(self) -> bool:
        """Whether its parser takes several option files, so that one may have what another lacks."""
        taken = [flag for flag in self._parsed if not OPTION_FLAGS.isdisjoint(flag["names"])]
        return any(flag["action"] == "append" or flag["nargs"] in ("+", "*") for flag in taken)

    @cached_property
    def positionals(self) -> int | None:
        """How many words without a flag the marker's own parser takes; None where that is not known."""
        parser = ask_parser(self.folder, self._marker)
        taken = [flag for flag in (parser or {"flags": []})["flags"] if flag["positional"]]
        plain = all(flag["nargs"] is None for flag in taken)
        return len(taken) if taken and plain else None

    def quotes(self, word: str) -> bool | None:
        """Return whether a text is in quotes anywhere; None where not all could be read."""
        return None if self.words is None else self.words.quotes(word)

    def takes(self, key: str) -> bool | None:
        """Return whether a key is quoted anywhere, or a field of a class; None where it is not known.

        One of which the code has the beginning or another part alone is read too.
        """
        if self.words is not None and (self.words.reads_begun(key) or self.words.reads_part(key)):
            return True
        quoted = self.quotes(key)
        return quoted or (ask_declares(self.folder, key) if quoted is not None else None)

    def has(self, word: str) -> bool | None:
        """Return whether a word is anywhere, as the name of a class or an argument; None as above."""
        return None if self.words is None else self.words.has(word)

    def together(self, *words: str) -> bool | None:
        """Return whether one file has all of the words; None as above."""
        return None if self.words is None else self.words.together(*words)

    def reads(self, key: str) -> bool | None:
        """Return whether a key is read without a default anywhere: `opt['key']`."""
        return None if self.words is None else key in self.words.read

    def defaults(self, key: str) -> bool:
        """Return whether a key is read with a default somewhere: `opt.get('key')` that is no question."""
        return self.words is not None and key in self.words.defaults

    def fills(self, mapping: str, key: str) -> bool:
        """Return whether a key of a mapping is set from another one: `opt['train']['key'] = opt['other']`."""
        return self.words is not None and (mapping, key) in self.words.filled

    @cached_property
    def enters_elsewhere(self) -> bool:
        """Whether it trains with the registered classes of a package that is not here: `import hat.archs`."""
        texts = self.words.code if self.words is not None else ()
        starts = (text for text in texts if "train_pipeline" in text)
        packages = {name for text in starts for name in _REGISTERED.findall(text)}
        return any(not is_folder(self.folder / name) for name in packages - {"basicsr"})

    @cached_property
    def chooses_arguments(self) -> bool:
        """Whether a class that it chooses by an option, or another package's, may have some of its keys."""
        return self.words is not None and takes_other_keys(self.words)

    @cached_property
    def takes_cpu(self) -> bool:
        """Whether a line of it sets a model's device to the CPU, whatever the options say."""
        return any(map(_ON_CPU.search, map(without_docstrings, self._with("self.device"))))

    def finds(self, word: str, *, quoted: bool = False) -> bool | None:
        """Return whether it has a word, or that in quotes; None where not all of it can be read.

        As `has` and `quotes`, without all that is gathered for these to be asked often.
        """
        if (word, quoted) not in self._found:
            pattern = re.compile(rf"""(['"]){re.escape(word)}\1""" if quoted else rf"\b{re.escape(word)}\b")
            readable = texts_of(self.folder) is not None
            self._found[word, quoted] = any(map(pattern.search, self._with(word))) if readable else None
        return self._found[word, quoted]

    @cached_property
    def _found(self) -> dict[tuple[str, bool], bool | None]:
        return {}

    def _with(self, word: str) -> Iterator[str]:
        """Yield the files that have a word, without lines of comment."""
        texts = texts_of(self.folder) or {}
        return map(without_comments, (text for text in texts.values() if word in text))

    @cached_property
    def hides_gpus(self) -> bool | None:
        """Whether it shows CUDA the GPUs of `gpu_ids` alone, by what is joined of them; None as above."""
        if texts_of(self.folder) is None:
            return None
        for text in map(without_docstrings, self._with("gpu_ids")):
            for shown in _SHOWN.findall(text):
                name = re.escape(shown.strip())
                joined = rf"(?m)^[ \t]*{name}\s*=[^\n]*join\([^\n]*gpu_ids"
                if ("gpu_ids" in shown and "join" in shown) or re.search(joined, text):
                    return True
        return False

    @property
    def resolves_floats(self) -> bool | None:
        """Whether it changes how YAML's words are read, as traiNNer did to read 1e-4 as a number."""
        return None if self.words is None else self.words.resolves_floats


def _choices(flag: Mapping[str, Any]) -> Sequence[str] | None:
    """Return the words that a flag takes as they are written."""
    plain = flag["type"] in (None, "str") and flag["action"] in (None, "store") and flag["nargs"] is None
    choices = flag["choices"] if plain else None
    return choices if choices and all(isinstance(choice, str) for choice in choices) else None


@lru_cache(maxsize=32)
def source_in(folder: Path, marker: Path, root: str | None) -> TrainerSource:
    """Return a repository's source; its files are read when they are asked for, once."""
    return TrainerSource(folder, marker, root)
