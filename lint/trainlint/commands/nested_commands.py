# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a command is given as words to run: `bash -c "..."`, `sbatch <<EOF`, `xargs`, `parallel`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from trainlint.commands.launch import SHELLS, WRAPPERS, base_name, script_call
from trainlint.commands.shell.shell import Command
from trainlint.commands.shell.shell_raw import Word
from trainlint.expressions.patterns import later
from trainlint.model.document import SCRIPT_ARGUMENTS

_RUNS_TEXT: Final = later(r"-[a-z]*c")
_STARTS: Final = WRAPPERS | SHELLS | frozenset(("ssh", "screen"))
_QUEUES: Final = frozenset(("sbatch", "srun", "qsub", "bsub"))
"""Programs that hand a script to a cluster; it may be on their standard input."""
_GIVEN_C: Final = frozenset(("su", "runuser", "script", "flock"))
"""Programs whose -c is a text for a shell."""
_TAKES: Final = {
    "xargs": frozenset(("-n", "-P", "-L", "-a", "-d", "-s", "-E", "--max-args", "--max-procs", "--arg-file")),
    "parallel": frozenset(("-j", "--jobs", "-n", "-N", "-a", "--arg-file", "--joblog", "--delay", "-S")),
}
"""Options of these programs that take the next word."""
_REPLACED: Final = frozenset(("-I", "-i", "--replace"))
_SOURCES: Final = frozenset((":::", ":::+", "::::", "::::+"))
MOST_ARGUMENTS: Final = 64
"""Arguments of `parallel` that are read as a command each."""


class GivenText(Struct, frozen=True):
    """A text that a shell is given to run, and the word that it is in; `arguments` are its `$1` and on."""

    text: str
    word: Word
    arguments: tuple[Word, ...] | None = ()


def given_texts(command: Command, text: str) -> Iterator[GivenText]:
    """Yield the texts that a command has a shell run; `text` is what the command is in."""
    words = command.words
    program = base_name(words[0].text).lower() if words else ""
    if program == "eval" and len(words) > 1:
        given = " ".join(word.text for word in words[1:])
        whole = Word(given, words[1].start, words[-1].end, all(word.resolved for word in words))
        yield GivenText(given, whole, None)
    elif program in _QUEUES:
        yield from _of_option(words, "--wrap")
    elif program in _GIVEN_C:
        yield from _of_option(words, "--command", "-c")
    elif program == "tmux":
        yield from (GivenText(word.text, word) for word in words[1:] if " " in word.text)
    elif len(words) == 1 and " " in words[0].text:  # what parallel is given in quotes
        yield GivenText(words[0].text, words[0])
    if program in _STARTS:
        yield from _of_shells(words)
    if command.document is not None and _reads_script(program, words):
        start, end = command.document
        given = text[start:end].replace("\\$", "$")  # which the outer shell leaves to this one
        yield GivenText(given, Word(given, start, end))


def _of_option(words: Sequence[Word], *names: str) -> Iterator[GivenText]:
    for index, word in enumerate(words):
        if word.text.startswith(f"{names[0]}="):
            yield GivenText(word.text.partition("=")[2], word)
        elif word.text in names and words[index + 1 :]:
            yield GivenText(words[index + 1].text, words[index + 1])


def _reads_script(program: str, words: Sequence[Word]) -> bool:
    """Say whether a command runs what is on its standard input: it is a shell or a queue without a script."""
    last = [word for word in words if not word.text.startswith("-")][-1:]
    shell = program in _STARTS and any(base_name(word.text) in SHELLS for word in last)
    return (shell or program in _QUEUES) and script_call(words) is None


def _of_shells(words: Sequence[Word]) -> Iterator[GivenText]:
    for index, word in enumerate(words):
        if base_name(word.text) not in SHELLS:
            continue
        place = index + 1
        while place < len(words) and words[place].text.startswith("-"):
            if _RUNS_TEXT.fullmatch(words[place].text) and place + 1 < len(words):
                yield GivenText(words[place + 1].text, words[place + 1], tuple(words[place + 3 :]))
                return
            place += 1


def given_commands(command: Command) -> Iterator[Command]:
    """Yield the commands that xargs or GNU parallel starts, with as many of their words as are known."""
    program = base_name(command.words[0].text) if command.words else ""
    if program not in _TAKES:
        return
    words, mark = _template(command)
    values = _listed(command.words) if program == "parallel" else None
    for value in (None,) if values is None else values:
        filled = tuple(_filled(word, mark, value) for word in words)
        if filled != words or value is None:
            yield replace(command, words=filled, partial=SCRIPT_ARGUMENTS * (filled == words))
        elif len(words) == 1:
            yield replace(command, words=(replace(words[0], text=f"{words[0].text} {value.text}"),))
        else:
            yield replace(command, words=(*words, value))


def _template(command: Command) -> tuple[tuple[Word, ...], str]:
    """Return the words that are run, and what of them is replaced; "": nothing, more words are appended."""
    words = command.words
    takes, mark, index = _TAKES[base_name(words[0].text)], "", 1
    if base_name(words[0].text) == "parallel":
        mark = "{}"
    while index < len(words) and words[index].text.startswith("-"):
        option = words[index].text
        if option in _REPLACED and index + 1 < len(words):
            mark, index = words[index + 1].text, index + 2
        elif option[:2] == "-I" and len(option) > len("-I"):
            mark, index = option[2:], index + 1
        else:
            index += 2 if option in takes else 1
    end = next((place for place in range(index, len(words)) if words[place].text in _SOURCES), len(words))
    return tuple(words[index:end]), mark


def _listed(words: Sequence[Word]) -> Sequence[Word] | None:
    """Return what `:::` lists; None where it is not known, or several lists are combined."""
    marks = [index for index, word in enumerate(words) if word.text in _SOURCES]
    if len(marks) != 1 or words[marks[0]].text != ":::":
        return None
    values = words[marks[0] + 1 :]
    return values if len(values) <= MOST_ARGUMENTS and all(value.resolved for value in values) else None


def _filled(word: Word, mark: str, value: Word | None) -> Word:
    """Return a word with an argument in it; one that is not known is as a variable that is not set."""
    if not mark or mark not in word.text:
        return word
    text = word.text.replace(mark, "$ARGUMENT" if value is None else value.text)
    return replace(word, text=text, resolved=word.resolved and value is not None)
