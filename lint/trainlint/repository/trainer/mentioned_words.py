# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a repository's Python mentions, gathered once, so that any number of keys can be looked up."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final

from trainlint.expressions.patterns import later
from trainlint.repository.survey.python_files import trains_nothing
from trainlint.repository.trainer.python_texts import (
    TooManyError,
    texts_of,
    without_comments,
    without_docstrings,
)
from trainlint.repository.trainer.unreached_code import DEFINITION, MOST_PLACES, Unreached, indent_of, places

MOST_WORDS: Final = 500_000
"""Different words, and texts in quotes, that are kept: four megabytes of Python have 40,000."""
LONGEST_WORD: Final = 64
ODD_QUESTIONS: Final = 100
"""Questions after what is no such word (longer, with quotes in it), for each of which all is searched."""

_KINDS: Final = bytes(map(ord, ("a" if re.match(r"\w", chr(byte)) else " " for byte in range(256))))
_BEYOND: Final = bytes(range(128, 256))
"""What a byte is to `few_words`: of a word or not; and those of characters beyond ASCII."""
_WORD: Final = later(r"\w+")
_NAME: Final = later(rf"\b\w{{1,{LONGEST_WORD}}}+\b")
_KEY: Final = rf"""['"]([^'"\n]{{1,{LONGEST_WORD}}}+)['"]"""
_QUOTED: Final = later(rf"""(['"])([^'"\n]{{1,{LONGEST_WORD}}}+)(?=\1)""")
_READ: Final = (
    later(rf"\[\s*+{_KEY}\s*+\](?!\s*+=(?!=))"),  # an assignment reads nothing
    later(rf"\.pop\(\s*+{_KEY}\s*+\)"),
)
_DEFAULT: Final = later(rf"\.get\(\s*+{_KEY}[^)\n]{{0,200}}+\)(?!\s*+:|\s++is\b)")
"""`opt.get('key')` that is no question. A default has fewer than 200 characters."""
_ASKED: Final = later(
    rf"(?m)^[ \t]*+(?:el)?if (?:not )?[\w\[\]'\".]+?\[\s*+{_KEY}\s*+\] *+(?::| (?:and|or|is)\b)"
)
"""`if opt['train']['key']:`, a question where a mapping gives None for what it lacks."""
_GIVES_NONE: Final = "NoneDict"
"""The mapping of BasicSR before 1.0 that does so."""
_SET: Final = later(rf"\[\s*+{_KEY}\s*+\]\s*+\[\s*+{_KEY}\s*+\]\s*+=(?!=)([^\n]{{0,200}}+)")
"""`opt['train']['key'] = ...`, with what it is set to."""
_READ_AT: Final = r"(?:[\w\])]\[|\.get\()\s*+"
_BEGUN: Final = (
    later(
        r"""\bfor\s+(\w+)\s*,\s*\w+\s+in\s+[\w.\[\]'"]+\.items\(\)"""
        r"""[^#]{0,200}?\b\1\.startswith\(\s*['"]([^'"\n]+)['"]"""
    ),
    later(rf"""{_READ_AT}f['"]([^'"{{\n]{{3,{LONGEST_WORD}}}+)\{{[^'"\n]*+['"]\s*+[\]),](?!\s*+=(?!=))"""),
    later(rf"""{_READ_AT}['"]([^'"\n]{{3,{LONGEST_WORD}}}+)['"]\s*+\+[^\]\n]*+\](?!\s*+=(?!=))"""),
)
"""Keys by their beginnings: `for k, v in opt.items(): if k.startswith('root')`, `opt[f'root_{n}']`."""
_EACH_KEY: Final = later(r"""\bfor\s+(\w+)\s*,\s*\w+\s+in\s+[\w.\[\]'"]+\.items\(\)\s*:""")
_LOOPED: Final = 400
"""Characters after the head of a loop in which its key is asked for."""
_SHORTEST_PART: Final = 4
_ASSIGNED: Final = r"(?m)^[ \t]*+{}\s*+=(?!=)([^\n]{{0,200}}+)"
_SECOND: Final = later(r" (?:and|or) [^\n]*+")
"""The end of a line that is only come to where its beginning does not decide."""
_ODD: Final = later(rf"""['"\n]|.{{{LONGEST_WORD + 1}}}""")


_LOOP: Final = (".optimize_parameters(", ".update_learning_rate(")
"""What a training loop of BasicSR and its relatives calls."""

_LISTED: Final = later(r"\bisinstance\([^,()]+,\s*+\(?[^)\n]*\blist\b")

_BY_NAME: Final = later(r"\bimport_module\(|\b__import__\(")
_DEFINED: Final = later(r"(?m)^([ \t]*)(?:async )?def (\w+)")


class Words:
    """A repository's Python; what is gathered of it is when it is first asked for."""

    def __init__(self, texts: Iterable[str], files: Iterable[str] = ()) -> None:
        """`files` are its Python files by their paths from the root, one for each text."""
        self.files = tuple(files)
        self.texts = tuple(map(without_comments, texts))
        self._left = ODD_QUESTIONS
        self._has: dict[re.Pattern[str], bool] = {}

    @cached_property
    def names(self) -> frozenset[str]:
        """Its words. Raises TooManyError, as what follows does, but not where there are `few_words`."""
        return _names(self.texts)

    @cached_property
    def quoted(self) -> frozenset[str]:
        """The texts in quotes."""
        return _gathered(self.texts, _QUOTED)

    @cached_property
    def read(self) -> frozenset[str]:
        """The keys that it reads without a default."""
        return _gathered(self.texts, *_READ)

    @cached_property
    def defaults(self) -> frozenset[str]:
        """The keys that it reads with a default, or in the second half of a condition alone."""
        surely = _gathered((_SECOND.sub("", text) for text in self.texts), *_READ)
        defaults = _gathered(self.texts, _DEFAULT) | (self.read - surely)
        if any(_GIVES_NONE in text for text in self.texts):
            defaults |= _gathered(self.texts, _ASKED)
        return defaults

    @cached_property
    def filled(self) -> frozenset[tuple[str, str]]:
        """The keys, each with the one of its mapping, that it sets from others."""
        return frozenset(_filled(self.texts))

    @cached_property
    def resolves_floats(self) -> bool:
        """Whether it changes how YAML's words are read."""
        return any("add_implicit_resolver" in text for text in self.texts)

    def gather(self) -> Words:
        """Gather all at once, and return itself. Raises TooManyError."""
        for name in ("names", "quoted", "read", "defaults", "filled"):
            getattr(self, name)
        return self

    @cached_property
    def training(self) -> tuple[tuple[str, str], ...]:
        """Each file with its text, but for tests and documents, which train nothing."""
        pairs = zip(self.files, self.texts, strict=False)
        return tuple((file, text) for file, text in pairs if not trains_nothing(file))

    @cached_property
    def training_code(self) -> tuple[tuple[str, str], ...]:
        """The same files, each with its code."""
        pairs = zip(self.files, self.code, strict=False)
        return tuple((file, text) for file, text in pairs if not trains_nothing(file))

    def quotes(self, word: str) -> bool | None:
        """Return whether a text is in quotes anywhere; None where too much was asked for already."""
        if word and not _ODD.search(word):
            return word in self.quoted
        return self._searched(re.compile(f"""'{re.escape(word)}'|"{re.escape(word)}\""""))

    def has(self, word: str) -> bool | None:
        """Return whether a word is there, as the name of a class or an argument is; None as above."""
        if _NAME.fullmatch(word):
            return word in self.names
        return self._searched(re.compile(rf"\b{re.escape(word)}\b"))

    def matches(self, pattern: re.Pattern[str]) -> bool:
        """Return whether a pattern is anywhere in the code; it is searched for once."""
        if pattern not in self._has:
            self._has[pattern] = any(map(pattern.search, self.code))
        return self._has[pattern]

    def together(self, *words: str) -> bool:
        """Return whether one file's code has all of the words in it."""
        return any(all(word in text for word in words) for text in self.texts)

    def compares(self, word: str) -> bool:
        """Return whether a text is compared with anything, or looked for: `name == 'fid'`, `.get('fid')`."""
        quoted = rf"""['"]{re.escape(word)}['"]"""
        asked = re.compile(rf"(?:[!=]=\s*|\.get\(\s*){quoted}|{quoted}\s*(?:[!=]=|(?:not\s+)?in\b)")
        return any(map(asked.search, self._code_with(word)))

    def takes_lists(self, key: str) -> bool:
        """Return whether a key's value is looped over, or goes to a function that asks for a list."""
        return self._once(self._find_lists, key)

    def _find_lists(self, key: str) -> bool:
        named = re.compile(rf"\b\w*_list\s*=\s*{_value_of(key)}")
        field = re.compile(rf"\bisinstance\(\s*\w+\.{re.escape(key)}\s*,\s*\(?[^)\n]*\blist\b")
        marks = (f"'{key}'", f'"{key}"', f".{key}")
        texts = [text for text in self.code if any(mark in text for mark in marks)]
        if any(_loops_over(text, key) or named.search(text) or field.search(text) for text in texts):
            return True
        passed = re.compile(rf"""\b(\w+)\(\s*+[^()\n]*?(?:\[|\.get\()\s*+['"]{re.escape(key)}['"]""")
        for text in texts:
            for name in set(passed.findall(text)) - {"len", "int", "float", "str"}:
                body = f"\n{text}".partition(f"\ndef {name}(")[2].partition("\ndef ")[0]
                if _LISTED.search(body):
                    return True
        return False

    def takes_texts(self, key: str) -> bool:
        """Return whether a key's value is split, or may be a text: `isinstance(self.size, str)`."""
        return self._once(self._find_texts, key)

    def _find_texts(self, key: str) -> bool:
        named = rf"""(?:\b{re.escape(key)}|['"]{re.escape(key)}['"][\])])"""
        taken = re.compile(rf"\bisinstance\(\s*[^,()\n]*{named}\s*,\s*\(?[^)\n]*\bstr\b|{named}\.split\(")
        return any(map(taken.search, self._code_with(key)))

    def takes_lists_in(self, parent: str) -> bool:
        """Return whether what a mapping's keys have is looped over: `for k, v in opt['datasets'].items()`."""
        through = re.compile(rf"""\bfor \w+, (\w+) in [\w.]+\[['"]{re.escape(parent)}['"]\]\.items\(\):""")
        return any(
            re.search(rf"\bfor \w+ in {entry[1]}:", text[entry.end() :])
            for text in self.code
            for entry in through.finditer(text)
        )

    def takes_apart(self, text: str) -> bool:
        """Return whether a text is several that it quotes, joined by what it splits texts at: l1+ssim."""
        for mark in "+,|":
            parts = text.split(mark)
            split = re.compile(rf"""\.split\(\s*['"]{re.escape(mark)}['"]""")
            if len(parts) > 1 and self.quoted.issuperset(parts) and any(map(split.search, self.code)):
                return True
        return False

    def takes_mappings(self, key: str) -> bool:
        """Return whether a class has a field of that name for mappings: `scaling: Optional[Any]`."""
        field = re.compile(rf"(?m)^[ \t]+{re.escape(key)}\s*:[^=\n]*\b(?:Any|dict|Dict|Mapping)\b")
        return any(map(field.search, self._code_with(key)))

    def takes_floats(self, key: str) -> bool:
        """Return whether a key's value, by itself or under a name of its own, is made a float."""
        quoted = _value_of(key)
        for text in self._code_with(key):
            names = set(re.findall(rf"\b(\w+)\s*=\s*{quoted}\s*\n", text))
            if re.search(rf"\bfloat\(\s*(?:{'|'.join([quoted, *sorted(names)])})\s*\)", text):
                return True
        return False

    def annotates(self, key: str) -> bool:
        """Return whether a class has a field of that name, or a function an annotated argument."""
        return self._once(self._find_field, key)

    def _find_field(self, key: str) -> bool:
        field = re.compile(rf"(?m)^[ \t]+{re.escape(key)}\s*:")
        return any(map(field.search, self._code_with(key)))

    def _once(self, search: Callable[[str], bool], key: str) -> bool:
        """Return what a search finds; each try of a fix asks it again, and each command of a folder."""
        question = search.__name__, key
        if question not in self._answers:
            self._answers[question] = search(key)
        return self._answers[question]

    @cached_property
    def _answers(self) -> dict[tuple[str, str], bool]:
        return {}

    def annotates_with(self, key: str, choice: str) -> bool:
        """Return whether a class has a field that may be a choice: `stage: Literal["sft", "own"]`."""
        field = re.compile(
            rf"""(?m)^[ \t]+{re.escape(key)}\s*:\s*[\w.\[ ]*\bLiteral\["""
            rf"""[^\]]{{0,2000}}['"]{re.escape(choice)}['"]"""
        )
        return any(map(field.search, self._code_with(key)))

    def annotates_any(self, key: str) -> bool:
        """Return whether a field of arguments takes any text: `stage: str = field(...)`."""
        field = re.compile(rf"(?m)^[ \t]+{re.escape(key)}\s*:\s*(?:Optional\[)?str\b[^=\n]*=\s*field\(")
        return any(map(field.search, self._code_with(key)))

    def only_asks(self, key: str) -> bool:
        """Return whether the code has a key, and only to ask whether a mapping has it."""
        quoted = re.compile(rf"""['"]{re.escape(key)}['"]""")
        asks = re.compile(rf"""(?m)^[ \t]*(?:el)?if\s+\w+\.get\(\s*['"]{re.escape(key)}['"]\s*\)\s*:""")
        texts = self._code_with(key)
        asked = sum(len(asks.findall(text)) for text in texts)
        return asked > 0 and asked == sum(len(quoted.findall(text)) for text in texts)

    def loops_without(self, key: str) -> bool:
        """Return whether there are loops as BasicSR trains in, and none of their files quotes a key."""
        loops = [text for text in self.code if all(call in text for call in _LOOP)]
        quoted = re.compile(rf"""['"]{re.escape(key)}['"]""")
        return bool(loops) and not any(map(quoted.search, loops))

    def is_idle(self, key: str, config: Any, *, called: bool = False) -> bool:
        """Return whether a key is read, and only where a config does not come.

        That is for other choices: `elif kind == 'LinearLR':`, behind keys that the config leaves empty, and
        in functions that no line of code mentions, where these are not `called` from elsewhere.
        """
        if not _NAME.fullmatch(key):
            return False
        asked = rf"""\[\s*['"]{key}['"]\s*\]|\.(?:get|pop)\(\s*['"]{key}['"]"""
        reads = re.compile(rf"{asked}|\b(?!self\b)\w+\.{key}\b(?!\s*(?:\(|=[^=]))")
        read = places(reads, self.code)
        unreached = Unreached(self.code, config)
        return 0 < len(read) <= MOST_PLACES and all(
            unreached.is_so(text, place) or (not called and self._is_in_unused(text, place))
            for text, place in read
        )

    def _is_in_unused(self, text: str, place: int) -> bool:
        function = _function_around(text, place)
        return function is not None and not self._is_used(function)

    def _is_used(self, function: str) -> bool:
        used = re.compile(rf"(?<!def )\b{function}\b")
        return function.startswith("__") or any(map(used.search, self.code))

    def _code_with(self, word: str) -> list[str]:
        """Return the files' code that has a word: patterns with one take long where there is none."""
        return [text for text in self.code if word in text]

    @cached_property
    def code(self) -> tuple[str, ...]:
        """The texts without what is in three quotes."""
        return tuple(map(without_docstrings, self.texts))

    def reads_begun(self, key: str) -> bool:
        """Return whether keys that begin as this one does are read, whatever they end in."""
        return key.startswith(tuple(self._beginnings))

    @cached_property
    def _beginnings(self) -> frozenset[str]:
        return _gathered(self.code, *_BEGUN)

    def reads_part(self, key: str) -> bool:
        """Return whether every key that has a part of this one is read: `if '_in_epochs' in key`."""
        return any(part in key for part in self._parts)

    @cached_property
    def _parts(self) -> frozenset[str]:
        return frozenset(_parts_asked_for(self.code))

    def has_folded(self, word: str) -> bool:
        """Return whether a word is there in any case, as a registry that does not mind it finds a name."""
        return word.lower() in self._folded

    def spellings(self, word: str) -> set[str]:
        """Return how a word is written, where case does not matter."""
        return {name for name in self.names if name.lower() == word.lower()}

    @cached_property
    def _folded(self) -> frozenset[str]:
        return frozenset(map(str.lower, self.names))

    def quotes_folded(self, word: str) -> bool:
        """Return whether a text is in quotes in any case, as one is that is compared in lower case."""
        return word.lower() in self._folded_texts

    @cached_property
    def _folded_texts(self) -> frozenset[str]:
        return frozenset(map(str.lower, self.quoted))

    @cached_property
    def defined(self) -> frozenset[str]:
        """The names of its classes and functions."""
        return _gathered(self.texts, DEFINITION)

    def names_file(self, name: str) -> bool:
        """Return whether a file is called by a name, as network_name.py is, and imports are made by names.

        Or what its name begins with is put before one: `find('models.network_' + net_type)`.
        """
        end = re.compile(rf"(?i)(?:^|[/_]){re.escape(name)}(?:_\w+)?\.py$")
        named = list(filter(end.search, self.files))
        return bool(named) and (self.matches(_BY_NAME) or any(self._begins(file, name) for file in named))

    def _begins(self, file: str, name: str) -> bool:
        """Return whether the code puts something behind the beginning of a file's name."""
        begun = file.rpartition("/")[2].lower().partition(name.lower())[0]
        put = re.compile(rf"""(?i)\b{re.escape(begun)}(?:['"]\s*\+|\{{\w)""")
        return bool(begun) and self.matches(put)

    def mentions(self, name: str) -> bool:
        """Return whether a name is in any case a part of anything: a longer name, a text, a file's name."""
        return _bare(name) in self._run_together

    @cached_property
    def _run_together(self) -> str:
        return _bare("\n".join((*self.texts, *map(os.path.basename, self.files))))

    def _searched(self, pattern: re.Pattern[str]) -> bool | None:
        self._left -= 1
        return None if self._left < 0 else any(map(pattern.search, self.texts))


def _bare(text: str) -> str:
    return text.replace("_", "").replace("-", "").lower()


def _value_of(key: str) -> str:
    """Return the pattern of what reads a key: `opt['key']`, `opt.get('key', 1)`."""
    return (
        rf"""[\w.]+(?:\[['"]\w+['"]\])*(?:\[|\.get\()\s*['"]{re.escape(key)}['"](?:,[^()\n]{{0,40}})?[\])]"""
    )


def _loops_over(text: str, key: str) -> bool:
    """Return whether a file goes through a key's value, or asks whether it is a list: in a loop, by pop()."""
    quoted = _value_of(key)
    names = set(re.findall(rf"\b(\w+)\s*=\s*{quoted}\s*\n", text))
    of = "|".join([quoted, *sorted(names)])
    through = rf"\bfor\s[^:\n]*?\sin\s+(?:{of})\s*:|\b(?:{of})\.pop\("
    asked = rf"\bisinstance\(\s*(?:{of})\s*,\s*\(?[^)\n]*\blist\b"
    return re.search(rf"{through}|{asked}", text) is not None


def _function_around(text: str, offset: int) -> str | None:
    """Return the name of the function that a character is in; None for one outside of all."""
    indent = indent_of(text[text.rfind("\n", 0, offset) + 1 : offset])
    for match in reversed([*_DEFINED.finditer(text, 0, offset)]):
        if len(match[1]) < indent:
            return match[2]
    return None


def _gathered(texts: Iterable[str], *patterns: re.Pattern[str]) -> frozenset[str]:
    """Return what the last group of the patterns finds. Raises TooManyError."""
    words: set[str] = set()
    for text in texts:
        for pattern in patterns:
            words.update(match[match.re.groups] for match in pattern.finditer(text))
        if len(words) > MOST_WORDS:
            raise TooManyError
    return frozenset(words)


def _names(texts: Iterable[str]) -> frozenset[str]:
    """Return the words. Raises TooManyError."""
    words: set[str] = set()
    for text in texts:
        words.update(_WORD.findall(text))
        if len(words) > MOST_WORDS:
            raise TooManyError
    return frozenset(word for word in words if len(word) <= LONGEST_WORD)


def _filled(texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (mapping, key) that are set from another key's value, not from a figure or from their own."""
    for text in texts:
        for mapping, key, value in _SET.findall(text):
            read = _keys_of(value, text)
            if read and key not in read:
                yield mapping, key


def _keys_of(value: str, text: str, depth: int = 3) -> set[str]:
    """Return the keys that an expression reads, also by the names that the same file assigns."""
    read = {name for pattern in _READ for name in pattern.findall(value)}
    if read or not depth:
        return read
    for name in _NAME.findall(value):
        for assigned in re.findall(_ASSIGNED.format(re.escape(name)), text):
            read |= _keys_of(assigned, text, depth - 1)
    return read


def _parts_asked_for(texts: Iterable[str]) -> Iterator[str]:
    """Yield the parts of keys by which loops over a mapping choose: `'_in_epochs' in key`."""
    for text in texts:
        for loop in _EACH_KEY.finditer(text):
            body, key = text[loop.end() : loop.end() + _LOOPED], re.escape(loop[1])
            asked = rf"""['"]([^'"\n]+)['"]\s+in\s+{key}\b|\b{key}\.endswith\(\s*['"]([^'"\n]+)['"]"""
            for within, end in re.findall(asked, body):
                if len(part := within or end) >= _SHORTEST_PART:
                    yield part


@lru_cache(maxsize=4)
def words_of(folder: Path) -> Words | None:
    """Return what a repository mentions; None where it is too much to be sure of what is missing."""
    texts = texts_of(folder)
    if texts is None:
        return None
    words = Words(texts.values(), texts)
    try:
        return words if few_words(words.texts) else words.gather()
    except TooManyError:
        return None


def few_words(texts: Iterable[str]) -> bool:
    """Return whether there cannot be more than MOST_WORDS words, nor as many texts in quotes.

    All words are counted, the same ones again, and each byte of a character beyond ASCII as one.
    """
    words = quotes = 0
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        words += (b" " + data.translate(_KINDS)).count(b" a")
        words += len(data) - len(data.translate(None, _BEYOND))
        quotes += data.count(b"'") + data.count(b'"')
    return max(words, quotes) <= MOST_WORDS
