# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a repository alters for all of its classes: torch layers, a registry, a step's precision and sizes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Final

from trainlint.repository.survey.module_scope import Scopes

_TORCH: Final = re.compile(r"^[ \t]*(torch|nn|F)((?:\.\w+)+)[ \t]*=(?!=)", re.MULTILINE)
_LAYERS: Final = re.compile(
    r"torch\.(?:nn(?:\.modules\.\w+)?\.[A-Z]\w*|nn\.functional\.\w+|nn\.Module\.(?:__call__|forward|to|train)"
    r"|Tensor\.(?:backward|to)|optim\.[A-Z]\w*|utils\.checkpoint\.checkpoint)"
)
"""What steps are made of; torch.load and the flags in torch.backends shape none."""
TORCH_ALIASES: Final = {"torch": "torch", "nn": "torch.nn", "F": "torch.nn.functional"}
"""What everybody calls torch's modules."""
_REGISTRY: Final = re.compile(
    r"^[^#\n]*(?<!self)\._(?:obj_map|module_dict)"
    r"(?:\[[^\]\n]*\][ \t]*=(?!=)|\.(?:clear|pop|setdefault|update)\()",
    re.MULTILINE,
)
_STEP: Final = re.compile(
    r"^[ \t]*(?:[\w, ]+=[ \t]*)?(?:\w+\.)*model\w*\.optimize_parameters\(", re.MULTILINE
)
_PRECISION: Final = re.compile(
    r"^[ \t]*(?:with\b[^#\n]*\bautocast\(|[\w.]*\bautocast\([^#\n]*\)\.__enter__\("
    r"|[\w.]*\bset_default_dtype\()",
    re.MULTILINE,
)
_NETWORK: Final = re.compile(
    r"^[^#\n]*(?:\bmodel\w*\.net_\w+[ \t]*=(?!=)"
    r"|\[['\"]network_\w+['\"]\](?:\.update\(|(?:\[[^\]\n]*\])*[ \t]*(?:[*+-]|//?)?=(?!=)))",
    re.MULTILINE,
)
"""What a training loop does to networks that no published one does: it sets them, or what the config has."""
_SIZE: Final = re.compile(
    r"^[^#\n]*\[[ \t]*['\"](gt_size|lq_size|H_size|batch_size_per_gpu|dataloader_batch_size)['\"]"
    r"[ \t]*\][ \t]*"
    r"(?:(?:[*+-]|//?)?=(?!=)|(?:[*+-]|//?)[ \t]*\d)",
    re.MULTILINE,
)
"""A crop or a batch that the code sets itself, or makes a multiple of: published trainers do neither.

Of 97 public repositories with BasicSR's options one does (TVQ-RAP's train.py), and scripts that test data.
"""
_REMADE: Final = re.compile(r"^[^#\n]*\b(data(?:set)?_opt)\.update\(", re.MULTILINE)
"""What gives a data set other options than its section has; published trainers set single ones."""
_BATCH: Final = re.compile(r"^[ \t]*(batch_size)[ \t]*=[ \t]*(?!1[ \t]*$)[1-9][\d \t*]*$", re.MULTILINE)
_BUILDS: Final = re.compile(r"^def (?:build|create)_dataloader\(", re.MULTILINE)
"""What builds loaders, in whose file a batch may be a number; of one, it is a validation's."""
_HARMLESS: Final = (
    r"(?:get|current|save|log|print|display|reset|info|load|resume|set|record|init|feed|merge|define|setup|update"
    r"|isinstance|hasattr|len|sum|str|type|super)(?:_\w*|s)?"
    r"|optimize_parameters|\w*validation|val|valid|evaluation|test|train|eval|to|format|append|replace|step|__\w+"
)
"""Names of what published loops call, and what takes no memory."""
_RUNS: Final = re.compile(
    rf"^[^#\n]*?\b(?:model\w*\.(?!(?:{_HARMLESS})\()(\w+)\("
    rf"|(?<!\.)(?:\w+\.)*+(?!(?:{_HARMLESS})\()(\w+)\((?:[^()\n]|\([^()\n]*\))*"
    r"\bmodel\w*\.(?:net\w+|lq|gt|output|real_H|var_L|L|H|E)\b)",
    re.MULTILINE,
)
"""What a file that runs steps calls of a model, or with its networks and images, that no published loop does.

Of 84 public repositories with such loops eight have one.
"""
_HIDING: Final = re.compile(
    r"^[ \t]*os\.environ\[['\"]CUDA_VISIBLE_DEVICES['\"]\][ \t]*=[ \t]*['\"][ \t]*[1-9]", re.MULTILINE
)
"""What shows the run a GPU that a machine with one does not have."""
_OF_STEPS: Final = (
    (_PRECISION, "the precision of the step"), (_NETWORK, "a network"), (_HIDING, "which GPUs are shown"),
)  # fmt: skip
"""What a file that runs steps may set for them."""
_SCRIPT: Final = re.compile(r"__name__|\bargparse\b|\bsys\.argv\b|\b(?:train|fit|main|run)\w*\(|\.backward\(")
"""What a file has that is started and not imported, and a module that changes things alone has not."""
_BY_NAME: Final = re.compile(
    r"\b(?:import_module|__import__)\(\s*+"
    r"(?:(?P<whole>[rb]?(['\"])[\w.]+\2\s*+[,)])|[rbf]{0,2}['\"](?P<package>\w+(?:\.\w+)*)\.(?=[{%'\"]))?"
)
"""An import by a name: a whole one, or what is computed, in a package where its name begins with one."""
_LOADER: Final = re.compile(
    r"\b(?:pkgutil|spec_from_file_location|SourceFileLoader|load_source|exec_module|load_module|runpy)\b"
    r"|\bimport_module\s+as\b|(?<![.\w])exec\("
)
"""What runs files that it need not name."""
_COMPUTED: Final = re.compile(r"\b(?:glob|listdir|scandir|iterdir|import_module|__import__)\b")
"""What an __init__.py has whose own modules are imported by names that it looks for, or puts into __all__."""
_CALLED: Final = ("train", "main")
"""How the files that train are called."""
_STARTED: Final = ("__init__", "__main__", "train", "main")
"""How a file is called that may run though no other one names it."""


def altered(scopes: Scopes) -> str | None:
    """Return what is altered, and where; None where nothing is. Raises TooMuchError."""
    return next(_altered(scopes), None)


def _altered(scopes: Scopes) -> Iterator[str]:
    loops = _loops(scopes.files.texts)
    for path, text in scopes.files.texts.items():
        for match in _TORCH.finditer(text) if "torch" in text else ():
            name = _layer(scopes, path, match[1], match[2])
            if name and _at_import(scopes, path, _line(text, match)) and _may_run(scopes, path):
                yield f"{name} is changed in {path}:{_line(text, match)}"
        if entry := _REGISTRY.search(text):
            yield f"a registry is changed in {path}:{_line(text, entry)}"
        for pattern, what in _OF_STEPS if path in loops else ():
            if setting := pattern.search(text):
                yield f"{path}:{_line(text, setting)} sets {what}"
        run = _RUNS.search(text) if path in loops and not _is_test(path) else None
        if run is not None:
            yield f"{path}:{_line(text, run)} calls {run[1] or run[2]}, which no published loop does"
        size = (
            _SIZE.search(text)
            or _REMADE.search(text)
            or (_BATCH.search(text) if _BUILDS.search(text) else None)
        )
        if size is not None and not _is_test(path):
            yield f"{path}:{_line(text, size)} changes {size[1]}"


def _loops(texts: Mapping[str, str]) -> set[str]:
    """Return the files that run steps: those that are called so (train.py), where there are such.

    Others are programs of another purpose then: a train.py with a loop of its own imports none.
    """
    running = {path for path, text in texts.items() if _STEP.search(text)}
    called = {path for path in running if path.rpartition("/")[2].startswith(_CALLED)}
    return called or running


def _is_test(path: str) -> bool:
    return any(part.startswith("test") for part in path.split("/"))


def _layer(scopes: Scopes, path: str, root: str, rest: str) -> str | None:
    """Return torch's full name for what is assigned to, where it is a part of steps."""
    if not _LAYERS.fullmatch(
        TORCH_ALIASES[root] + rest
    ):  # other assignments are many, and finding a name takes time
        return None
    base = scopes.find(path, root)
    name = f"{base.name}{rest}"
    return name if base.kind == "outside" and _LAYERS.fullmatch(name) else None


def _at_import(scopes: Scopes, path: str, line: int) -> bool:
    """Return whether a line runs when its module is imported: not in a function that may never be called."""
    tree = scopes.files.tree(path)
    inner = ast.FunctionDef | ast.AsyncFunctionDef
    return tree is not None and not any(
        node.lineno <= line <= (node.end_lineno or line) for node in ast.walk(tree) if isinstance(node, inner)
    )


def _may_run(scopes: Scopes, path: str) -> bool:
    """Return whether anything may import or start a file: false for one that its own repository forgot."""
    texts = scopes.files.texts
    folder, _, name = path.removesuffix(".py").rpartition("/")
    if name.startswith(_STARTED) or f"{folder}/__init__.py" not in texts or _SCRIPT.search(texts[path]):
        return True
    named = re.compile(rf"\b{re.escape(name)}\b")
    if any(named.search(text) for other, text in texts.items() if other != path):
        return True
    return any(_may_import(text, f"/{folder}/") for text in texts.values()) or (
        _COMPUTED.search(texts[f"{folder}/__init__.py"]) is not None
    )


def _may_import(text: str, folder: str) -> bool:
    """Return whether a text imports modules by names that it computes, maybe of a folder ("/a/b/")."""
    if _LOADER.search(text):
        return True
    return any(
        match["package"] is None or f"/{match['package'].replace('.', '/')}/" in folder
        for match in _BY_NAME.finditer(text)
        if match["whole"] is None
    )


def _line(text: str, match: re.Match[str]) -> int:
    offset = match.start() + len(match[0]) - len(match[0].lstrip())
    return text.count("\n", 0, offset) + 1
