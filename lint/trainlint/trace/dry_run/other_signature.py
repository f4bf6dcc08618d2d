# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the program stops with in this version of a package, and in another one may not.

A call of its own that is refused: Python says so of arguments, and a package of what it no longer has; or its
own question for the version.
"""

from __future__ import annotations

import ast
import inspect
import re
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, Final

KEYWORD: Final = re.compile(r"[\w.<>]+\(\) got an unexpected keyword argument '(\w+)'")
"""What Python says of an argument that a function has not."""
NUMBER: Final = re.compile(
    r"[\w.<>]+\(\) (takes .+ positional arguments? but .+ given|missing \d+ required .*arguments?: )"
)
"""What it says of too many, or of too few."""
RETIRED: Final = re.compile(
    r"\b(deprecated (since|in)|(was|been|is|are) (now )?removed|no longer (supported|available|exists))\b"
    r"|stft requires the return_complex parameter"  # since torch 2.0
    r"|Weights only load failed"  # since torch 2.6
)
"""What a package says of what an earlier version did."""


def refused_call(error: BaseException, is_own: Callable[[str], bool]) -> str | None:
    """Return the module whose version an error is about; None: it is about none.

    What a config gives (`**options`) is the config's fault.
    """
    walked = list(traceback.walk_tb(error.__traceback__))
    own = [index for index, (frame, _) in enumerate(walked) if is_own(frame.f_code.co_filename)]
    is_direct = bool(own) and own[-1] == len(walked) - 1
    if is_direct and (asked := _asked_version(*walked[-1])) is not None:
        return asked
    if own and not is_direct and RETIRED.search(str(error)) is not None:
        return str(walked[-1][0].f_globals.get("__name__"))
    keyword, number = KEYWORD.match(str(error)), NUMBER.match(str(error))
    if not isinstance(error, TypeError) or (keyword is None and number is None):
        return None
    if not own or (keyword is None and not is_direct):
        return None
    frame, line = walked[own[-1]]
    for call in _calls(frame.f_code.co_filename, line):
        named = {word.arg for word in call.keywords}
        written = keyword[1] in named if keyword else None not in named and not _spreads(call)
        module = _module(call.func, frame) if written else None
        if module is not None:
            return module
    return None


def _asked_version(frame: FrameType, line: int) -> str | None:
    """Return the module of whose version an assertion, or the condition of a raised error, is about."""
    for node in _around(frame.f_code.co_filename, line):
        raises = isinstance(node, ast.If) and any(isinstance(step, ast.Raise) for step in node.body)
        if isinstance(node, ast.Assert) or (raises and node.body[0].lineno <= line):
            for part in ast.walk(node.test):
                if isinstance(part, ast.Attribute) and part.attr == "__version__":
                    module = frame.f_globals.get(getattr(part.value, "id", ""))
                    return module.__name__ if isinstance(module, ModuleType) else None
    return None


def _calls(file: str, line: int) -> Iterator[ast.Call]:
    """Yield the calls that a line is in, the innermost first."""
    yield from reversed([node for node in _around(file, line) if isinstance(node, ast.Call)])


def _around(file: str, line: int) -> list[Any]:
    """Return what a line of a source is in, the outermost first."""
    try:
        tree = ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return []
    lines = ((node, getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)) for node in ast.walk(tree))
    return [node for node, first, last in lines if first and first <= line <= (last or first)]


def _spreads(call: ast.Call) -> bool:
    return any(isinstance(word, ast.Starred) for word in call.args)


def _module(function: ast.expr, frame: FrameType) -> str | None:
    """Return the module of what a call calls, as far as that is found without running anything."""
    names: list[str] = []
    while isinstance(function, ast.Attribute):
        names.append(function.attr)
        function = function.value
    if not isinstance(function, ast.Name):
        return None
    value = frame.f_locals.get(function.id, frame.f_globals.get(function.id))
    for name in reversed(names):
        plain = isinstance(value, (ModuleType, type))
        value = getattr(value, name, None) if plain else inspect.getattr_static(value, name, None)
    return _home(value)


def _home(value: Any) -> str | None:
    """Return the module of a function or a class; of another object, that of its class."""
    if value is None:
        return None
    known = value if inspect.isroutine(value) or isinstance(value, type) else type(value)
    module = getattr(inspect.unwrap(known), "__module__", None)
    return module if isinstance(module, str) else None
