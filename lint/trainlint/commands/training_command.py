# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A training command line as a document that a JSON Schema can describe, flag by flag.

    CUDA_VISIBLE_DEVICES=0,1 torchrun --nproc-per-node 2 train.py --batch-size 16 --amp --gpus 0 1 extra

gives `format` "command" and this `value` (all texts, as argparse gets them; `True` for a flag without a
value; names as argparse's dest: dashes off the front, the others turned into underscores):

    {"batch_size": "16", "amp": True, "gpus": ["0", "1", "extra"],
     "@script": "train.py", "@launcher": {"name": "torchrun", "nproc_per_node": "2"},
     "@env": {"CUDA_VISIBLE_DEVICES": "0,1"}}

- A flag takes every word up to the next flag. Which of them belong to it only the script's parser knows:
  `as_parsed(document, switches={"amp"}, ...)` reads the words again with that knowledge; words that no flag
  takes are listed under "@args", in order (so is `extra` above, once "gpus" is known to take two).
- The same flag twice: the last one counts, `document.duplicates` holds both spans, as for YAML's keys.
- "@script" is the path as written ("pkg/mod.py" for `-m pkg.mod`); absent in a file of bare arguments.
  "@launcher" is absent for plain `python`. Names with "@" are never flags: a closed schema allows "^@".
- Places: a flag's key is where the flag is, its value where its words are (for True: the flag itself);
  a word from a variable is where the variable is used. The root spans the command.
- `meta`: "script", "launcher" (the name, or None), "env", "program" (what comes before the script), "module"
  (run by -m), "unresolved" (paths whose text is known when the script runs, such as "$1": not to be judged),
  "partial" ("..." or "$@" represents more arguments: an absent flag need not be absent).
- `meta["flags"]` are the flags as the program gets them, by name ("" where only the shell knows one).
- `meta["called"]` is the script that the command is in, where that is another one that is called here.
- `meta["edits"]` are the files that commands before it write.
- `meta["folder"]` is where the `cd` before it lead, from where its file is started (None: not known).
- `meta["asks_torch"]`: it is in an `if` about torch's version.
- `document.broken` is set for half a command (a quote never closed, a spoiled line continuation): what could
  be read is there, but the result is unreadable.

Commands are kept where they train: the script's name says so (`train.py`, `main_train_psnr.py`), or a flag
of a `main.py` does. `--help` runs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from trainlint.commands.argument_table import ArgumentTable
from trainlint.commands.flags import Argument, arguments_of
from trainlint.commands.is_training import trains
from trainlint.commands.launch import Launch, launch_of
from trainlint.commands.shell.shell import Command
from trainlint.commands.shell.shell_raw import Word
from trainlint.commands.shell.wrapped_lines import LEFT_OUT
from trainlint.config.extracted_text import Excerpt
from trainlint.config.place_map import Places
from trainlint.errors import UnreadableError
from trainlint.expressions.patterns import later
from trainlint.model.document import ELLIPSIS_WORD, SCRIPT_ARGUMENTS, Document

_BRANCH = later(r"(?m)^[ \t]*(?:if\b[^\n]*|fi)[ \t]*$")
_VARIABLE = later(r"\$\{?(\w+)")
_TORCH_VERSION = later(r"(?i)torch[^\n]{0,20}ver|ver[^\n]{0,20}torch")
_LAST = later(r"(?:\.{3}|…)\]$")
"""The last word of `[other arguments...]`."""
_ELLIPSIS = later(
    LEFT_OUT + r"|\[\.{3}\]|[\[<](?:[\w-]+[ _-])?(?:options|arguments|args|flags|parameters)[\]>]",
    re.IGNORECASE,
)


def command_document(excerpt: Excerpt, command: Command, **changes: Any) -> Document | None:
    """Return a training command as a document; None for a command that trains nothing.

    `changes` are fields of the document (index, cell).
    """
    launch = launch_of(command.words)
    if launch is None:
        return None
    arguments = arguments_of(launch.arguments)
    if not trains(launch, arguments):
        return None
    return _document(excerpt, command, launch, arguments, **changes)


def bare_arguments(excerpt: Excerpt, command: Command, **changes: Any) -> Document:
    """Return a file of arguments alone (`--batch_size 4 ...`) as a document without a script."""
    launch = Launch(None, None, command.words)
    return launched_document(excerpt, command, launch, **changes)


def launched_document(excerpt: Excerpt, command: Command, launch: Launch, **changes: Any) -> Document:
    """Return a command as a document, whatever it runs, where somebody knows what that is."""
    return _document(excerpt, command, launch, arguments_of(launch.arguments), **changes)


def as_parsed(
    document: Document,
    switches: Collection[str] = (),
    takes: Mapping[str, int] | None = None,
    names: Collection[str] = (),
    aliases: Mapping[str, str] | None = None,
) -> Document:
    """Read a command's arguments again as the script's own parser would.

    `switches` are flags that take no value, `takes` says how many words a flag takes (1 for an ordinary one;
    flags that are in neither keep all), `names` are all its flags, so that a unique beginning of one is
    read as it (argparse's allow_abbrev), `aliases` are other spellings, {"b": "batch_size"}. Words too many
    are positional: "@args".
    """
    parsed = document.meta["parsed"]
    counts = {**dict.fromkeys(switches, 0), **(takes or {})}
    arguments = []
    for argument in parsed.arguments:
        name = argument.name and _full_name(argument.name, names, aliases or {})
        count = counts.get(name, len(argument.words)) if name else len(argument.words)
        arguments.append(replace(argument, name=name, words=argument.words[:count]))
        arguments.extend(Argument(None, word.start, word.end, (word,)) for word in argument.words[count:])
    return _document(
        parsed.excerpt,
        parsed.command,
        parsed.launch,
        tuple(arguments),
        index=document.index,
        cell=document.cell,
        installs=document.installs,
    )


def environment_of(document: Document) -> dict[str, str]:
    """Return the variables that a command's program gets and its words do not have already."""
    parsed = document.meta["parsed"]
    used = set(_VARIABLE.findall(parsed.excerpt.text[parsed.command.start : parsed.command.end]))
    return {name: value for name, value in parsed.command.env.items() if name not in used}


class Parsed(Struct, frozen=True):
    """What a command's document was made of, kept for `as_parsed`."""

    excerpt: Excerpt
    command: Command
    launch: Launch
    arguments: tuple[Argument, ...]


def _full_name(name: str, names: Collection[str], aliases: Mapping[str, str]) -> str:
    if name in names or name in aliases:
        return aliases.get(name, name)
    begun = [known for known in names if known.startswith(name)]
    return begun[0] if len(begun) == 1 else name


def _shown(words: Sequence[Word]) -> Iterator[Word]:
    """Yield the words of an argument that are none of a placeholder: `...`, `[other arguments...]`."""
    ends = [place for place, word in enumerate(words) if _LAST.search(word.text)]
    opened = False
    for place, word in enumerate(words):
        opened = opened or (word.text.startswith("[") and any(end >= place for end in ends))
        if not opened and not _ELLIPSIS.fullmatch(word.text):
            yield word
        opened = opened and place not in ends


def _document(
    excerpt: Excerpt, command: Command, launch: Launch, arguments: tuple[Argument, ...], **changes: Any
) -> Document:
    table = ArgumentTable(excerpt)
    table.put((), excerpt.span(command.start, command.end))
    loose: list[Word] = []
    partial = command.partial
    for argument in arguments:
        words = tuple(_shown(argument.words))
        partial = ELLIPSIS_WORD if len(words) < len(argument.words) else partial
        if argument.name is None:
            loose.extend(words)
        else:
            table.flag(argument.name, replace(argument, words=words))
            if argument.words and not words:  # `--project ...`: any value, unless it takes none
                table.unresolved.append((argument.name,))
    if loose:
        table.value["@args"] = table.words(("@args",), loose, None)
    _lay_launch(table, command, launch)
    start = launch.script_word.start if launch.script_word else command.end
    return Document(
        excerpt.source,
        table.value,
        Places(table.offsets),
        "command",
        duplicates=tuple(table.duplicates),
        broken=_error(excerpt, command),
        notes=("the command is abridged: more arguments are only known when it runs",)
        if partial == SCRIPT_ARGUMENTS
        else (),
        meta={
            "script": launch.script,
            "launcher": launch.name,
            "env": dict(command.env),
            "program": tuple(word.text for word in command.words if word.start < start),
            "module": launch.module,
            "unresolved": tuple(table.unresolved),
            "partial": partial,
            "parsed": Parsed(excerpt, command, launch, arguments),
            "flags": {argument.name: argument.flag for argument in arguments if argument.name},
            "called": excerpt.called,
            "folder": command.folder,
            "edits": command.edits,
            "asks_torch": _asks_torch(excerpt.text[: command.start]),
        },
        **changes,
    )


def _asks_torch(before: str) -> bool:
    """Return whether what comes after a text is in an `if` about torch's version."""
    around: list[str] = []
    for match in _BRANCH.finditer(before):
        if match[0].strip() != "fi":
            around.append(match[0])
        elif around:
            around.pop()
    return any(map(_TORCH_VERSION.search, around))


def _error(excerpt: Excerpt, command: Command) -> UnreadableError | None:
    if command.broken is None:
        return None
    offset = excerpt.offsets[command.broken.offset]
    return UnreadableError(f"half a command: {command.broken.message}", *excerpt.source.position(offset))


def _lay_launch(table: ArgumentTable, command: Command, launch: Launch) -> None:
    """Add what comes before the script: its own path, its launcher and its environment."""
    here = table.excerpt.span(command.start, command.end)
    if launch.script is not None and launch.script_word is not None:
        table.value["@script"] = launch.script
        table.put(("@script",), table.excerpt.span(launch.script_word.start, launch.script_word.end))
    if launch.name is not None and launch.name_word is not None:
        span = table.excerpt.span(launch.name_word.start, launch.name_word.end)
        table.value["@launcher"] = {"name": launch.name}
        table.put(("@launcher",), span)
        table.put(("@launcher", "name"), span)
        for argument in launch.options:
            name = str(argument.name)
            key = table.excerpt.span(argument.start, argument.end)
            words = argument.words
            table.value["@launcher"][name] = words[0].text if words else True
            table.put(
                ("@launcher", name), table.excerpt.span(words[0].start, words[0].end) if words else key, key
            )
    if command.env:
        table.value["@env"] = dict(command.env)
        table.put(("@env",), here)
        for name in command.env:
            table.put(("@env", name), here)
