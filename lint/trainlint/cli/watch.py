# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`check --watch`: lint again whenever what was linted, or the settings, changed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Final

from msgspec import Struct

from trainlint.cli.console import clear, complain, say
from trainlint.cli.error_ending import EXIT_INTERRUPT
from trainlint.dialects.forgetting import forget
from trainlint.documents.discover import InputFile
from trainlint.errors import TrainlintError
from trainlint.files.enclosing_folders import folders_above
from trainlint.model.units import plural
from trainlint.pipeline.deciding_files import may_decide
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

State = Mapping[str, tuple[int, int]]
"""Each file's time of change and size."""


class Looked(Struct, frozen=True):
    """What is looked at: the paths that are linted, and what their settings and the options name."""

    paths: Sequence[str]
    settings: Callable[[], Settings]
    """The settings as they are now. Raises TrainlintError."""
    named: Sequence[str | Path | None] = ()
    """Files that options name and settings do not keep: a log, a revision's."""
    data: Path | None = None
    """The folder of images and weights."""

    def state(self) -> State:
        """Return the state of every file that a run would open, and of the settings above them."""
        return dict(_states({*self.linted(), *self._settings(), *self._around(), *self._data()}))

    def linted(self) -> Iterator[str]:
        """Yield the files that are linted."""
        try:
            inputs = inputs_of(self.paths, self.settings(), None)
        except TrainlintError:
            yield from self.paths
            return
        yield from (item.path for item in inputs if isinstance(item, InputFile))

    def _settings(self) -> Iterator[str]:
        start = Path(self.paths[0]).absolute()
        for folder in (start, *start.parents):
            yield from (str(folder / name) for name in ("trainlint.toml", "pyproject.toml"))

    def _around(self) -> Iterator[str]:
        """Yield what else decides a verdict: the repository around the files, and what the settings name."""
        tops = {str([*folders_above(path)][-1]) for path in self.paths if os.path.exists(path)}  # noqa: PTH110
        try:
            settings = self.settings()
        except TrainlintError:
            settings = Settings()
        named = (*settings.rules, *settings.schemas, *settings.gpus, *settings.networks, *self.named)
        others = (settings.profiles, settings.repo, settings.baseline, settings.model_config)
        for top in dict.fromkeys(
            (*tops, *(str(other) for other in (*named, *others, user_settings_file()) if other is not None))
        ):
            yield from _below(top)

    def _data(self) -> Iterator[str]:
        """Yield the folders of the data: an image that comes or goes changes its folder."""
        if self.data is not None:
            yield from (place for place, _, _ in islice(os.walk(self.data), MOST_FILES))


def watch(looked: Looked, lint: Callable[[], int]) -> int:
    """Lint until the user ends it; returns the last run's exit code."""
    code = 0
    while True:
        seen = looked.state()
        clear()
        forget()
        try:
            code = lint()
        except TrainlintError as error:  # settings that are half written
            complain(str(error))
        if code == EXIT_INTERRUPT:
            return code
        say(f"\nwatching {plural(len([*looked.linted()]), 'file')}; Ctrl-C ends", err=True)
        try:
            wait(seen, looked.state)
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


def _below(top: str) -> Iterator[str]:
    """Yield a file, or those below a folder that a verdict may depend on, through no link."""
    if not os.path.isdir(top):  # noqa: PTH112 - no error where it may not look
        yield top
        return
    left = MOST_FILES
    for place, folders, files in os.walk(top):
        folders[:] = sorted(name for name in folders if name == PROJECT or not name.startswith("."))
        for name in sorted(files):
            if may_decide(name):
                yield os.path.join(place, name)  # noqa: PTH118 - os.walk's paths
                left -= 1
                if not left:
                    return


def _states(paths: set[str]) -> Iterator[tuple[str, tuple[int, int]]]:
    printed = {*_printed_into()}
    for path in paths:
        try:
            state = os.stat(path)  # noqa: PTH116  # the strings that messages show
        except OSError:
            continue
        if (state.st_dev, state.st_ino) not in printed:
            yield path, (state.st_mtime_ns, state.st_size)


def _printed_into() -> Iterator[tuple[int, int]]:
    """Yield the files that output is redirected to: each run changes them."""
    for descriptor in (1, 2):
        with suppress(OSError):
            state = os.fstat(descriptor)
            yield state.st_dev, state.st_ino
