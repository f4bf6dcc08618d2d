# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`check --watch`: lint again whenever what was linted, or the settings, changed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from trainlint.cli.console import clear, complain, say
from trainlint.cli.options.settings_from_options import settings_from
from trainlint.cli.options.shared_options import SharedOptions
from trainlint.dialects.forgetting import forget
from trainlint.documents.discover import InputFile
from trainlint.documents.file_format import MAKEFILES
from trainlint.errors import TrainlintError
from trainlint.files.enclosing_folders import folders_above
from trainlint.model.units import plural
from trainlint.pipeline.checkout_commands import SUFFIXES
from trainlint.session.toolbox import inputs_of
from trainlint.settings.settings import Settings
from trainlint.settings.settings_keys import user_settings_file

LOOK_INTERVAL_S: Final = 0.5
"""Between two looks: what an editor's reader takes for at once."""
PAUSE_PER_LOOK: Final = 10
"""A look at a large tree takes time: at most one part in so many of it is spent looking."""

MOST_FILES: Final = 20_000
"""Of a repository, looked at for changes."""
PROJECT: Final = ".trainlint"
"""The folder of a project's profiles."""
ENDINGS: Final = (*SUFFIXES, ".py", ".cfg", ".yaml", ".yml", ".toml", ".json", ".lock", ".tape")
"""Endings of files that a verdict may depend on: sources, requirements, rules, scripts, profiles."""

State = Mapping[str, tuple[int, int]]
"""Each file's time of change and size."""


def watch(paths: Sequence[str], options: SharedOptions, lint: Callable[[], int]) -> int:
    """Lint until the user ends it; returns the last run's exit code."""
    code = 0
    while True:
        seen = state_of(paths, options)
        clear()
        forget()
        try:
            code = lint()
        except TrainlintError as error:  # settings that are half written
            complain(str(error))
        say(f"\nwatching {plural(len([*_linted(paths, options)]), 'file')}; Ctrl-C ends", err=True)
        try:
            wait(seen, lambda: state_of(paths, options))
        except KeyboardInterrupt:
            return code


def wait(seen: State, look: Callable[[], State]) -> None:
    """Return when a look shows something else."""
    pause = LOOK_INTERVAL_S
    while True:
        time.sleep(pause)
        begun = time.monotonic()
        if look() != seen:
            return
        pause = max(LOOK_INTERVAL_S, PAUSE_PER_LOOK * (time.monotonic() - begun))


def state_of(paths: Sequence[str], options: SharedOptions) -> State:
    """Return the state of every file that a run would open, and of the settings above them."""
    return dict(_states({*_linted(paths, options), *_settings(paths), *_around(paths, options)}))


def _linted(paths: Sequence[str], options: SharedOptions) -> Iterator[str]:
    try:
        inputs = inputs_of(paths, settings_from(paths, options), None)
    except TrainlintError:
        yield from paths
        return
    yield from (item.path for item in inputs if isinstance(item, InputFile))


def _settings(paths: Sequence[str]) -> Iterator[str]:
    start = Path(paths[0]).absolute()
    for folder in (start, *start.parents):
        yield from (str(folder / name) for name in ("trainlint.toml", "pyproject.toml"))


def _around(paths: Sequence[str], options: SharedOptions) -> Iterator[str]:
    """Yield what else decides a verdict: the repository around the files, and what the settings name."""
    tops = {str([*folders_above(path)][-1]) for path in paths if os.path.exists(path)}  # noqa: PTH110
    try:
        settings = settings_from(paths, options)
    except TrainlintError:
        settings = Settings()
    named = (*settings.rules, *settings.schemas, *settings.gpus, *settings.networks)
    others = (settings.profiles, settings.repo, settings.baseline, user_settings_file())
    for top in dict.fromkeys(
        (*tops, *map(str, named), *(str(other) for other in others if other is not None))
    ):
        yield from _below(top)


def _below(top: str) -> Iterator[str]:
    """Yield a file, or those below a folder that a verdict may depend on, through no link."""
    if not os.path.isdir(top):  # noqa: PTH112 - no error where it may not look
        yield top
        return
    left = MOST_FILES
    for place, folders, files in os.walk(top):
        folders[:] = sorted(name for name in folders if name == PROJECT or not name.startswith("."))
        for name in sorted(files):
            if name.lower().endswith(ENDINGS) or name in MAKEFILES:
                yield os.path.join(place, name)  # noqa: PTH118 - os.walk's paths
                left -= 1
                if not left:
                    return


def _states(paths: set[str]) -> Iterator[tuple[str, tuple[int, int]]]:
    for path in paths:
        try:
            state = os.stat(path)  # noqa: PTH116  # the strings that messages show
        except OSError:
            continue
        yield path, (state.st_mtime_ns, state.st_size)
