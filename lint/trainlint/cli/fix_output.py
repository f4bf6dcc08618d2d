# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`--fix` and `--diff` as they reach the files and the reader."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trainlint.cli.console import complain, say, write_patch
from trainlint.cli.fixed_text import Fixed, diff, fixed_sources
from trainlint.errors import UsageError
from trainlint.files.atomic_write import remove_left
from trainlint.files.replace_text import write_back
from trainlint.model.units import plural
from trainlint.pipeline.pipeline import Pipeline
from trainlint.report.style import printable
from trainlint.session.many_files import Input


def show_diff(pipeline: Pipeline, inputs: Sequence[Input], output: Path | None, *, unsafe: bool) -> int:
    """Print the diffs; 1 when there is something to change, as diff itself does."""
    found = list(fixed_sources(pipeline, inputs, unsafe=unsafe))
    changes = [diff(one.before, one.after) for one in found if one.changed]
    write_patch("".join(changes), output)
    _say_left(found)
    return int(bool(changes))


def write_fixes(pipeline: Pipeline, inputs: Sequence[Input], *, unsafe: bool) -> bool:
    """Write what can be fixed; False where a file was refused, which the others do not suffer from."""
    written = True
    for item in inputs:
        remove_left(item.path)
    found = []
    for one in fixed_sources(pipeline, inputs, unsafe=unsafe):
        found.append(one)
        if not one.changed:
            continue
        try:
            write_back(one.before, one.after)
        except UsageError as error:
            complain(str(error))
            written = False
        else:
            say(printable(f"fixed {one.before.path}"), err=True)
    _say_left(found)
    return written


def _say_left(found: Sequence[Fixed]) -> None:
    """Say how many fixes were not applied because they change what is learned."""
    left = sum(one.left for one in found)
    if left:
        said = f"{plural(left, 'finding')} left that only a change of what is learned fixes"
        complain(f"{said} (crop, effective batch, precision): --unsafe-fixes makes such changes too")
