# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`check --watch`: lint again whenever what was linted, or the settings, changed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from trainlint.cli.console import clear, complain, say
from trainlint.cli.settings_from_options import settings_from
from trainlint.documents.discover import InputFile
from trainlint.errors import TrainlintError
from trainlint.model.units import plural
from trainlint.session.toolbox import inputs_of

SECONDS: Final = 0.5
"""Between two looks: what an editor's reader takes for at once."""
SHARE: Final = 10
"""A look at a large tree takes time: at most one part in so many of it is spent looking."""

State = Mapping[str, tuple[int, int]]
"""Each file's time of change and size."""


def watch(paths: Sequence[str], options: Mapping[str, Any], lint: Callable[[], int]) -> int:
    """Lint until the user ends it; returns the last run's exit code."""
    code = 0
    while True:
        seen = state_of(paths, options)
        clear()
        try:
            code = lint()
        except TrainlintError as error:  # settings that are half written
            complain(str(error))
        say(f"\nwatching {plural(len(seen), 'file')}; Ctrl-C ends", err=True)
        try:
            wait(seen, lambda: state_of(paths, options))
        except KeyboardInterrupt:
            return code


def wait(seen: State, look: Callable[[], State]) -> None:
    """Return when a look shows something else."""
    pause = SECONDS
    while True:
        time.sleep(pause)
        begun = time.monotonic()
        if look() != seen:
            return
        pause = max(SECONDS, SHARE * (time.monotonic() - begun))


def state_of(paths: Sequence[str], options: Mapping[str, Any]) -> State:
    """Return the state of every file that a run would open, and of the settings above them."""
    return dict(_states({*_linted(paths, options), *_settings(paths)}))


def _linted(paths: Sequence[str], options: Mapping[str, Any]) -> Iterator[str]:
    try:
        found = inputs_of(paths, settings_from(paths, options), None)
    except TrainlintError:
        yield from paths
        return
    yield from (item.path for item in found if isinstance(item, InputFile))


def _settings(paths: Sequence[str]) -> Iterator[str]:
    start = Path(paths[0]).absolute()
    for folder in (start, *start.parents):
        yield from (str(folder / name) for name in ("trainlint.toml", "pyproject.toml"))


def _states(paths: set[str]) -> Iterator[tuple[str, tuple[int, int]]]:
    for path in paths:
        try:
            found = os.stat(path)  # noqa: PTH116  # the strings that messages show
        except OSError:
            continue
        yield path, (found.st_mtime_ns, found.st_size)
