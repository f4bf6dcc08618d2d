# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Settings: what a project, its user and the command line want, in one frozen dataclass."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from trainlint.model.launcher import Launcher
from trainlint.model.target import Gpu

if TYPE_CHECKING:
    from trainlint.estimate.speed.training_log import StepTimes

MOST_COUNTED = 1_000_000_000_000
"""Of anything that is counted or measured in a setting: seconds, hours, pixels, images, MiB."""


class FileSettings(Struct, frozen=True):
    """Settings that hold for the files that a glob matches (fnmatch's rules: `*` crosses folders too)."""

    match: tuple[str, ...]
    options: Mapping[str, Any]

    def speaks_of(self, path: str) -> bool:
        """Return whether a path, from the settings file's folder on, is one of these files."""
        from trainlint.files.glob_patterns import matches_name  # noqa: PLC0415 - where the settings name files

        return any(matches_name(path, pattern) for pattern in self.match)


class FileIgnore(Struct, frozen=True):
    """Rules whose findings are not shown in the files that a glob matches.

    `pointer` (a JSON pointer, None: anywhere) keeps that to one key and what is below it.
    """

    match: str
    rules: tuple[str, ...]
    pointer: str | None = None

    def hides(self, path: str, rule: str, pointer: str) -> bool:
        """Return whether a finding is hidden; `path` is taken from the settings file's folder on."""
        from trainlint.files.glob_patterns import matches_name  # noqa: PLC0415 - where the settings name files

        here = self.pointer is None or f"{pointer}/".startswith(f"{self.pointer}/")
        return here and rule in self.rules and matches_name(path, self.match)


class Settings(Struct, frozen=True):
    """Every setting, with what holds where it is not set. TOML writes the names with dashes."""

    target: tuple[str, ...] = ()
    """Targets to judge against if the command line names none."""
    fail_on: str = "fail"
    """The lowest level that makes the exit code 1: warn or fail."""
    strict: bool = False
    """Count a rule that could not be judged as a failure."""
    seconds_per_iteration: float | None = None
    """Measured seconds of one training step; replaces the estimate."""
    measured: StepTimes | None = None
    """Times from a training log (--log); not a key."""
    measured_on: Gpu | None = None
    """The card that the log is from, where it is not the target's; not a key."""
    session_budget_h: float | None = None
    """Hours of one session; replaces the target's own budget."""
    sessions: str | None = None
    """Whether a run may take one session or many; unset: many if its command or config has auto_resume."""
    validation_size: tuple[int, int] | None = None
    """Size of validation images in pixels, if the config does not say."""
    validation_images: int | None = None
    """Images in one validation, if neither the config nor the name of the set says."""
    dataset_size: int | None = None
    """Images or samples in the training set, if the config does not say."""
    model_config: Path | None = None
    """The config.json of the base model that is fine-tuned, if its name is not known."""
    context: Mapping[str, float] = field(default_factory=dict)
    """GPU name -> MiB of a process's CUDA context, as measured on your machine."""
    calibration: tuple[Path, ...] = ()
    """Files of `trainlint measure`; what they show of a card replaces what is assumed."""
    expandable_segments: bool = False
    """The runs have PYTORCH_ALLOC_CONF=expandable_segments:True."""
    rules: tuple[Path, ...] = ()
    """Folders with more rules."""
    schemas: tuple[Path, ...] = ()
    """Folders with more dialects."""
    gpus: tuple[Path, ...] = ()
    """Files with more GPUs and targets, in the form of gpus.toml."""
    profiles: Path | None = None
    """Folder of the project's stored profiles; unset: .trainlint/profiles next to the settings file."""
    select: tuple[str, ...] = ()
    """The rules to judge; empty: all of them."""
    ignore: tuple[str, ...] = ()
    """Rules not to judge."""
    levels: Mapping[str, str] = field(default_factory=dict)
    """Rule -> "warn": its findings never fail; "fail": they do, if every reading has them."""
    per_file_ignores: tuple[FileIgnore, ...] = ()
    """Findings to hide: "GLOB" or "GLOB#/json/pointer" -> rules."""
    baseline: Path | None = None
    """File of known findings (`--write-baseline`), which are not shown."""
    exclude: tuple[str, ...] = ()
    """Globs of files to skip when a folder is searched."""
    python: Path | None = None
    """Python interpreter with your framework (user settings or flag only)."""
    networks: tuple[Path, ...] = ()
    """Folders with your own networks (user settings or flag only)."""
    trusted: tuple[Path, ...] = ()
    """Folders of repositories whose programs `trainlint trace` may run dry unasked (user settings only)."""
    trainer: str | None = None
    """The trainer of the configs, by its dialect's id: the original, not a fork."""
    trainer_basis: str = "setting"
    """Who named it, a setting or a flag; not a key."""
    repo: Path | None = None
    """The trainer's repository, if the configs are not in it (read, never run)."""
    launcher: Launcher | None = None
    """How jobs are started if their files leave it open; unset: judged with and without a launcher."""
    gpu_count: int | None = None
    """GPUs of the target that a job may use; unset: all."""
    reading: str | None = None
    """Part of the name of the reading to judge, if a file can be read in several ways."""
    files: tuple[FileSettings, ...] = ()
    """Settings for some files only, by glob; if several match, the last that sets a key wins."""
    root: Path | None = None
    """The folder of the project's settings file; not a key."""
    flags: frozenset[str] = frozenset()
    """The fields that the command line set; not a key."""
    allow_shorter: bool = False
    """Edits may lower iterations, epochs and milestones (--allow-shorter); not a key."""
    itemised: bool = True
    """Whether anybody reads what a peak is made of; not a key."""

    def at(self, path: str) -> Settings:
        """Return the settings that hold for one file; what the command line set is not replaced."""
        if not self.files:
            return self
        place = self.place(path)
        options: dict[str, Any] = {}
        for item in self.files:
            if item.speaks_of(place):
                options |= item.options
        return replace(self, **{name: value for name, value in options.items() if name not in self.flags})

    def place(self, path: str) -> str:
        """Return a path from the settings file's folder on, with slashes."""
        return os.path.relpath(os.path.abspath(path), self.root or Path()).replace(os.sep, "/")  # noqa: PTH100  # a link's own name is meant

    def hides(self, path: str, rule: str, pointer: str) -> bool:
        """Return whether a finding is one that `per-file-ignores` hides."""
        if not self.per_file_ignores:
            return False
        place = self.place(path)
        return any(item.hides(place, rule, pointer) for item in self.per_file_ignores)

    def trusts(self, root: Path) -> bool:
        """Say whether a repository is, or lies in, a folder that the user trusts, all links followed."""
        return any(root.resolve().is_relative_to(folder.resolve()) for folder in self.trusted)

    def with_options(self, **options: Any) -> Settings:
        """Return a copy in which every option that is not None or empty replaces the setting."""
        given = {name: value for name, value in options.items() if value not in (None, (), False)}
        return replace(self, **given, flags=self.flags | frozenset(given))
