# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The outcome: how the program ended, as JSON for the process that started it."""

from __future__ import annotations

import json
import os
import re
import sys
import traceback
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from trainlint.trace.dry_run.doubts import NEAREST, Doubt
from trainlint.trace.dry_run.lacking_package import lacking_package
from trainlint.trace.dry_run.program_place import Place, place_of, places_of
from trainlint.trace.dry_run.samples.missing_data import MissingData

OWN_PACKAGE: Final = "trainlint"
FRAMES: Final = 40
NO_RULE: Final = "There was no rule registered for HigherOrderOperator"
"""What torch says where such an operator meets a mode that does not know it."""
WITHOUT_VALUES: Final = (NO_RULE, "meta tensor", "device meta", "FakeTensor", "'Meta' backend")
"""What torch says where it meets a tensor that has none."""
FAKED: Final = "fake_tensor.py"
"""torch's file that makes such tensors of its own."""
TRACED_SIZE: Final = "cond must be a bool, but got a Tensor"
"""What torch's kernels without values say of sizes while torch.jit traces: they are tensors then."""
TRACER: Final = str(Path("torch", "jit", "_trace.py"))
LISTINGS: Final = ("os.listdir", "os.scandir")
"""Events of a folder that is looked through."""
MOST_LISTED: Final = 64
"""Places of the program that do so, of which each is kept."""
READABLE: Final = ("r", "rb", "rt", None)
BUILD_SCRIPT: Final = "setup.py"
UNDEFINED: Final = re.compile(r"name '(\w+)' is not defined")
WITH_CUDA: Final = "CUDAExtension"
ASKS_FOR_GPU: Final = re.compile(r"\bis_cuda\b|\bCUDA tensor|must be on (CUDA|a GPU|the GPU)")
"""What CUDA code that is built says of a tensor that is nowhere: it looks past what the program is shown."""
SAYS_SO: Final = ("raise", "assert")
"""How a line of the program's begins that says it itself."""
FOLDERS_UPWARDS: Final = 6
"""Folders from a file upwards in which the build of an extension that it imports is looked for."""


class Outcome:
    """What is known of the run so far; written whenever it may be the last moment."""

    def __init__(self, folder: Path, made_up: Collection[str] = ()) -> None:
        self.folder = folder
        self.doubts: list[Doubt] = []
        """Lists of made-up images that were read: their form may be another than the program's."""
        self.is_settled = False
        """Whether all is written, and what follows is a trial that may end in any way."""
        self._made_up = frozenset(made_up)
        self.facts: dict[str, Any] = {
            "status": "ended", "imitated": False, "tape": None, "batch": None, "rounds": 0, "crash": None,
            "guesses": [],
            "notes": [],
            "sources": [], "packages": {}, "imported": [], "unseen": 0, "self_check": None, "shapes": [],
        }  # fmt: skip
        self.notes: list[Any] = self.facts["notes"]
        self._misses = False
        self._missing = MissingData()
        self._listed: list[tuple[Place, ...]] = []
        self._opened: dict[str, None] = {}
        sys.addaudithook(self._audit)

    def note(self, remark: Any) -> None:
        """Keep a remark, once: a text, or what the tape lacks and in which direction."""
        if remark not in self.notes:
            self.notes.append(remark)

    def _audit(self, event: str, arguments: Any) -> None:
        self._missing.look(event, arguments)
        if event == "open" and isinstance(arguments[0], str) and arguments[1] in READABLE:
            self._opened[arguments[0]] = None
            if self._made_up:
                self._look_at(Path(os.path.realpath(arguments[0])))

        elif self._made_up and event in LISTINGS and isinstance(arguments[0], str):
            self._list(os.path.realpath(arguments[0]))

    def _list(self, folder: str) -> None:
        """Keep that the program looks for what there is in a folder that --data made up."""
        if folder in self._made_up and len(self._listed) < MOST_LISTED:
            places = _places()[:NEAREST]
            if places not in self._listed:
                self._listed.append(places)
                reason = "it is about the folders of images that --data made up"
                self.doubts.append(Doubt(places, reason, lines=sys.maxsize))

    def _look_at(self, file: Path) -> None:
        """Keep that the program reads a list that --data made up, or misses a file among its images."""
        if str(file) in self._made_up:
            self.doubts.append(Doubt(_places(), "it is about the list of images that --data made up"))
        elif not self._misses and str(file.parent) in self._made_up and not file.exists():
            self._misses = True
            reason = f"what --data made up has other names than it looks for ({file.name})"
            self.doubts.append(Doubt(_places()[:NEAREST], reason, lines=sys.maxsize))

    def write(self) -> None:
        """Write what is known, unless another process of the program got further."""
        if _rank(_written(self.folder)) > _rank(self.facts):
            return
        self.facts["sources"] = _below(self._opened)
        self.facts["packages"] = _packages()
        self.facts["imported"] = sorted(_imported())
        part = self.folder / "outcome.json.part"
        part.write_text(json.dumps(self.facts, indent=1), encoding="utf-8")
        part.replace(self.folder / "outcome.json")

    def settle(self, **facts: Any) -> None:
        """Add what a trial came to."""
        self.facts.update(facts)
        self.write()

    def crashed(self, error: BaseException, place: TracebackType | None, doubts: Sequence[Doubt]) -> None:
        """Keep an exception that ended the program."""
        frames = [
            [frame.filename, frame.lineno, frame.name] for frame in traceback.extract_tb(place)
            if f"{os.sep}{OWN_PACKAGE}{os.sep}trace{os.sep}" not in frame.filename
        ]  # fmt: skip
        whole = traceback.extract_tb(place)
        missing = "" if self.facts["rounds"] else self._missing.of(error, whole)
        self.facts["status"] = "crashed"
        self.facts["crash"] = {
            "type": type(error).__name__,
            "message": str(error)[:4000] or _asserted(whole),
            "causes": _causes(error),
            "frames": frames[-FRAMES:],
            "lacks": lacking_package(error),
            "missing": missing,
            "opened": (missing or str(getattr(error, "filename", ""))) in self._opened,
            **_blame(error, whole, doubts),
        }


def _places() -> tuple[Place, ...]:
    """Return where in the program something is asked for, and its callers."""
    return places_of(place_of(sys._getframe()))  # noqa: SLF001 - documented, whatever its name


def _asserted(frames: traceback.StackSummary) -> str:
    """Return the line of an error without a word: most are assertions, which say there what was expected."""
    return (frames[-1].line or "") if frames else ""


def _causes(error: BaseException) -> list[str]:
    """Return the kinds of the errors that led to one."""
    kinds: list[str] = []
    known = {id(error)}
    while True:
        cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        if cause is None or id(cause) in known:
            return kinds
        known.add(id(cause))
        kinds.append(type(cause).__name__)
        error = cause


def _rank(facts: Mapping[str, Any]) -> tuple[bool, int]:
    """Return how far a process got."""
    return bool(facts.get("imitated")), int(facts.get("rounds") or 0)


def _written(folder: Path) -> Mapping[str, Any]:
    """Return the outcome that a process wrote before, nothing where there is none."""
    try:
        outcome: Mapping[str, Any] = json.loads((folder / "outcome.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return outcome


def _blame(
    error: BaseException, frames: traceback.StackSummary, doubts: Sequence[Doubt]
) -> Mapping[str, Any]:
    """Say whether the imitation caused a crash, and by what."""
    last = frames[-1] if frames else None
    if type(error).__name__ in ("MissingKernelError", "MissingWeightsError", "CannotTraceError"):
        return {"imitation": True, "reason": str(error)}
    inside = last is not None and f"{os.sep}{OWN_PACKAGE}{os.sep}trace{os.sep}" in last.filename
    if inside and not isinstance(error, (RuntimeError, TypeError, ValueError, IndexError, FileNotFoundError)):
        return {"imitation": True, "reason": f"trainlint's own {Path(last.filename).name} failed"}  # type: ignore[union-attr]  # inside says so
    if (
        inside
        and isinstance(error, (AttributeError, AssertionError, KeyError, TypeError))
        and OWN_PACKAGE in str(last)
    ):
        return {"imitation": "can't convert cuda" not in str(error), "reason": f"in trainlint's own {last}"}
    words = str(error)
    faked = last is not None and Path(last.filename).name == FAKED
    if faked or any(word in words for word in WITHOUT_VALUES):
        why = (
            "an operator has no rule in a dry run"
            if NO_RULE in words
            else "tensors have no values in a dry run"
        )
        return {"imitation": True, "reason": why}
    if TRACED_SIZE in words and any(frame.filename.endswith(TRACER) for frame in frames):
        return {
            "imitation": True,
            "reason": "torch.jit.trace (TensorBoard's add_graph) does not work in a dry run",
        }
    reason = _unbuilt(error, frames) or _of_built_code(error, last)
    if not reason:
        reason = next((doubt.reason for doubt in doubts if doubt.led_to(error, frames)), "")
    return {"imitation": bool(reason), "reason": reason}


def _of_built_code(error: BaseException, last: traceback.FrameSummary | None) -> str:
    """Say that compiled code stops, to which no tensor of a dry run is on a GPU."""
    line = (last.line or "").strip() if last is not None else ""
    if not isinstance(error, RuntimeError) or line.startswith(SAYS_SO):
        return ""
    return "CUDA code that is built cannot run here" if ASKS_FOR_GPU.search(str(error)) else ""


def _unbuilt(error: BaseException, frames: traceback.StackSummary) -> str:
    """Say that a missing module is made by the program's installation: a file, or CUDA code.

    Many a file goes on where its import fails, and names the module when it is needed.
    """
    missing = _missing_name(error)
    if not missing:
        return ""
    own = [frame.filename for frame in frames if Path(frame.filename).is_file()]
    for folder in Path(own[-1] if own else "").parents[:FOLDERS_UPWARDS]:
        build = folder / BUILD_SCRIPT
        text = build.read_text(encoding="utf-8", errors="replace") if build.is_file() else ""
        if isinstance(error, ImportError) and f"{missing.replace('.', '/')}.py" in text:
            return f"{folder.name}/{BUILD_SCRIPT} writes {missing}: install the project, or make that file"
        is_package = (folder / missing.replace(".", "/") / "__init__.py").is_file()  # that setup.py installs
        if WITH_CUDA in text and not is_package and _names(text, missing.rpartition(".")[2]):
            return f"{missing} is a CUDA extension of {folder.name}/{BUILD_SCRIPT}, which is not built here"
    return ""


def _missing_name(error: BaseException) -> str:
    """Return the module, or the name, that is not there."""
    if isinstance(error, ImportError):
        return error.name or ""
    undefined = UNDEFINED.match(str(error)) if type(error) is NameError else None
    return "" if undefined is None else undefined[1]  # Python 3.9 has no error.name of it


def _names(text: str, module: str) -> bool:
    """Return whether a setup.py gives an extension the name of a module."""
    given = rf"""(?:[Ee]xt\w*\(\s*(?:name\s*=\s*)?|name\s*=\s*)['"](?:[^'"\n]*[./])?{re.escape(module)}['"]"""
    return re.search(given, text) is not None


def _below(opened: Mapping[str, None]) -> list[str]:
    """Return the files that were imported or read below the program's folder or the working one."""
    roots = {os.path.realpath(Path.cwd())}
    if sys.argv and sys.argv[0] and Path(sys.argv[0]).exists():
        roots.add(os.path.realpath(Path(sys.argv[0]).parent))
    files = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    folders = lru_cache(None)(os.path.realpath)
    every = {_real(file, folders) for file in (*files, *opened) if isinstance(file, str)}
    above = (
        f"{os.sep}site-packages{os.sep}",
        f"{os.sep}dist-packages{os.sep}",
        f"{os.sep}__pycache__{os.sep}",
    )
    return sorted(
        file for file in every
        if any(file.startswith(root.rstrip(os.sep) + os.sep) for root in roots)
        and not any(part in file for part in above) and Path(file).is_file()
    )  # fmt: skip


def _real(file: str, folders: Callable[[str], str]) -> str:
    """Return where a file really is; its folder is looked up once for all that lie there."""
    if os.path.islink(file):  # noqa: PTH114 - of thousands of files, and a Path takes longer
        return os.path.realpath(file)
    folder, name = os.path.split(file)
    return f"{folders(folder).rstrip(os.sep)}{os.sep}{name}"


def _imported() -> Iterator[str]:
    """Yield the packages and modules that were imported: one whose import failed is no longer there."""
    yield from (name for name in list(sys.modules) if "." not in name)


def _packages() -> dict[str, str]:
    """Return the versions of the installed packages that were imported."""
    from importlib import metadata  # noqa: PLC0415 - needed at the end alone

    versions = {}
    for name, module in sorted(sys.modules.items()):
        file = getattr(module, "__file__", None) or ""
        if "." in name or "-packages" not in file:
            continue
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            version = getattr(module, "__version__", None)
            if isinstance(version, str):
                versions[name] = version
    return versions
