# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Counts the option files that the shipped profiles alone judge, and traces some of them to compare.

    python -m bench stored FOLDER... [--target a100-80gb] [--sample 16]

A file counts where every reading of its jobs has a memory verdict. The sample is drawn from those files by
their digests: it is traced again, without any profile, and has to have the same outcome, findings, memory and
time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.commands import parser_of
from trainlint.estimate.tapes.stored_profiles import shipped_store
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.model.result import Report
from trainlint.model.verdict import Verdict
from trainlint.report.json_version_1 import as_dict
from trainlint.session.many_files import lint_all
from trainlint.session.toolbox import inputs_of, pipeline_for
from trainlint.settings.settings import Settings

ORIGIN = "source"
"""Where a figure's tapes are from, in a report's memory: the one word in which both may differ."""
FACTS = ("memory", "time")


def report(path: str, target: str, tapes: TapeSource) -> Report:
    """Judge a file or a folder."""
    settings = Settings(target=(target,))
    return lint_all(pipeline_for(settings, tapes), inputs_of([path], settings, None), lambda _path: None)


def judged(found: Report) -> dict[str, bool]:
    """Return the files with jobs, and whether all readings of theirs have a memory verdict."""
    files: dict[str, bool] = {}
    for result in found.results:
        verdict = result.verdicts.get("memory", Verdict.NOT_JUDGED)
        files[result.path] = files.get(result.path, True) and verdict is not Verdict.NOT_JUDGED
    return files


def said(path: str, target: str, tapes: TapeSource) -> list[dict[str, Any]]:
    """Return what is said of a file's jobs, but for where it is from."""
    rows = []
    for result in as_dict(report(path, target, tapes))["results"]:
        row = {name: result[name] for name in ("name", "outcome", "verdicts", "findings")}
        facts = {name: dict(result["facts"][name] or {}) for name in FACTS}
        facts["memory"].pop(ORIGIN, None)
        rows.append({**row, **facts, "missing": result["facts"]["missing"].get("memory")})
    return rows


def differing(one: Sequence[dict[str, Any]], other: Sequence[dict[str, Any]]) -> list[str]:
    """Return the names of what two lists of jobs differ in."""
    if len(one) != len(other):
        return ["jobs"]
    return sorted(
        {name for row, same in zip(one, other, strict=True) for name in row if row[name] != same[name]}
    )


def sampled(paths: Sequence[str], count: int) -> list[str]:
    """Return some of the files, the same ones whenever they are the same."""
    return sorted(paths, key=lambda path: hashlib.sha256(Path(path).read_bytes()).hexdigest())[:count]


def stored() -> TapeSource:
    """Return the profiles that travel with trainlint, and nothing else."""
    return TapeSource((shipped_store(),), may_trace=False)


def compared(paths: Sequence[str], target: str) -> Iterator[tuple[str, str, bool]]:
    """Yield each file, how a trace of its steps compares with the stored profiles, and whether it differs.

    One that cannot be traced here, as a network of its may not be shipped, is no difference.
    """
    for path in paths:
        traced = said(path, target, TapeSource(()))
        names = differing(said(path, target, stored()), traced)
        reasons = {row["missing"] for row in traced}
        if names and None not in reasons:
            yield path, f"not traced here: {'; '.join(sorted(reasons))}", False
        else:
            yield path, f"differs in {', '.join(names)}" if names else "the same when traced", bool(names)


def main() -> int:
    """Count, sample and compare; 1 where anything differs."""
    parser = parser_of(__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--target", default="a100-80gb")
    parser.add_argument("--sample", type=int, default=16)
    args = parser.parse_args()
    able: list[str] = []
    for folder in args.folders:
        files = judged(report(str(folder), args.target, stored()))
        able += [path for path, has in files.items() if has]
        print(f"{folder}: {sum(files.values())} of {len(files)} files", flush=True)
    wrong = 0
    for path, text, differs in compared(sampled(able, args.sample), args.target):
        print(f"{path}: {text}", flush=True)
        wrong += differs
    return 1 if wrong else 0
