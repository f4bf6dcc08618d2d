# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether what a repository's copy of a trainer runs is in some published version of it.

A dialect says in `x-trainlint.trainer.runs` which files a job runs, as patterns from the root: `{script}` is
the script of a command, `{stage:sft}` a key of the config with what it is where it is absent. The digests are
in published_code.json (`python -m bench published_code`).
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

from trainlint.errors import UnreadableError
from trainlint.expressions.patterns import later
from trainlint.files.enclosing_folders import inside
from trainlint.files.text_source import regular_bytes
from trainlint.repository.code.code_settings import settings
from trainlint.repository.code.code_units import DIGEST_BYTES, named, units

TABLE: Final = Path(__file__).with_suffix(".json")
LARGEST: Final = 1 << 20
"""Bytes of a file that is read; the largest of these trainers has 350 KB."""
MOST_FILES: Final = 400
SCRIPT: Final = "{script}"
DEFAULT: Final = later(r"\.| --")
"""What the name of a field or a flag comes after."""
FIELD: Final = later(r"\{(\w+)(?::([\w.]*))?\}")
_IMPORTS: Final = later(
    r"(?m)^[ \t]*(?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+(?:\([^)]{0,8000}\)|[^\n(]*)|^[ \t]*from[ \t]+[\w.]+"
)
"""Imports, with up to 8,000 characters in parentheses: those that are never closed would take minutes."""


@cache
def published(dialect: str) -> frozenset[bytes]:
    """Return the digests of what any version of a dialect's trainer runs, and of the names of that."""
    return digests_of(json.loads(TABLE.read_text(encoding="utf-8")).get(dialect, ""))


def digests_of(packed: str) -> frozenset[bytes]:
    """Return the digests that the table has as one text."""
    whole = b64decode(packed)
    return frozenset(whole[start : start + DIGEST_BYTES] for start in range(0, len(whole), DIGEST_BYTES))


def own_code(
    trainer: tuple[str, str],
    root: Path,
    runs: Sequence[str],
    *,
    config: Mapping[str, Any],
    script: str | None,
) -> str | None:
    """Say what of a job's code no published version has; None where all that is there is published.

    `trainer` is its dialect's id and its title.
    """
    patterns = tuple(_filled(pattern, config, script) for pattern in runs)
    differing = _differing(trainer, root, tuple(pattern for pattern in patterns if pattern), script)
    keys = {str(key).replace("-", "_") for key in config}
    own = (why for name, why in differing if DEFAULT.split(name)[-1].replace("-", "_") not in keys)
    return next(own, None)


@lru_cache(maxsize=64)
def _differing(
    trainer: tuple[str, str], root: Path, patterns: tuple[str, ...], script: str | None
) -> tuple[tuple[str, str], ...]:
    """Return what no version has: the name of each, and what is said of it."""
    dialect, title = trainer
    known, reached, strange = published(dialect), _started(root, script), []
    for path in _files(root, patterns):
        if script is None or path in patterns or _is_imported(path, reached.values()):
            reached[path] = reached.get(path) or _text(root / path)
            own = _own(path, reached[path], known, whole=path in patterns)
            strange += [(name, f"{why} is in no version of {title}") for name, why in own]
    return tuple(strange)


def _started(root: Path, script: str | None) -> dict[str, str]:
    return {} if script is None else {script: _text(root / script)}


def _own(path: str, text: str, known: frozenset[bytes], *, whole: bool) -> Iterator[tuple[str, str]]:
    """Yield the units of a file that no version has, though one has their names, or their classes'.

    `whole`: a file of which nothing was published is one of its own, and no addition.
    """
    own_units = [*units(text)]
    for name, line, digest, _ in own_units:
        if digest not in known and (named(name) in known or named(name.partition(".")[0]) in known):
            yield name, f"its own {name} ({path}:{line})"
    if whole and not any(digest in known for _, _, digest, _ in own_units):
        yield "", f"its own {path}"
    for name, line, digest, acts in settings(text, Path(path).stem):
        if digest not in known and (acts or named(name) in known):
            yield name, f"its own {name} ({path}:{line})"


def _files(root: Path, patterns: Sequence[str]) -> Iterator[str]:
    for pattern in patterns:
        files = sorted(root.glob(pattern))[:MOST_FILES] if "*" in pattern else [root / pattern]
        for path in files:
            place = path.relative_to(root).as_posix()
            if inside(root, place) is not None:
                yield place


def _filled(pattern: str, config: Mapping[str, Any], script: str | None) -> str | None:
    """Return a pattern with a config's words in it; None where these are no path."""
    if SCRIPT in pattern:
        return pattern.replace(SCRIPT, script) if script is not None else None
    words = {match[1]: config.get(match[1]) or match[2] or "*" for match in FIELD.finditer(pattern)}
    if not all(isinstance(word, str) and re.fullmatch(r"[\w.*-]+", word) for word in words.values()):
        return None
    return FIELD.sub(lambda match: str(words[match[1]]).replace(".", "/"), pattern)


def _is_imported(path: str, texts: Iterable[str]) -> bool:
    """Return whether one of some texts imports a file by its name."""
    name = re.compile(rf"\b{re.escape(Path(path).stem)}\b")
    return any(name.search(statement[0]) for text in texts for statement in _IMPORTS.finditer(text))


def _text(path: Path) -> str:
    try:
        return regular_bytes(str(path), LARGEST).decode("utf-8", "replace")
    except (OSError, UnreadableError):
        return ""


def forget() -> None:
    """Forget what was compared."""
    _differing.cache_clear()
