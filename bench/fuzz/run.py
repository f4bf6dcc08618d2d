# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Runs inputs that nobody wrote through trainlint and keeps those that it must not fall for.

    python -m bench fuzz [--inputs 100000] [--seed 1] [--jobs 2] [--corpus FOLDER] [--findings FOLDER]
    python -m bench fuzz --again FOLDER

An input is a damaged config that is judged once and rendered in every format, or (one in 24 at least) a
tree with hostile settings, rules, profiles, logs, sweeps and so on under the real command
(hostile/trees.py). Wrong is a traceback, more than 2 s of CPU for judging and the slowest format (and
0.25 s for each further job of a page, meter.py), more than 500 MB, and anything in the output that a
terminal or a CI would obey. Hypothesis draws the inputs, and a seed the same ones again; one that it draws
again in a chunk (three in ten are) is not judged again. Chunks run in processes of their own, so that one
that hangs or dies costs no more than itself; a run that was interrupted goes on after its last whole chunk.

CPU time is not the same twice where others work on the same cores. What was slow is run once more at the end,
in a process of its own in which nothing was judged before, and is wrong only if it is slow there too; what is
not is counted, and kept as .once.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from types import FrameType

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings

from bench import ROOT
from bench.commands import parser_of
from bench.fuzz.judge import complaints, pipeline
from bench.hostile.case import Case
from bench.hostile.inputs import cases, kept
from bench.hostile.texts import Base, own_texts, texts_of

CHUNK = 1000
"""Inputs of one process: its second of imports is little to them, and what Hypothesis keeps stays small."""
ADDRESSES = 4 * 2**30
"""Address space of a process: one that would take the machine's memory ends with MemoryError."""
HANGS_S = 20
"""CPU time after which an input is given up."""
SILENT_S = 600
"""Seconds without an input's end after which its process is killed: C code that hangs hears no signal."""


class HangsError(BaseException):
    """An input took too long; nothing but the loop catches it."""


def give_up(_signal: int, _frame: FrameType | None) -> None:
    """Leave an input that hangs."""
    raise HangsError


def chunk(bases: Sequence[Base], number: int, count: int, out: Path) -> None:
    """Run `count` inputs of a seed; what is wrong goes into `out`, and what runs now is in `out`/current."""
    scratch = Path(mkdtemp(dir=out))
    tally: Counter[str] = Counter()
    judged: set[Case] = set()
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        os.environ[name] = str(scratch / name)
    pipeline()

    @seed(number)
    @settings(
        max_examples=count, deadline=None, database=None, phases=[Phase.generate], verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(cases(bases))
    def judge_case(case: Case) -> None:
        tally["inputs"] += 1
        if case in judged:
            return
        judged.add(case)
        (out / "current").write_text(case.encoded(), encoding="utf-8")
        wrong = watched_complaints(case, scratch)
        tally["different"] += 1
        tally["trees"] += bool(case.words)
        if wrong:
            keep(case, wrong, out)

    judge_case()
    (out / "tally").write_text(json.dumps(tally), encoding="utf-8")


def watched_complaints(case: Case, scratch: Path) -> list[str]:
    """Run a case as `complaints` does, and give it up after HANGS_S."""
    signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, HANGS_S)
    try:
        return complaints(case, scratch)
    except HangsError:
        return [f"slow: more than {HANGS_S} s of CPU"]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def keep(case: Case, wrong: Sequence[str], out: Path) -> None:
    """Write a case and what was wrong with it."""
    text = case.encoded()
    name = hashlib.sha256(text.encode()).hexdigest()[:12]
    (out / f"{name}.json").write_text(text, encoding="utf-8")
    (out / f"{name}.txt").write_text("\n".join(wrong), encoding="utf-8", errors="backslashreplace")


def path_of_python() -> str:
    """Return PYTHONPATH with the repository, since the working folder may be another."""
    return os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))


def watched(command: Sequence[str], out: Path) -> None:
    """Run a chunk's process, and keep the input that it died of or hung in."""
    process = subprocess.Popen(  # noqa: S603 - this module in our own interpreter
        command, env=os.environ | {"PYTHONPATH": path_of_python()}
    )
    current = out / "current"
    while process.poll() is None:
        time.sleep(0.2)
        if current.exists() and time.time() - current.stat().st_mtime > SILENT_S:
            process.kill()
    if process.returncode and current.exists():
        keep(Case.decoded(current.read_text("utf-8")), [f"dead: exit {process.returncode}"], out)


def alone(cases: Iterable[Case]) -> Iterator[list[str]]:
    """Yield what is wrong with each case, in a process that has the rules and judged nothing before."""
    pipeline()
    with TemporaryDirectory() as scratch, get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        yield from pool.imap(partial(watched_complaints, scratch=Path(scratch)), cases)


def again(folder: Path) -> int:
    """Run the cases of a folder and return how many are still wrong."""
    found = 0
    named = kept(folder)
    for (name, _), wrong in zip(named, alone(case for _, case in named), strict=True):
        found += bool(wrong)
        print(f"{name}: {'; '.join(wrong)[:300] or 'fine'}")
    return found


def slow_again(folder: Path, number: int) -> int:
    """Run again what was slow and nothing else; keep what is slow again, and return how many are not."""
    texts = {path: path.read_text("utf-8") for path in sorted(folder.glob(f"{number}-*/*.txt"))}
    once = [path for path, text in texts.items() if text.startswith("slow") and "\n" not in text]
    cases = (Case.decoded(path.with_suffix(".json").read_text("utf-8")) for path in once)
    fast = 0
    for path, wrong in zip(once, alone(cases), strict=True):
        fast += not wrong
        if wrong:
            path.write_text("\n".join([*wrong, f"before: {texts[path]}"]), encoding="utf-8")
        else:
            path.rename(path.with_suffix(".once"))
    return fast


def fuzz(args: argparse.Namespace) -> int:
    """Run all chunks, some at a time; return how many inputs were wrong."""
    args.findings.mkdir(parents=True, exist_ok=True)
    numbers = range(-(-args.inputs // CHUNK))
    running: list[tuple[int, Path]] = []
    for number in numbers:
        size = min(CHUNK, args.inputs - number * CHUNK)
        out = args.findings / f"{args.seed}-{number}"
        if (out / "tally").exists():
            continue
        out.mkdir(exist_ok=True)
        while len(running) >= args.jobs:
            running = [one for one in running if not ended(one)]
            time.sleep(0.1)
        running.append((started(args, number, size, out), out))
    for child, _ in running:
        os.waitpid(child, 0)
    fast = slow_again(args.findings, args.seed)
    return summary(args.findings, args.seed, fast)


def started(args: argparse.Namespace, number: int, size: int, out: Path) -> int:
    """Start a chunk's watcher in a fork; return its process."""
    command = [
        sys.executable, "-m", "bench", "fuzz", "--chunk", str(args.seed * 1_000_000 + number),
        "--inputs", str(size), "--findings", str(out), "--corpus", str(args.corpus),
    ]  # fmt: skip
    child = os.fork()
    if not child:
        watched(command, out)
        os._exit(0)
    return child


def ended(one: tuple[int, Path]) -> bool:
    """Say whether a chunk has ended."""
    return os.waitpid(one[0], os.WNOHANG)[0] != 0


def summary(folder: Path, number: int, fast: int) -> int:
    """Print what was run and what was wrong; `fast` were slow once, and not when they were run again."""
    tally: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for path in folder.glob(f"{number}-*/tally"):
        tally.update(json.loads(path.read_text("utf-8")))
    for path in folder.glob(f"{number}-*/*.txt"):
        kinds.update({line.partition(":")[0] for line in path.read_text("utf-8").splitlines()[:1]})
    different = f"{tally['different']} different ones judged, {tally['trees']} of these trees"
    print(f"{tally['inputs']} inputs drawn ({different}), {sum(kinds.values())} wrong")
    if fast:
        print(f"  {fast:5} slow once, and not when run again alone")
    for kind, count in kinds.most_common():
        print(f"  {count:5} {kind}")
    return sum(kinds.values())


def main() -> None:
    """Read the arguments and run."""
    parser = parser_of(__doc__)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--corpus", type=Path, default=ROOT.parent / "shared" / "corpus")
    parser.add_argument("--findings", type=Path, default=Path("fuzz-findings"))
    parser.add_argument("--again", type=Path, help="run the cases of a folder")
    parser.add_argument("--chunk", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.again:
        sys.exit(again(args.again) > 0)
    if args.chunk is not None:
        bases = own_texts() + (texts_of(args.corpus) if args.corpus.is_dir() else [])
        chunk(bases, args.chunk, args.inputs, args.findings)
        return
    sys.exit(fuzz(args) > 0)
