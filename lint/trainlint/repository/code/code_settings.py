# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a Python text sets outside of functions: constants, imports, defaults of flags and of fields.

Each is a unit as a function is: a name, and a digest of what it is set to. A line that acts when its file is
imported (`torch.backends.cuda.matmul.allow_tf32 = True`) has what it changes or calls as its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import dedent
from typing import Final

from trainlint.expressions.patterns import later
from trainlint.repository.code.code_units import NOT_RUN, OF_FIELDS, Unit, digest

_LONG: Final = later(r'"""(?:[^"\\]|\\.|"(?!""))*+"""|\'\'\'(?:[^\'\\]|\\.|\'(?!\'\'))*+\'\'\'')
"""A text in three quotes, whose lines are none of the code's."""
_DEEP: Final = "\n" + " " * 40
_REMARK: Final = later(r"(?m)^[ \t]*#.*$|(?<![ \t])[ \t]+#[^'\"\n]*$")
_STATEMENT: Final = later(r"(?m)^(?=[^\s)\]}#\"'])[^\n]*(?:\n(?:[ \t)\]}#][^\n]*)?)*")
"""A line that is not indented, with what belongs to it."""
_IMPORT: Final = later(r"(?s)(?:from[ \t]+([\w.]+)[ \t]+)?import\b(.*)")
_PLACED: Final = later(r"(?s)([A-Za-z_]\w*(?:\.\w+|\[[^\]\n]*\])*)[ \t]*(?::[^=\n]*)?=(?!=)(.*)")
_CALLED: Final = later(r"([A-Za-z_][\w.]*)\(")
_BLOCK: Final = later(r"(?:if|elif|else|try|except|finally|with)\b(?!\s+__name__)[^\n]*:[^\n]*\n")
_IDLE: Final = later(
    r"(?:logging|warnings|sys|datasets|(?:transformers|diffusers)\.(?:utils\.)?logging|os\.makedirs|setup_logging"
    r"|print|main|check_min_version|require_version|load_dotenv|(?:init|register)_\w*|\w*\.?get_logger"
    r"|typer|fire|app|click|nltk|wandb|Path)\b[^\n]*"
    r"|os\.environ(?!\[[^\]]*(?:TORCH|CUDA|XFORMERS|ACCELERATE|DEEPSPEED)[^\]]*\])[^\n]*"
)
"""What takes no memory though it acts."""
_FLAG: Final = later(
    r"\.add_argument\(\s*(?:['\"]-\w+['\"],\s*)?['\"]--([\w-]+)['\"]"
    r"((?:[^()'\"]|\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|\([^()]*\))*+)\)"
)
_NO_STEP: Final = later(
    r"(?:output|cache|logging|save|log|data|dataset)_dir|seed"
    r"|\w*(?:token|name|path|prompt|repo|hub|wandb|tracker|report|help)\w*"
    r"|learning_rate\w*|adam_(?:beta|epsilon|weight)\w*|\w*weight_decay|lr_\w*|warmup\w*|max_grad_norm"
    r"|export_\w*|infer_\w*|validation_epochs|ip|port|host|\w*_id"
)
"""Names of flags and fields on which neither a step's memory nor its length depends."""
_DEFAULT: Final = later(
    r"\b(?:default|action|default_factory)\s*=\s*('[^'\n]*'|\"[^\"\n]*\"|(?:[^,()\n]|\([^()\n]*\))+)"
)
_CLASS: Final = later(
    r"(?m)(?:^@(?:dataclasses\.)?dataclass\b[^\n]*\n(?:@[^\n]*\n)*)?"
    r"^class (\w+)(?:\([^)]{0,400}\))?:[^\n]*\n((?:(?:[ \t][^\n]*)?\n)*)"
)
_FIELD: Final = later(r"(?m)^(?: {4}|\t)(\w+)[ \t]*:[^=\n]*=(?!=)(.*(?:\n(?: {5}|\t\t| {4}[)\]}])[^\n]*)*)")
DEEPEST: Final = 8
"""Blocks in each other that are looked into."""


class _Lines:
    """The lines of places in a text, which are asked for in their order."""

    def __init__(self, text: str, first: int = 1) -> None:
        self._text, self._line, self._counted = text, first, 0

    def line_of(self, place: int) -> int:
        self._line += self._text.count("\n", self._counted, place)
        self._counted = place
        return self._line


def settings(text: str, file: str) -> Iterator[Unit]:
    """Yield what a text sets; flags by the name of their `file` as well."""
    text = text.replace("\r\n", "\n") + "\n"
    yield from _flags(text, file)
    yield from _fields(text)
    plain = _LONG.sub(lambda long: long[0].replace("\n", _DEEP), text)
    for name, line, code in _statements(_REMARK.sub("", plain), 1):
        if not name.startswith("__") and name != "LOG" and NOT_RUN.fullmatch(name.rpartition(".")[2]) is None:
            yield Unit(name, line, digest(name, code), acts=not name.isidentifier())


def _statements(text: str, first: int, depth: int = 0) -> Iterator[tuple[str, int, str]]:
    """Yield what the statements of a text set: name, line, code."""
    lines = _Lines(text, first)
    for match in _STATEMENT.finditer(text):
        code, line = match[0].rstrip(), lines.line_of(match.start())
        if (block := _BLOCK.match(match[0])) and depth < DEEPEST:
            inner = dedent(match[0][block.end() :])
            yield from _statements(inner, line + block[0].count("\n"), depth + 1)
        elif imported := _IMPORT.match(code):
            yield from ((name, line, origin) for name, origin in _imported(imported[1] or "", imported[2]))
        elif placed := _PLACED.match(code):
            yield from _set(placed[1], line, placed[2])
        elif (called := _CALLED.match(code)) and not _IDLE.match(code):
            yield f"{called[1]}()", line, " ".join(code.split())


def _set(name: str, line: int, value: str) -> Iterator[tuple[str, int, str]]:
    if name.isidentifier() or not _IDLE.match(name):
        yield name, line, " ".join(value.split())


def _imported(origin: str, names: str) -> Iterator[tuple[str, str]]:
    """Yield what an import brings: `import a.b as c` is `from a import b as c`."""
    for part in names.replace("(", " ").replace(")", " ").replace("\\", " ").split(","):
        word, _, alias = part.strip().partition(" as ")
        whole = f"{origin}.{word.strip()}".lstrip() if origin else word.strip()
        name = alias.strip() or (word.strip() if origin else "")
        if name.isidentifier():
            yield name, whole


def _flags(text: str, file: str) -> Iterator[Unit]:
    lines = _Lines(text)
    for match in filter(_matters, _FLAG.finditer(text)):
        name = f"{file} --{match[1]}"
        yield Unit(name, lines.line_of(match.start()), digest(name, _given(match[2])))


def _matters(flag: re.Match[str]) -> bool:
    return _NO_STEP.fullmatch(flag[1]) is None


def _fields(text: str) -> Iterator[Unit]:
    """Yield the fields of dataclasses and of pydantic's, each with its default."""
    lines = _Lines(text)
    for match in _CLASS.finditer(text):
        if OF_FIELDS.search(match[0][: match.start(2) - match.start()]) is None:
            continue
        for field in filter(_matters, _FIELD.finditer(match[2])):
            name = f"{match[1]}.{field[1]}"
            value = field[2].strip()
            inner = re.match(r"(?:dataclasses\.)?(?:field|Field)\(", value)
            code = _given(value) if inner else value
            yield Unit(name, lines.line_of(match.start(2) + field.start()), digest(name, code))


def _given(code: str) -> str:
    """Return what a flag or a field is when it is not given."""
    return ";".join(sorted(match[0].replace(" ", "") for match in _DEFAULT.finditer(code)))
