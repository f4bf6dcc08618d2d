# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a tape was traced from: a digest of the sources that have a part in it, and the libraries' versions.

The sources are the tracer, the step's recipe and its networks, with all that these import of trace/ and of
the zoo. A tape of other sources is not known to be wrong (`SEMANTICS` says that), but not known to be right
either.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Protocol

from trainlint import __version__
from trainlint.catalogue.signature import locate
from trainlint.catalogue.zoo import library_networks, withdrawn
from trainlint.catalogue.zoo.packages import module_of, own, packages
from trainlint.catalogue.zoo.recipes import place
from trainlint.errors import CannotTraceError
from trainlint.expressions.patterns import later
from trainlint.shipped.kept_data import made_of
from trainlint.shipped.resource_paths import PACKAGE
from trainlint.tape.step import LIBRARY_PREFIX, ROLES

IMPORT_ROOT: Final = PACKAGE.parent
"""The folder that imports start from."""
SOURCES_KEY: Final = "sources"
"""Key of the digest in a tape's `made_with`."""
NOT_SHIPPED: Final = "not shipped"
"""In its place where the network was withdrawn (catalogue/zoo/withdrawn.py): nobody can trace it again."""
DIGEST_DIGITS: Final = 16
"""Hexadecimal digits of the digest: it tells versions of a file apart and does not prevent forgery."""
NETWORK_LIBRARIES: Final = ("timm", "spandrel", "spandrel_extra_arches", "torchvision")
"""Packages that networks come from; their versions are in every tape that was traced where they are."""
TRAINERS: Final[Mapping[str, Sequence[str]]] = {
    "transformers": ("transformers", "peft"),
    "diffusers": ("diffusers", "transformers", "peft"),
}
"""What the name of a recipe begins with -> the packages whose modules are those of its step."""
SHIPPED_FOLDERS: Final = (PACKAGE / "trace", own().folder)
"""Where shipped sources lie: what is read of them is kept until a file there changes."""
ROOT_PREFIX: Final = f"{IMPORT_ROOT}{os.sep}"
SHIPPED_PREFIXES: Final = tuple(f"{folder}{os.sep}" for folder in SHIPPED_FOLDERS)
"""What the paths of shipped sources begin with."""
KEPT_SOURCES: Final = "shipped-sources.json"
PROSE: Final = later(r'^[ \t]*("""(?:.|\n)*?"""|#.*)?[ \t]*\n', re.MULTILINE)
"""What changes no tape: a docstring, a line of comment, an empty line."""
IMPORT_STATEMENT: Final = later(
    r"^[ \t]*from (?P<module>[\w.]+) import (?P<names>\([^)]*\)|[^\n#]+)", re.MULTILINE
)
TRACER_PACKAGE: Final = "trainlint.trace"
"""Of trainlint's own rooms, the one that makes tapes."""


class Traced(Protocol):
    """What says what it was traced with: a tape, a blueprint."""

    @property
    def step(self) -> Mapping[str, Any]:
        """The step that was traced."""

    @property
    def made_with(self) -> Mapping[str, str]:
        """The versions it was traced with."""


Read = tuple[str, str, Sequence[str]]
"""A source's name, which is the same on every machine, its own digest, and the files that it may import."""


def made_with(step: Mapping[str, Any], **versions: str) -> dict[str, str]:
    """Return what a tape of `step` is made with, for its header."""
    libraries = (*NETWORK_LIBRARIES, *_of_trainer(step))
    installed = {name: release for name in libraries if (release := version(name))}
    return {"trainlint": __version__, **versions, **installed, SOURCES_KEY: digest(step)}


def _of_trainer(step: Mapping[str, Any]) -> Sequence[str]:
    """Return the packages whose installed modules are those of a step; none for trainlint's own."""
    return TRAINERS.get(str(step.get("recipe", "")).partition(".")[0], ())


def outdated(tape: Traced) -> str | None:
    """Say in what a tape's origin differs from what a trace would use here and now; None where in nothing."""
    for name in _packages(tape.step):
        now, then = version(name), tape.made_with.get(name)
        if now and now != then:
            return f"it was traced with {name} {then or 'of an unknown version'}, installed is {now}"
    if tape.made_with.get(SOURCES_KEY) != digest(tape.step) and not _withdrawn(tape.step):
        return "it was traced from other sources than this trainlint's"
    return None


def _withdrawn(step: Mapping[str, Any]) -> bool:
    """Say whether a step has a network whose sources are not shipped: its tape is a measurement of them."""
    dialect = str(step.get("dialect", ""))
    archs = (str(step.get(f"networks.{role}.arch")) for role in ROLES)
    return any(withdrawn.find(dialect, arch) is not None for arch in archs)


def digest(step: Mapping[str, Any]) -> str:
    """Return the digest of the sources that make a step's tape."""
    archs = [step.get(f"networks.{role}.arch") for role in ROLES]
    named = tuple(arch for arch in archs if isinstance(arch, str))
    return _digest(str(step.get("recipe", "")), str(step.get("dialect", "")), named)


@cache
def _digest(recipe: str, dialect: str, archs: tuple[str, ...]) -> str:
    digests: dict[str, str] = {}
    networks = (file for arch in archs for file in _network(dialect, arch))
    waiting = [*map(str, (IMPORT_ROOT / "trainlint" / "trace" / "trace.py", *_recipe(recipe), *networks))]
    seen: set[str] = set()
    while waiting:
        file = waiting.pop()
        if file not in seen:
            seen.add(file)
            if (read := _read(file)) is not None:
                digests[read[0]] = read[1]
                waiting += read[2]
    whole = "\n".join(f"{name} {digests[name]}" for name in sorted(digests))
    return sha256(whole.encode()).hexdigest()[:DIGEST_DIGITS]


def _network(dialect: str, arch: str) -> Iterator[Path]:
    """Yield the file that builds a network, or those that say how a library does."""
    if (location := locate(dialect, arch)) is not None:
        yield location.file
    elif library_networks.entry(dialect, arch) is not None:
        yield from sorted((own().folder / "libraries").glob("[!_]*.py"))


def _recipe(name: str) -> Iterator[Path]:
    try:
        yield place(name)[0]
    except CannotTraceError:
        return


@cache
def _read(file: str) -> Read | None:
    """Return what a source contributes to a digest; None where there is no such file."""
    if not file.startswith(SHIPPED_PREFIXES):
        path = Path(file)
        return _of(path) if path.is_file() else None
    known = _kept().get(file.removeprefix(ROOT_PREFIX).replace(os.sep, "/"))
    imported = [os.path.join(ROOT_PREFIX, short.replace("/", os.sep)) for short in known[2]] if known else []  # noqa: PTH118 - of hundreds of files: four times as fast
    return known and (known[0], known[1], imported)


def _of(file: Path) -> Read:
    text = file.read_text(encoding="utf-8")
    imported = tuple(map(str, _imported(text)))
    return _name(file), sha256(PROSE.sub("", text).encode()).hexdigest(), imported


@cache
def _kept() -> Mapping[str, Read]:
    folders = (*SHIPPED_FOLDERS, PACKAGE / "tape")  # whose code reads them
    known: Mapping[str, Read] = made_of(folders, KEPT_SOURCES, shipped_sources)
    return known


def shipped_sources() -> Mapping[str, Read]:
    """Read every shipped source: its path -> what `_read` returns, all paths from `IMPORT_ROOT` on."""
    sources = {}
    for file in (file for folder in SHIPPED_FOLDERS for file in sorted(folder.rglob("*.py"))):
        name, digest, imported = _of(file)
        sources[_short(file)] = name, digest, [_short(Path(path)) for path in imported]
    return sources


def _short(file: Path) -> str:
    """Return a path from `IMPORT_ROOT` on, where it is below."""
    return file.relative_to(IMPORT_ROOT).as_posix() if file.is_relative_to(IMPORT_ROOT) else str(file)


def _imported(text: str) -> Iterator[Path]:
    for match in IMPORT_STATEMENT.finditer(text):
        folder = _folder(match["module"])
        if folder is not None:
            yield folder.with_suffix(".py")
            yield from (folder / f"{name}.py" for name in re.findall(r"\w+", match["names"]))


def _folder(module: str) -> Path | None:
    """Return where a module of the tracer or of the zoo is, without its ending; None for any other."""
    if f"{module}.".startswith(f"{TRACER_PACKAGE}."):
        return IMPORT_ROOT.joinpath(*module.split("."))
    first, *rest = module.split(".")
    return next((package.folder.joinpath(*rest) for package in packages() if package.name == first), None)


def _name(file: Path) -> str:
    return module_of(file) or file.relative_to(IMPORT_ROOT).as_posix()


def _packages(step: Mapping[str, Any]) -> Iterator[str]:
    """Yield the packages that a step's networks come from."""
    if str(step.get("recipe", "")).startswith(LIBRARY_PREFIX):
        yield LIBRARY_PREFIX.rstrip(".")
        return
    if packages := _of_trainer(step):
        yield from packages
        return
    for role in ROLES:
        arch = step.get(f"networks.{role}.arch")
        if not isinstance(arch, str):
            continue
        package, slash, _ = arch.partition("/")
        dialect = str(step.get("dialect", ""))
        entry = library_networks.entry(dialect, arch)
        if slash and package in NETWORK_LIBRARIES:
            yield package
        elif entry is not None and locate(dialect, arch) is None:
            yield entry.module.partition(".")[0]


@cache
def version(package: str) -> str | None:
    """Return the installed version of a package; None where it is not installed."""
    try:
        if find_spec(package) is None:
            return None
    except ValueError:  # a module that something else put there
        pass
    from importlib import metadata  # noqa: PLC0415  # slow, and most steps ask for none

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
