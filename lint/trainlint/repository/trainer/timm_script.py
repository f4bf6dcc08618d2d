# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether the train.py around a command is one that timm published, and its model timm's.

A script that says the same in other words counts as its own; nothing of it is parsed or run. The digests of
timm's own are in timm_script.json (`python -m bench timm_scripts`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trainlint.errors import UnreadableError
from trainlint.expressions.patterns import later
from trainlint.files.text_source import regular_bytes, source_of

if TYPE_CHECKING:
    from trainlint.model.trainer import Trainer

TABLE: Final = Path(__file__).with_suffix(".json")
DIGEST_DIGITS: Final = 16
LARGEST: Final = 1 << 20
"""Bytes of a file that is read; timm's own have at most 150 KB."""
RUNS_IT: Final = "trainlint dry-run runs it"
_FUNCTION: Final = later(r"(?m)^def (main|train_one_epoch|train_epoch|validate)\b")
_NEXT: Final = later(r"(?m)^\S")
_ASIDE: Final = later(r"(?m)^[ \t]*(?:#.*)?\n|[ \t]*$")


def functions(text: str) -> Iterator[tuple[str, int, str]]:
    """Yield what a training script runs: the name of each function, its line and the digest of its code."""
    text = text.replace("\r\n", "\n") + "\n"
    for match in _FUNCTION.finditer(text):
        end = _NEXT.search(text, match.end())
        code = _ASIDE.sub("", text[match.start() : end.start() if end else len(text)])
        yield (
            match[1],
            text.count("\n", 0, match.start()) + 1,
            sha256(code.encode()).hexdigest()[:DIGEST_DIGITS],
        )


@cache
def published() -> Collection[str]:
    """Return the digests of all functions of timm's own scripts."""
    return frozenset(json.loads(TABLE.read_text(encoding="utf-8")))


def own_training(trainer: Trainer, model: object) -> str | None:
    """Return what of a training the repository around a command has of its own; None without one."""
    source = trainer.source
    if source is None or trainer.path is None:
        return None
    path = Path(trainer.path)
    run = list(functions(_text(path)))
    if not run:
        return f"{path.name} is not timm's: {RUNS_IT}"
    for name, line, digest in run:
        if digest not in published():
            return f"its own {name} ({path.name}:{line}) is not timm's: {RUNS_IT}"
    defined = re.compile(rf"(?m)^def {re.escape(str(model))}\(")
    if source.words is None or not any(map(defined.search, source.words.texts)):
        return None
    for file in sorted((source.folder / "timm" / "models").glob("*.py")):
        if defined.search(text := _text(file)):
            installed = _installed()
            same = installed is None or text == _text(installed / file.name)
            return None if same else f"its own timm/models/{file.name} is not the installed one: {RUNS_IT}"
    return f'the model "{model}" is the repository\'s own: {RUNS_IT}'


def _text(path: Path) -> str:
    try:
        return source_of(regular_bytes(str(path), LARGEST), str(path)).text
    except (UnreadableError, OSError):
        return ""


def _installed() -> Path | None:
    """Return the folder of the installed timm's models; None where there is none to trace."""
    package = find_spec("timm")
    places = package.submodule_search_locations if package is not None else None
    return Path(next(iter(places))) / "models" if places else None
