# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Digests of tapes, networks and findings: what a change that only moves code has to leave as it is.

    python -m bench digests collect OUT FILE_OR_FOLDER...   the steps that configs ask for, and their findings
    python -m bench digests trace OUT [--steps OTHER]       digest the tapes of those steps (or of OTHER's)
    python -m bench digests tests OUT PYTEST_ARGUMENT...    digest what tests trace and build while they run
    python -m bench digests compare OUT OTHER               say what differs; exit 1 where anything does

Each may be stopped and started again: OUT keeps a line for all that is done. The shipped profiles' jobs are
always collected. Steps are traced in an order in which every recipe with every network, precision and
parallel mode comes once before any of them comes again, at two samples; the first of each at one sample too.

A tape's digest has sizes, lifetimes, operators, parameters and files in order; owners, the names of modules
and notes are outside it. A network's has the shapes of its parameters and buffers.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

from bench import ROOT
from bench.commands import parser_of
from bench.profiles.jobs import files
from trainlint.errors import CannotTraceError
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.model.result import Result
from trainlint.session.many_files import lint_all
from trainlint.session.toolbox import inputs_of, pipeline_for
from trainlint.settings.settings import Settings
from trainlint.tape import Block, Tape

TARGETS = ("rtx-4090", "kaggle-t4x2")
STEPS, TAPES, FINDINGS, NETWORKS = "steps.jsonl", "tapes.jsonl", "findings.jsonl", "networks.jsonl"
KINDS = (TAPES, FINDINGS, NETWORKS)
MOST_SHOWN = 20
"""Differences that are listed of each kind; the rest is counted."""


def digest_of(tape: Tape) -> str:
    """Return the digest of all that decides a tape's memory and time."""
    parts: list[Any] = [[(_block(block)) for block in tape.blocks]]
    parts.append(
        [(op.kind, op.key, op.device, op.dtype, _sizes(op.flops, op.read, op.written)) for op in tape.ops]
    )
    parts += [tuple(tape.events), tape.devices, tape.batches, tape.affine == "exact"]
    parts.append([(network.role, network.parameters, network.trainable) for network in tape.networks])
    parts.append([(file.name, file.size) for file in tape.files])
    return _sha(repr(parts))


def _block(block: Block) -> tuple[Any, ...]:
    return (_sizes(block.size), block.kind, block.device, block.stream)


def _sizes(*sizes: Any) -> list[tuple[int, ...]]:
    return [(size.const, size.batch, size.total, size.pool) for size in sizes]


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:24]


class Log:
    """Lines of {"name", "value"} in a file: each name once, added as soon as it is known."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        self.known: dict[str, Any] = {row["name"]: row["value"] for row in map(json.loads, lines)}

    def add(self, name: str, value: Any) -> None:
        """Write a line for a name that has none."""
        if name not in self.known:
            self.known[name] = value
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"name": name, "value": value}) + "\n")


def name_of(step: Mapping[str, Any], options: Mapping[str, Any]) -> str:
    """Return the name of one trace: the step and what it is traced with."""
    return _sha(json.dumps([step, options], sort_keys=True, default=str))


def outcome(make: Callable[[], Tape]) -> str:
    """Return a tape's digest, or the class of what refused to be traced (messages may change)."""
    try:
        return digest_of(make())
    except CannotTraceError as error:
        return type(error).__name__


def collect(out: Path, paths: Sequence[str]) -> None:
    """Lint each file without tracing; keep what it would trace and what is found."""
    steps, findings = Log(out / STEPS), Log(out / FINDINGS)

    def asked(step: Mapping[str, Any], **options: Any) -> Tape:
        steps.add(name_of(step, options), {"step": step, "validation": options.get("validation")})
        raise CannotTraceError("only collected")

    settings = Settings(target=TARGETS)
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files():
            Path(folder, name).write_text(text, encoding="utf-8")
        for item in inputs_of([folder, str(ROOT / "examples"), *paths], settings, None):
            name = str(item.path).removeprefix(folder).removeprefix(str(ROOT))
            if name in findings.known:
                continue
            tapes = TapeSource((), trace=asked)
            report = lint_all(pipeline_for(settings, tapes), [item], lambda _path: None)
            rows = [row for result in report.results for row in _said(result)]
            findings.add(name, [len(report.results), len(report.crashes), sorted(rows)])


def _said(result: Result) -> Iterator[list[Any]]:
    """Yield a result's outcome, and each finding's rule, level and places."""
    job = [result.name or "", result.line, result.target.name if result.target else ""]
    yield [*job, str(result.outcome), "", []]
    for found in result.findings:
        yield [*job, found.rule, str(found.level), [[span.start, span.end] for span in found.spans]]


def ordered(steps: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], Any, bool]]:
    """Yield (step, validation, whether it is its group's first): one of every group, then a second."""
    groups: dict[tuple[str, ...], list[Any]] = defaultdict(list)
    for row in steps.values():
        groups[_group(row["step"])].append(row)
    for number, rows in enumerate(zip_longest(*groups.values())):
        for row in filter(None, rows):
            yield row["step"], row["validation"], number == 0


def _group(step: Mapping[str, Any]) -> tuple[str, ...]:
    names = (
        "dialect",
        "recipe",
        "networks.generator.arch",
        "networks.discriminator.arch",
        "precision",
        "parallel",
    )
    return tuple(str(step.get(name, "")) for name in names)


def trace_all(out: Path, steps: Path) -> None:
    """Digest the tape of every step of a folder."""
    from trainlint.trace.trace import trace  # noqa: PLC0415 - imports torch

    tapes = Log(out / TAPES)
    for step, validation, first in ordered(Log(steps / STEPS).known):
        for batch in (2, 1) if first else (2,):
            options: dict[str, Any] = {"batches": (batch,)}
            if validation:
                options["validation"] = tuple(validation)
            name = name_of(step, options)
            if name not in tapes.known:
                tapes.add(name, [_label(step, batch), outcome(partial(trace, step, **options))])


def _label(step: Mapping[str, Any], batch: int) -> str:
    return " ".join(filter(None, (*_group(step), f"batch {batch}")))


def run_tests(out: Path, arguments: Sequence[str]) -> int:
    """Run tests, digesting all that they trace and build in this process."""
    import pytest  # noqa: PLC0415 - only here

    from trainlint.trace.building import build as builds  # noqa: PLC0415 - imports torch

    networks, tapes, build = Log(out / NETWORKS), Log(out / TAPES), builds.build

    def built(dialect: str, arch: str, args: Mapping[str, Any]) -> Any:
        module = build(dialect, arch, args)
        shapes = [list(each.shape) for each in (*module.parameters(), *module.buffers())]
        networks.add(
            _sha(repr((dialect, arch, sorted(args.items())))), [f"{dialect}:{arch}", _sha(repr(shapes))]
        )
        return module

    builds.build = built
    from trainlint.trace import trace as traces  # noqa: PLC0415 - after `build` is another

    trace = traces.trace

    def traced(step: Mapping[str, Any], **options: Any) -> Tape:
        tape = trace(step, **options)
        plain = {key: value for key, value in options.items() if key != "recipe"}
        if "recipe" not in options:
            tapes.add(name_of(step, plain), [_label(step, 0), digest_of(tape)])
        return tape

    traces.trace = traced
    return int(pytest.main(["-n", "0", "-m", "not slow", "-p", "no:cacheprovider", *arguments]))


def compare(one: Path, other: Path) -> int:
    """Print what differs between two folders; names that only one of them has are counted."""
    wrong = 0
    for kind in KINDS:
        here, there = Log(one / kind).known, Log(other / kind).known
        both = here.keys() & there.keys()
        changed = sorted(name for name in both if here[name] != there[name])
        wrong += len(changed)
        print(f"{kind}: {len(both) - len(changed)} the same, {len(changed)} differ", end="; ")
        print(f"only in the first {len(here.keys() - both)}, only in the second {len(there.keys() - both)}")
        for name in changed[:MOST_SHOWN]:
            print(f"  {name}: {here[name]} -> {there[name]}")
    return 1 if wrong else 0


def main() -> int:
    """Do what the first argument says."""
    parser = parser_of(__doc__)
    parser.add_argument("task", choices=("collect", "trace", "tests", "compare"))
    parser.add_argument("out", type=Path)
    parser.add_argument("--steps", type=Path, help="the folder whose steps are traced")
    args, rest = parser.parse_known_args()
    match args.task:
        case "collect":
            collect(args.out, rest)
        case "trace":
            trace_all(args.out, args.steps or args.out)
        case "tests":
            return run_tests(args.out, rest)
        case _:
            return compare(args.out, Path(rest[0]))
    return 0
