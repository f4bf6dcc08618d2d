# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Markdown: training commands in its code blocks, and configs printed there.

Code blocks are fences (at any indentation, in block quotes too), indented blocks, and quoted lines, in which
older READMEs write their commands; of code in prose, commands that name an option file. A block's language
says what it can hold: shell (or nothing) commands; python `!python ...` lines, or commands where it begins
with one; YAML, JSON or TOML a fragment of a config (`meta["fragment"]`), which is kept where it parses to a
mapping and dropped in silence where it does not: a page may print anything. What stands in an HTML comment
is not shown, and not read.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field

from trainlint.commands.scripts import commands_of, flavour_of, moves, numbered
from trainlint.commands.shell.shell import Shell
from trainlint.commands.shell.shell_flavours import BATCH, PAGE_SHELL, POWERSHELL, Flavour
from trainlint.config.extracted_text import Excerpt
from trainlint.config.jsonc import parse_json
from trainlint.config.listed_keys import lists_keys
from trainlint.config.toml import parse_toml
from trainlint.config.yaml import parse_yaml
from trainlint.documents.ipython import Cells
from trainlint.errors import TooLargeError, UnreadableError
from trainlint.expressions.patterns import later
from trainlint.files.read_limits import MOST_PAGE_LINES, Budget, block_budget, word_budget
from trainlint.model.document import Document, Source

_FENCE = later(r"[ \t]*+(?:[-*+][ \t]++|\d++[.)][ \t]++)?(`{3,}+|~{3,}+)[ \t]*+\{?\.?([\w+-]*+)[^`\n]*+$")
_ROW = later(r"[^\n]*\n|[^\n]+")
_QUOTE = later(r"[ \t]{0,3}>[ \t]?")
_PROSE = later(r"\]\(|[\w,:][ \t]+\(")
"""A link, or a word and a parenthesis: no line of a shell's has them."""
_INLINE = later(r"(?<!`)`([^`\n]{0,500}\.py[ \t][^`\n]{0,500})`(?!`)")
_OPTION = later(r"[ \t]--?opt[ \t=]")
"""What a command in the middle of prose is read for: it names an option file."""
_INDENT = later(r"(?: {4}|\t)")
_COMMENT = later(r" {0,3}<!--")
"""What begins a block that no page shows, up to the line that ends the comment."""
_PROMPT = later(
    r"[ \t]*+(?:\([\w.-]++\)[ \t]*+)?"
    r"(?:(?:[\w.-]++@[\w.-]++:?[^\s$#%]*)?(?:[$%>][ \t]+|![ \t]*)|(?:PS )?[A-Za-z]:\\[^>\n]*>[ \t]*)"
)
_SHELLS: dict[str, Flavour | None] = {
    **dict.fromkeys(("", "text", "txt", "plain", "plaintext", "none"), None),
    **dict.fromkeys(
        ("bash", "sh", "shell", "zsh", "console", "terminal", "shell-session", "fish"), PAGE_SHELL
    ),
    **dict.fromkeys(("cmd", "bat", "batch", "dos", "winbatch"), BATCH),
    **dict.fromkeys(("powershell", "ps1", "pwsh", "ps"), POWERSHELL),
}
_PARSERS = {
    "yaml": parse_yaml,
    "yml": parse_yaml,
    "json": parse_json,
    "jsonc": parse_json,
    "json5": parse_json,
    "toml": parse_toml,
}
_COMMAND = later(
    r"[ \t]*+(?:[A-Z_]++=\S*+[ \t]++)*+"
    r"(?:python[\d.]*+[ \t]++(?:-\w|\S*\.py\b)|torchrun[ \t]|accelerate[ \t]++launch\b)"
)
"""A line of a shell's, which no Python has."""
_BEFORE_COMMANDS = later(
    r"[ \t]*+(?:$|#|(?:cd|pip3?|conda|git|export|source|mkdir|unzip|wget|bash|sh)[ \t]++[\w./~-])"
)
"""A line that may stand before them."""
_CODE = later(r"[ \t]*+(?:import|from|def|class|!|%)")
_PYTHON = frozenset(("python", "py", "python3", "ipython", "ipython3", "jupyter", "notebook"))


class CodeBlock(Struct):
    """Lines of one code block, their indentation and quote marks cut off."""

    language: str
    lines: list[Excerpt] = field(default_factory=list)

    def written(self) -> tuple[str, str]:
        """Return the language, and its text as the page has it."""
        if not self.lines:
            return self.language, ""
        first, last = self.lines[0], self.lines[-1]
        return self.language, first.source.text[first.offsets[0] : last.offsets[-1]]


def parse_markdown(source: Source, *, naming: str = "") -> tuple[Document, ...]:
    """Read a page's commands and config fragments in the order in which they are written.

    With `naming` the commands alone of blocks that have this text, the name of a file.
    """
    reader = PageReader(source, naming)
    return numbered(document for block in code_blocks(source) for document in reader.documents(block))


class PageReader:
    """Reads a page's blocks one after the other: what one changes into, the next is read from."""

    def __init__(self, source: Source, naming: str = "") -> None:
        self._source = source
        self._naming = naming
        self.words: Budget = word_budget()
        self.configs: Budget = block_budget()
        self.folder = ""

    def documents(self, block: CodeBlock) -> Iterator[Document]:
        """Yield what a block holds."""
        named = not self._naming or any(self._naming in line.text for line in block.lines)
        if block.language in _PARSERS:
            if self._naming:  # no command is there
                return
            self.configs.spend(1)
            printed = fragments(Excerpt.join(block.lines, self._source), block.language)
            yield from (document for document in printed if not lists_keys(document))
        elif block.language in _PYTHON and not _is_shell(block):
            if named:
                yield from Cells(budget=self.words).documents(Excerpt.join(block.lines, self._source))
        elif block.language in _SHELLS or block.language in _PYTHON:
            excerpt = Excerpt.join(_without_prompts(block.lines), self._source)
            if not named and not moves(excerpt.text):
                return
            flavour = _SHELLS.get(block.language) or flavour_of(excerpt.text)
            shell = Shell(flavour, self.words, folder=self.folder)
            yield from commands_of(excerpt, shell)
            self.folder = shell.folder.here or ""


def _is_shell(block: CodeBlock) -> bool:
    """Return whether what a page calls Python is what a shell runs: KAIR's pages write their commands so."""
    first = next((line.text for line in block.lines if not _BEFORE_COMMANDS.match(line.text.rstrip())), "")
    return _COMMAND.match(first) is not None and not any(_CODE.match(line.text) for line in block.lines)


def fragments(excerpt: Excerpt, language: str) -> Iterator[Document]:
    """Yield the mappings of a YAML, JSON or TOML text inside another file; none where it does not parse."""
    try:
        documents = _PARSERS[language](Source(excerpt.source.path, excerpt.text))
    except UnreadableError:
        return
    for document in documents:
        if isinstance(document.value, dict):
            yield excerpt.relocate(document, meta={**document.meta, "fragment": True})


def _without_prompts(lines: list[Excerpt]) -> Iterator[Excerpt]:
    """Cut the prompts of shells and notebooks off the lines' front.

    A ">" with which a command goes on that had no prompt is none: it writes a file.
    """
    prompted = goes_on = False
    for line in lines:
        match = _PROMPT.match(line.text)
        if match and goes_on and not prompted and match.group().strip() == ">":
            match = None
        prompted = prompted if goes_on else match is not None
        goes_on = line.text.rstrip().endswith("\\")
        yield line.part(match.end(), len(line.text)) if match else line


def code_blocks(source: Source) -> Iterator[CodeBlock]:
    """Yield the code blocks of a page: fenced, indented, or quoted lines outside of fences."""
    fence, in_quote = "", False
    block = CodeBlock("")
    blank, hidden = True, False
    for quoted, text, start in _lines(source):
        if hidden or (not fence and _COMMENT.match(text)):
            hidden = "-->" not in text
            if block.lines:
                yield block
                block = CodeBlock("")
            continue
        match = _FENCE.match(text.rstrip("\r\n")) if "```" in text or "~~~" in text else None
        if fence:
            if match and match.group(1).startswith(fence) and not match.group(2):
                fence = ""
                yield block
                block = CodeBlock("")
            else:
                begin = start if in_quote else start - quoted
                block.lines.append(Excerpt.of(source, begin, start + len(text)))
            continue
        indented = _INDENT.match(text) if blank or block.lines else None
        if match or not (indented or (quoted and not _PROSE.search(text))):
            if block.lines:
                yield block
            yield from _inline(source, text, start)
            block = CodeBlock(match.group(2).lower() if match else "")
            fence, in_quote = match.group(1) if match else "", bool(quoted)
        else:
            block.lines.append(Excerpt.of(source, start, start + len(text)))
        blank = not text.strip()
    if block.lines:
        yield block


def _inline(source: Source, text: str, start: int) -> Iterator[CodeBlock]:
    """Yield the commands in a line of prose that name an option file."""
    for match in _INLINE.finditer(text) if "-opt" in text else ():
        if _OPTION.search(match[1]):
            yield CodeBlock("sh", [Excerpt.of(source, start + match.start(1), start + match.end(1))])


def _lines(source: Source) -> Iterator[tuple[int, str, int]]:
    """Yield each line, a quote mark cut off: how long that was, the text, and where it starts."""
    if source.text.count("\n") > MOST_PAGE_LINES:
        raise TooLargeError(f"holds more than {MOST_PAGE_LINES:,} lines, which no page does")
    for row in _ROW.finditer(source.text):
        text = row.group()
        match = _QUOTE.match(text) if ">" in text else None
        cut = match.end() if match else 0
        yield cut, text[cut:], row.start() + cut
