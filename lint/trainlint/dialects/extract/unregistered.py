# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Names of classes that the registries of the repository around a config do not have, though it has its own.

No file defines such a class; or one does that no registry imports; or it does not enter the class, or is no
Python.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path as Root
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from trainlint.dialects.extract.fork_classes import name_of, package_of, type_of
from trainlint.dialects.messages.typos import NAMES
from trainlint.dialects.schema.dialect import Dialect
from trainlint.dialects.schema.schema_walk import resolve
from trainlint.errors import most_alike
from trainlint.expressions.patterns import later
from trainlint.files.enclosing_folders import beginning, inside
from trainlint.model.document import COMMAND, Document, Path
from trainlint.model.job import Problem
from trainlint.model.trainer import BY_ENVIRONMENT, BY_SCHEMA, Trainer
from trainlint.repository.imports.imported_files import SCANNED_SUFFIX, NoModule, first_broken

if TYPE_CHECKING:
    from trainlint.repository.imports.imported_files import NoPython
    from trainlint.repository.trainer.definitions import BrokenFile
    from trainlint.repository.trainer.mentioned_words import Words
    from trainlint.repository.trainer.own_classes import Definition, Own

DYNAMIC: Final = "dynamic_instantiation("
OWN_PYTHON: Final = "Python {}.{}".format(*sys.version_info)
LEAST_PYTHON: Final = later(
    r"""(?m)^(?:requires-)?python[ \t]*=[ \t]*['"][^'"\n]{0,40}?(?:>=|~=|==|\^)[ \t]*(\d)\.(\d{1,2})"""
)
"""The oldest Python that a project takes, as pip and Poetry write it."""
BY_NAME: Final = later(r"import_module\(|__import__\(|spec_from_file_location|walk_packages|run_path")
"""What imports files by names that are made while it runs."""
BELOW: Final = later(r"\bis_?dir\(|\bwalk\(|glob\(|\biterdir\(|\brecursive\s*=\s*True")
"""What looks into the folders of a folder."""
INSTALLERS: Final = ("setup.py", "setup.cfg", "pyproject.toml")
"""Files by which pip installs a repository."""
SOURCES: Final = "src/"
"""The folder in which many projects keep their package."""
REGISTERING_CALL: Final = later(r"(?m)^[^@\n]*\.register(?:_module)?\(\s*[^)\s]")
"""A call that enters a class, or more than one, which the line does not say."""


def unregistered(
    document: Document, dialect: Dialect, trainer: Trainer, own: Own | None
) -> tuple[Problem, ...]:
    """Return the names of classes that the registries of a repository which holds the trainer do not have.

    Where its own registry alone is asked and no line mentions the name, that is a fail; else it may be one of
    an installed package.
    """
    notes, source = dialect.trainer.own, trainer.source
    if notes is None or {"classes", "uncompared"} & notes.keys() or source is None or own is None:
        return ()
    from trainlint.dialects.reader.passed_over import is_unread_class  # noqa: PLC0415 - of trees with a trainer alone
    from trainlint.dialects.reader.registries import REGISTRIES, folder_of  # noqa: PLC0415 - the same
    from trainlint.dialects.reader.words_around import is_class_shown  # noqa: PLC0415 - the same
    from trainlint.repository.choices.class_texts import registered_names  # noqa: PLC0415 - the same

    named = [
        (what, path, name)
        for what, path, name in _named(document.value, notes)
        if not is_unread_class(path, document, dialect, source) and not is_class_shown(name, document)
    ]
    if own.broken is not None:
        return () if _asks_for_newer(trainer.root) else tuple(_unreadable(own, named, trainer, notes))
    words, root = source.words, trainer.root
    if own.error is not None or words is None or root is None:
        return ()
    missing = []
    for what, path, name in named:
        package = package_of(trainer, notes)
        folder, (plain, registry) = folder_of(what, trainer, notes), REGISTRIES[what]
        entry = inside(root, f"{folder}/__init__.py") if folder is not None else None
        if folder is None or entry is None:  # the package is not all there
            continue
        text = beginning(entry)
        if name in own.defined and not (what == "network" and own.network(name) is None):
            definitions = own.defined[name]
            scanned = any(_is_scanned(definition, root, folder) for definition in definitions)
            why = None if scanned else _passed_over(definitions, words, (folder, registry, text))
            if why:
                missing.append(Problem(NAMES, f'{why}: there is no {what} "{name}"', path))
        elif not source.quotes(name):
            older = folder != f"{package}/{plain}" and any(DYNAMIC in code for code in words.code)
            asked = f"{registry}.get(" in text or DYNAMIC in text or older
            own_alone = asked and _is_of_the_package(name, package, words)
            spelt = sorted(words.spellings(name) - {name})
            near = spelt[0] if spelt else most_alike(name, registered_names(words, registry, folder))
            sure = asked and (own_alone or not words.has_folded(name))
            missing.append(_undefined(what, path, name, near, sure=sure))
    if source.enters_elsewhere:  # where a class of any name may be
        missing = [replace(problem, harmless=True) for problem in missing]
    return tuple(_held_to(problem, dialect, trainer) for problem in missing)


def of_others(document: Document, dialect: Dialect, trainer: Trainer) -> Iterator[Problem]:
    """Yield the classes that a schema knows of forks, where the original runs and no file around has them.

    The user says that it does, or has it installed.
    """
    notes = dialect.trainer.own
    is_original = trainer.basis != BY_SCHEMA and (trainer.named or trainer.around is not None)
    if notes is None or "elsewhere" not in notes or not is_original:
        return
    from trainlint.dialects.reader.words_around import may_be_defined_around  # noqa: PLC0415 - where the original runs

    others = resolve(dialect.schema, notes["elsewhere"])["enum"]
    for what, path, name in _named(document.value, notes):
        if name in others and not may_be_defined_around(name, document, trainer):
            yield Problem(NAMES, f'{dialect.title} itself has no {what} "{name}", which a fork has', path)
    if trainer.basis == BY_ENVIRONMENT and not may_be_defined_around(
        str(document.value.get(notes["step"])), document, trainer
    ):
        yield from _unreleased(document, dialect.title, trainer.version, notes)


def _unreleased(
    document: Document, title: str, version: str | None, notes: Mapping[str, Any]
) -> Iterator[Problem]:
    """Yield the optimizers that an installed release does not take, though its repository does since."""
    training, taken = document.value.get(notes["losses"]), notes.get("released_optimizers", ())
    for key, value in training.items() if taken and isinstance(training, Mapping) else ():
        name = type_of(value)
        if str(key).startswith("optim_") and name and name not in taken:
            message = f'{title} {version} as it is released takes {" or ".join(taken)} alone, not "{name}"'
            yield Problem("wrong-value", message, (str(notes["losses"]), str(key), "type"))


def _held_to(problem: Problem, dialect: Dialect, trainer: Trainer) -> Problem:
    """Return a name that is missing, as a warning where its registry may be filled or asked otherwise."""
    from trainlint.dialects.reader.registries import doubt_of_name  # noqa: PLC0415 - for what is wrong alone

    doubt = None if problem.harmless else doubt_of_name(problem.path, dialect, trainer)
    if doubt is None:
        return problem
    return replace(problem, message=f"{problem.message}; {doubt}", harmless=True)


def _is_of_the_package(name: str, package: str, words: Words) -> bool:
    """Return whether a name is only ever imported from the package itself, which does not define it."""
    if words.matches(REGISTERING_CALL) or words.spellings(name) != {name}:
        return False
    imported = re.compile(
        rf"\bfrom\s+([\w.]+)\s+import\s+(?:\([^()]*\b{name}\b|[^\n(]*\b{name}\b)|\bas\s+{name}\b|\b{name}\s*=(?!=)"
    )
    sources = [match[1] or "" for text in words.code for match in imported.finditer(text)]
    return bool(sources) and all(source.startswith((".", f"{package}.")) for source in sources)


def _undefined(what: str, path: Path, name: str, near: str | None, *, sure: bool) -> Problem:
    hint = f'; did you mean "{near}"?' if near else ""
    message = f'no Python file of the repository defines the {what} "{name}"{hint}'
    return Problem(NAMES, message, path, harmless=not sure)


def _is_scanned(definition: Definition, root: Root, registry: str) -> bool:
    """Return whether a package besides the registry's own scans the folder of a definition for its file."""
    folder, _, file = definition.path.rpartition("/")
    entry = None if folder == registry else inside(root, f"{folder}/__init__.py")
    scanned = SCANNED_SUFFIX.search(beginning(entry)) if entry is not None else None
    return scanned is not None and file.endswith(scanned[1])


def _passed_over(
    definitions: Sequence[Definition], words: Words, registry: tuple[str, str, str]
) -> str | None:
    """Return why no definition of a name gets into its registry; None where one does, or may."""
    folder, called, text = registry
    scanned = SCANNED_SUFFIX.search(text)
    if f"{called}.get(" not in text or scanned is None:
        return None
    if BELOW.search(text) or any(
        BY_NAME.search(code) and not SCANNED_SUFFIX.search(code) for code in words.code
    ):
        return None
    if words.matches(REGISTERING_CALL):
        return None
    whys = [_why(definition, words, (folder, called, scanned[1])) for definition in definitions]
    return next(iter(whys)) if whys and None not in whys else None


def _why(definition: Definition, words: Words, registry: tuple[str, str, str]) -> str | None:
    folder, called, ending = registry
    place = f"{definition.path}:{definition.line}"
    inner, _, file = definition.path.rpartition("/")
    if inner == folder and file.endswith(ending):
        return f"{place} lacks @{called}.register()" if definition.bare else None
    stem = file.removesuffix(".py")
    if stem == "__init__" or words.has(stem) is not False or words.quotes(file) is not False:
        return None  # which something may import
    return f"nothing imports {place}, since {folder} takes its own files that end in {ending} alone"


def _asks_for_newer(root: Root | None) -> bool:
    """Return whether a repository's pyproject.toml asks for a newer Python than this one."""
    path = inside(root, "pyproject.toml") if root is not None else None
    least = LEAST_PYTHON.search(beginning(path)) if path is not None else None
    return least is not None and (int(least[1]), int(least[2])) > sys.version_info[:2]


def _unreadable(
    own: Own, named: Sequence[tuple[str, Path, str]], trainer: Trainer, notes: Mapping[str, Any]
) -> Iterator[Problem]:
    """Yield the class whose file is no Python; sure where no Python 3 can read it."""
    broken = own.broken
    for what, path, name in named:
        if broken is not None and name == broken.name:
            passed = _ending_besides(broken.path, what, trainer, notes)
            yield _no_python(broken, f'which has the {what} "{name}"{passed}', path)


def _ending_besides(file: str, what: str, trainer: Trainer, notes: Mapping[str, Any]) -> str:
    """Say how the files end that a package takes, where another of its own is meant; else nothing."""
    from trainlint.dialects.reader.registries import folder_of  # noqa: PLC0415 - of a broken file alone

    folder = folder_of(what, trainer, notes)
    entry = inside(trainer.root, f"{folder}/__init__.py") if folder and trainer.root is not None else None
    scanned = SCANNED_SUFFIX.search(beginning(entry)) if entry is not None else None
    if scanned is None or file.rpartition("/")[0] != folder or file.endswith(scanned[1]):
        return ""
    return f" ({folder} takes files that end in {scanned[1]} alone)"


def unimportable(document: Document, dialect: Dialect, trainer: Trainer) -> Iterator[Problem]:
    """Yield the file of a repository's own trainer that every run imports and that is no Python."""
    source = trainer.source
    if source is None or trainer.named or document.format == COMMAND or _asks_for_newer(trainer.root):
        return
    package = package_of(trainer, dialect.trainer.own) if dialect.trainer.own is not None else ""
    for entry in dialect.trainer.entries:
        path = entry.replace("PACKAGE/", f"{package}/")
        if inside(source.folder, path) is None:
            continue
        broken = first_broken(source.folder, path)
        if isinstance(broken, NoModule):
            what = f"{broken.path}:{broken.line} imports {broken.module}, which this repository does not have"
            sure = _is_on_its_path(path, source.folder, source.words)
            so = "so that no run starts" if sure else "unless an installed package of that name has it"
            yield Problem(
                "unreadable-source", f"{what}; {path} imports that file, {so}", (), harmless=not sure
            )
        elif broken is not None:
            yield _no_python(broken, f"which {path} imports", ())
        return


def _is_on_its_path(entry: str, folder: Root, words: Words | None) -> bool:
    """Return whether a repository's own package is imported: it is installed, or a script lies next to it.

    Else it may be one that is installed and has what this one lacks.
    """
    if any(inside(folder, name) is not None for name in INSTALLERS):
        return True
    base = SOURCES if entry.startswith(SOURCES) else ""
    package = entry.removeprefix(base).partition("/")[0]
    imports = re.compile(rf"(?m)^[ \t]*(?:from|import)[ \t]+{re.escape(package)}\b")
    pairs = zip(words.files, words.code, strict=False) if words is not None else ()
    return any(
        file.startswith(base) and "/" not in file.removeprefix(base) and imports.search(text)
        for file, text in pairs
    )


def _no_python(broken: BrokenFile | NoPython, which: str, path: Path) -> Problem:
    who = "no Python 3 can read" if broken.sure else f"{OWN_PYTHON} cannot read"
    newer = "" if broken.sure else "; a newer Python may"
    message = f"{who} {broken.path}:{broken.line}, {which}: {broken.why}{newer}"
    return Problem("unreadable-source", message, path, harmless=not broken.sure)


def _named(flat: Mapping[str, Any], notes: Mapping[str, Any]) -> Iterator[tuple[str, Path, str]]:
    """Yield the classes that a config names: what each is, its path and its name."""
    step = str(notes["step"])
    if name := name_of(flat.get(step)):
        yield "model class", (step,), name
    for key in notes["networks"]:
        if name := type_of(flat.get(key)):
            yield "network", (key, "type"), name
    losses = flat.get(notes["losses"])
    for key, value in losses.items() if isinstance(losses, Mapping) else ():
        if str(key).endswith("_opt") and (name := type_of(value)):
            yield "loss", (str(notes["losses"]), str(key), "type"), name
