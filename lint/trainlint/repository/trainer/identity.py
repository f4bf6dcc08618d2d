# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The trainer that will read a config: named by the user, found around it, or only guessed from it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from trainlint.expressions.patterns import later
from trainlint.files.enclosing_folders import beginning, folders_above, inside
from trainlint.files.safe_open import note_failure
from trainlint.model.trainer import BY_SOURCE, Named, Signs, Trainer

MOST_FOLDERS = 100
"""Folders next to a config's, or below a repository that the user names, that may have a training script."""

INSTALLING = (
    "requirements.txt", "setup.py", "pyproject.toml", "environment.yml", "install.sh", "setup.sh",
    "Dockerfile", "README.md",
)  # fmt: skip
"""Files that say what is installed, and from where."""

PUBLISHERS = ("xpixelgroup", "xinntao")
"""Owners of the repositories that packages are published from."""

_PIPELINE = later(r"(?m)^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t][^\n]*\btrain_pipeline\b")
_FROM = later(r"(?m)^[ \t]*from[ \t]+(\w+)((?:\.\w+)+)[ \t]+import[ \t]+(\([^)]{0,2000}\)|[^\n(]*)")
_PARSE = later(r"(?m)^def parse\(")
_VERSION = later(r"""(?m)^(?:version\s*=\s*)?["']?(\d+(?:\.\w+)+)["']?\s*$""")


def identify(
    name: str,
    signs: Signs,
    config: str,
    script: str,
    named: Named | None,
    *,
    repo: Path | None = None,
    runs: str = "",
) -> Trainer:
    """Return the trainer of a config in the dialect `name`; `script` is what a command starts, or "".

    `repo` is the folder of its repository, as the user says; without it that of `runs`, the file of the
    script that a command runs the config with, then those above the config are looked at.
    """
    around = tuple(folders_above(config))
    if repo is not None:
        around = (repo, *(_holding(repo, script) if script.endswith(".py") else ()))
    if named is not None and named.id == name:
        return Trainer(name, basis=named.basis)
    trainer = _trainer_around(name, signs, around, script)
    if runs and repo is None:
        from trainlint.repository.trainer.trainer_of_script import of_script  # noqa: PLC0415 - where a command names the config

        running = of_script(runs, config, lambda folders: _trainer_around(name, signs, folders, "", runs))
        if running is not None and not (trainer and _same(running.path, trainer.path)):
            return running
    return trainer or Trainer(name)


def _trainer_around(
    name: str, signs: Signs, around: Sequence[Path], script: str, runs: str = ""
) -> Trainer | None:
    """Return the trainer whose source lies in one of the folders, the first one's first.

    Where `runs` is one of a folder's training scripts, no other one of them is asked.
    """
    markers = (script,) if script.endswith(".py") else signs.markers
    for folder in _with_vendored(around, signs, script) if markers else ():
        paths = [inside(folder, marker) for marker in markers]
        if marked := [
            path
            for path in paths
            if path is not None and (script or not signs.library or imports(beginning(path), signs.library))
        ]:
            from trainlint.repository.trainer.trainer_source import source_in  # noqa: PLC0415 - most configs lie alone

            return Trainer(
                name,
                _version(folder),
                BY_SOURCE,
                str(marked[0]),
                source_in(folder, marked[0], signs.structs),
                folder,
            )
    if signs.sibling and not script and (reader := _next_to(signs.sibling, around)) is not None:
        from trainlint.repository.trainer.trainer_source import source_in  # noqa: PLC0415 - as above

        root = around[-1]
        source = source_in(root, reader, signs.structs)
        return Trainer(name, _version(root), BY_SOURCE, str(reader), source, root)
    if signs.own is not None and not signs.own.get("uncompared") and not script:
        package = str(signs.own["package"])
        return _building_on(name, package, around, runs) or _renamed(name, signs, around, runs)
    return None


def _with_vendored(around: Sequence[Path], signs: Signs, script: str) -> Iterator[Path]:
    """Yield folders, each with those below it under which a repository carries a trainer's own."""
    for folder in around:
        yield folder
        yield from (folder / name for name in signs.vendored if not script.endswith(".py"))


def _next_to(sibling: str, around: Sequence[Path]) -> Path | None:
    """Return the reader of options that lies next to a folder of option files, with a training script.

    What that imports lies further out, so that all of the repository is its source.
    """
    for folder in around:
        path, script = inside(folder, sibling), inside(folder, "train.py")
        if path is not None and script is not None and _PARSE.search(beginning(path)):
            return path
    return None


def imports(text: str, library: str) -> bool:
    """Return whether a script imports a library."""
    return re.search(rf"(?m)^[ \t]*(?:from|import)[ \t]+{library}\b", text) is not None


def _holding(repo: Path, script: str) -> Iterator[Path]:
    """Yield the folders of a repository that have a script, which a command names from there."""
    for place, folders, _ in islice(os.walk(repo), MOST_FOLDERS):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if inside(Path(place), script) is not None:
            yield Path(place)


def _same(left: str | None, right: str | None) -> bool:
    return None not in (left, right) and os.path.realpath(str(left)) == os.path.realpath(str(right))


def _renamed(name: str, signs: Signs, around: Sequence[Path], runs: str) -> Trainer | None:
    """Return the trainer of a repository that has a copy of a trainer's package under another name.

    Its train.py, in the copy or next to it, takes the options from the copy's own marker, or a module of any
    name has the copy's `parse_options`; and the copy's models are chosen by the dialect's key. None where a
    folder has several such copies: which of them reads a config only a command says.
    """
    notes: Mapping[str, Any] = signs.own or {}
    rest = dict.fromkeys(marker.removeprefix(f"{notes['package']}/") for marker in signs.markers)
    chosen = re.compile(rf"""\[["']{re.escape(str(notes["step"]))}["']\]""")
    for folder in around:
        markers_of: dict[str, Path] = {}
        scripts = tuple(_scripts(folder, runs))
        for copy, parts, choosers in (
            *_taken_from(folder, scripts, tuple(rest)),
            *_started_by(folder, scripts),
        ):
            markers = (inside(folder, f"{copy}/{part}") for part in parts)
            marker = next((path for path in markers if path is not None), None)
            choosing = (inside(folder, f"{copy}/{path}") for path in ("models/__init__.py", *choosers))
            if marker is not None and any(chosen.search(beginning(path)) for path in choosing if path):
                markers_of.setdefault(copy, marker)
        if len(markers_of) > 1:
            return None
        if markers_of:
            ((copy, marker),) = markers_of.items()
            from trainlint.repository.trainer.trainer_source import source_in  # noqa: PLC0415 - as above

            source = source_in(folder, marker, signs.structs)
            return Trainer(name, None, BY_SOURCE, str(marker), source=source, root=folder, package=copy)
    return None


Copy = tuple[str, Sequence[str], Sequence[str]]
"""A package's name, the files in it that may read the options, and further ones that may choose the model."""


def _taken_from(folder: Path, scripts: Sequence[Path], markers: Sequence[str]) -> Iterator[Copy]:
    """Yield the packages of a folder from which training scripts, there or in them, take their options."""
    modules = "|".join(re.escape(marker.removesuffix(".py").replace("/", ".")) for marker in markers)
    taken = re.compile(rf"(?m)^[ \t]*(?:from|import)[ \t]+(\w+)\.(?:{modules})\b")
    for script in scripts:
        for match in taken.finditer(beginning(script)):
            if script.parent in (folder, folder / match[1]):
                yield match[1], markers, ()


def _started_by(folder: Path, scripts: Sequence[Path]) -> Iterator[Copy]:
    """Yield the packages whose own `parse_options` and `build_model` a training script's pipeline imports."""
    for script in scripts:
        taken: dict[str, dict[str, str]] = {}
        for text in _starting(folder, script):
            for match in _FROM.finditer(text):
                path = f"{match[2].removeprefix('.').replace('.', '/')}.py"
                for function in ("parse_options", "build_model"):
                    if re.search(rf"\b{function}\b", match[3]):
                        taken.setdefault(match[1], {}).setdefault(function, path)
        for copy, paths in taken.items():
            if script.parent in (folder, folder / copy) and "parse_options" in paths:
                yield copy, (paths["parse_options"],), tuple(paths.values())


def _building_on(name: str, package: str, around: Sequence[Path], runs: str) -> Trainer | None:
    """Return the trainer of a repository whose training script imports an installed package.

    Or whose script takes `train_pipeline` from a module of its own that does.
    """
    imports = re.compile(rf"(?m)^[ \t]*(?:from|import)[ \t]+{re.escape(package)}\b")
    for folder in around:
        for script in _scripts(folder, runs):
            if any(imports.search(text) for text in _starting(folder, script)):
                version, fork = _pinned(folder, package), _fork(folder, package)
                return Trainer(name, version, BY_SOURCE, str(script), root=folder, fork=fork)
    return None


def _starting(folder: Path, script: Path) -> Iterator[str]:
    """Yield the text of a training script, and that of the module from which it takes what it starts."""
    text = beginning(script)
    yield text
    for match in _PIPELINE.finditer(text):
        path = f"{match[1].replace('.', '/')}.py"
        module = inside(folder, path) or inside(script.parent, path)
        if module is not None:
            yield beginning(module)


def _pinned(folder: Path, package: str) -> str | None:
    """Return the version of an installed package that a repository asks for, if it names one."""
    pattern = re.compile(rf"(?im)\b{re.escape(package)}\s*==\s*(\d+(?:\.\w+)+)")
    paths = (inside(folder, name) for name in ("requirements.txt", "setup.py", "pyproject.toml"))
    matches = (pattern.search(beginning(path)) for path in paths if path is not None)
    return next((match[1] for match in matches if match), None)


def _fork(folder: Path, package: str) -> str:
    """Return the repository that a package is to be installed from, where that is no publisher's; or ""."""
    pattern = re.compile(rf"(?i)git\+\w+://(?:\w+@)?([\w.-]+/([\w-]+)/{re.escape(package)})(?![\w-])")
    paths = (inside(folder, name) for name in INSTALLING)
    matches = (match for path in paths if path is not None for match in pattern.finditer(beginning(path)))
    return next((match[1] for match in matches if match[2].lower() not in PUBLISHERS), "")


def _scripts(folder: Path, runs: str) -> Iterator[Path]:
    """Yield the training scripts of a folder; that alone which a command runs, where it is one of them."""
    scripts = tuple(_all_scripts(folder))
    running = os.path.realpath(runs) if runs else None
    yield from [script for script in scripts if os.path.realpath(script) == running] or scripts


def _all_scripts(folder: Path) -> Iterator[Path]:
    """Yield the train.py of a folder and of the packages in it, then every *_train.py there."""
    try:
        with os.scandir(folder) as scanned:
            entries = sorted(scanned, key=lambda entry: entry.name)
        names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError as error:
        note_failure(folder, error)
        return
    for place in ("", *(f"{name}/" for name in names[:MOST_FOLDERS] if not name.startswith("."))):
        script = inside(folder, f"{place}train.py")
        if script is not None:
            yield script
    for entry in entries:
        script = inside(folder, entry.name) if entry.name.endswith("_train.py") else None
        if script is not None and "build_model(" in beginning(script):
            yield script


def _version(folder: Path) -> str | None:
    """Return the version that a repository states in a file of its root; None where it states none."""
    for name in ("VERSION", "pyproject.toml"):
        path = inside(folder, name)
        text = beginning(path) if path else ""
        if match := _VERSION.search(text):
            return match[1]
    return None
