# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Times the command against yamllint and check-jsonschema: whole processes' CPU time, taken in turn.

    python -m bench speed [--corpus FOLDER] [--runs 5] [--before COMMAND] [--output bench/speed/command.md]
    python -m bench speed --networks --runs 1

trainlint is what users call: a wheel, installed in an environment of its own, with an empty cache each time.
Traces are made by the one next to this Python, which has torch. Needs yamllint and check-jsonschema, here or
on the path. Absolute seconds depend on the machine; quote the ratios. Next to each time of trainlint's
is what it judged: a run that judges less is quicker for no good reason. `--before` is the `trainlint` of an
older wheel, timed in the same rounds.
"""

from __future__ import annotations

import copy
import json
import os
import resource
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from bench import ROOT
from bench.commands import parser_of
from bench.profiles.templates import redux
from trainlint.estimate.replay.allocator import CachingAllocator
from trainlint.estimate.replay.footprint import footprint
from trainlint.estimate.replay.gpu_ledger import Ledger, Samples, ledger
from trainlint.estimate.replay.replay_script import replay, script
from trainlint.estimate.replay.workspace import Libraries, libraries
from trainlint.estimate.tapes.stored_profiles import Store, shipped_folder
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.tape import Tape
from trainlint.tape.encoding import decode

BIN = Path(sys.executable).parent
FILES = 500
TENTH = 10


@dataclass(frozen=True)
class Task:
    """A command to time; `cold` empties its cache before each run."""

    name: str
    command: tuple[str, ...]
    cold: bool = False

    def judged(self) -> str:
        """Return the outcomes of a run of trainlint's; "" for any other command."""
        if not self.command[0].endswith("trainlint") or not {"-t", "fit"} & {*self.command}:
            return ""
        command = [*self.command, "--format", "json"]
        found = subprocess.run(  # noqa: S603 - one of the tasks written here
            command, capture_output=True, text=True, check=False
        ).stdout
        outcomes = Counter(result["outcome"] for result in json.loads(found)["results"])
        return ", ".join(f"{count} {name}" for name, count in sorted(outcomes.items()))


def seconds(task: Task, cache: Path) -> float:
    """Run a command once and return its CPU time; its output is thrown away, its exit code not judged."""
    if task.cold:
        shutil.rmtree(cache, ignore_errors=True)
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed has its bytecode
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(  # noqa: S603 - one of the tasks written here
        task.command, capture_output=True, env=environment, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def installed(folder: Path) -> str:
    """Install trainlint from a wheel into an environment of its own, and return the command."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", ROOT], check=True)  # noqa: S603 - our own tree
    return str(folder / "bin" / "trainlint")


def program(name: str) -> str:
    """Return where a peer is installed: next to this Python, or on the path."""
    return shutil.which(name, path=os.pathsep.join((str(BIN), os.environ["PATH"]))) or name


Row = tuple[str, str, float, float]
"""A command, what it judged, its median and its ratio to the first."""


def medians(tasks: Sequence[Task], runs: int) -> list[Row]:
    """Run the tasks in turn, `runs` times after a warm-up."""
    with tempfile.TemporaryDirectory() as folder:
        caches = [Path(folder) / str(index) for index in range(len(tasks))]
        rounds = [[seconds(t, c) for t, c in zip(tasks, caches, strict=True)] for _ in range(runs + 1)][1:]
    columns = list(zip(*rounds, strict=True))
    ratios = [statistics.median(b / a for a, b in zip(columns[0], column, strict=True)) for column in columns]
    return [
        (task.name, task.judged(), statistics.median(column), ratio)
        for task, column, ratio in zip(tasks, columns, ratios, strict=True)
    ]


def table(title: str, rows: Sequence[Row]) -> str:
    """Render one comparison as Markdown."""
    heading = ["| command | judged | median s of CPU | ratio to the first |", "|---|---|---|---|"]
    lines = [f"### {title}", "", *heading]
    lines += [f"| {name} | {judged} | {middle:.2f} | {ratio:.2f} |" for name, judged, middle, ratio in rows]
    return "\n".join([*lines, ""])


def corpus(folder: Path, into: Path) -> list[str]:
    """Copy up to FILES YAML files side by side (names kept apart) and return their paths."""
    found = sorted(p for p in folder.rglob("*") if p.suffix in (".yml", ".yaml"))[:FILES]
    return [str(shutil.copy(path, into / f"{index:04d}.yml")) for index, path in enumerate(found)]


def tracing(folder: str) -> list[Task]:
    """Return a trace of a step that no shipped profile has (22 blocks for 23), next to torch's own import."""
    text = (ROOT / "examples" / "realesrgan_x4.yml").read_text(encoding="utf-8")
    config = Path(folder, "realesrgan.yml")
    config.write_text(text.replace("num_block: 23", "num_block: 22"), encoding="utf-8")
    words = [
        str(BIN / "trainlint"),
        "trace",
        str(config),
        "--profiles-dir",
        f"{folder}/out",
        "-t",
        "rtx-4090",
    ]
    command = ("sh", "-c", f"rm -rf {shlex.quote(folder)}/out; exec {shlex.join(words)}")
    return [
        Task("import torch alone", (sys.executable, "-c", "import torch")),
        Task("trainlint trace", command, cold=True),
    ]


def networks(folder: str) -> list[Task]:
    """Return a folder of 50 configs of 20 networks, at a crop of which no profile is shipped."""
    drawn = [(name, job) for name, job in redux() if name.endswith("otf_fidelity")][:20]
    for number in range(50):
        name, job = copy.deepcopy(drawn[number % len(drawn)])
        job["datasets"]["train"] |= {"lq_size": 80, "batch_size_per_gpu": 4 + 2 * (number // len(drawn))}
        Path(folder, f"{number:02}_{name}.yml").write_text(yaml.safe_dump(job), encoding="utf-8")
    command = (str(BIN / "trainlint"), folder, "-t", "rtx-4090")
    return [
        Task("import torch alone", (sys.executable, "-c", "import torch")),
        Task("trainlint FOLDER -t rtx-4090", command, cold=True),
        Task("the same with --jobs 2", (*command, "--jobs", "2"), cold=True),
    ]


def step_of_the_gan() -> Tape:
    """Return the longest shipped tape of the Real-ESRGAN GAN step."""
    found = (decode(path.read_bytes()) for path in shipped_folder().glob("*.tape"))
    tapes = [tape for tape in found if tape.step["recipe"] == "basicsr.RealESRGANModel" and not tape.batches]
    return max(tapes, key=lambda tape: len(tape.events))


def by_objects(book: Ledger, samples: Samples, used: Libraries) -> None:
    """Do what `footprint` does with the allocator's own objects, which the tests hold it to."""
    floor = book.peak(samples).allocated
    for cudnn, capacity, grow in ((False, floor, True), (False, None, False), (True, None, False)):
        lines = script(book, used, cudnn=cudnn)
        replay(lines, lines.sizes(book, samples), CachingAllocator(capacity, grow=grow))


def again(runs: int) -> str:
    """Time the figures of further batches, and of further crops, from what is stored of one step."""
    tape, used = step_of_the_gan(), libraries(8.6, benchmark=True)
    book = ledger(tape)
    with tempfile.TemporaryDirectory() as folder:
        tapes = TapeSource(save_to=Store(Path(folder)))  # a shipped tape may be of an older tracer
        crops = tapes.crops.crops(tape.step, 2)
    work: dict[str, Callable[[int], object]] = {
        "four figures at another batch": lambda at: footprint(book, Samples(at, at, 180), used),
        "the same, live bytes alone": lambda at: book.peak(Samples(at + 100, at + 100, 180)),
        "the same by the allocator's own objects": lambda at: by_objects(book, Samples(at, at, 180), used),
        "four figures at another crop": lambda at: footprint(
            ledger(crops.at(crops.sides[0] + (1 + at % 15) * crops.period)), Samples(12, 12, 180), used
        ),
    }
    taken: dict[str, list[float]] = {name: [] for name in work}
    for at in range(1, 2 + runs):  # in turn; the first of each is not counted
        for name, run in work.items():
            start = time.process_time()
            run(at)
            taken[name].append(time.process_time() - start)
    first, *_ = taken.values()
    rows = [
        f"| {name} | {1000 * statistics.median(each[1:]):.1f} |"
        f" {statistics.median(b / a for a, b in zip(first[1:], each[1:], strict=True)):.2f} |"
        for name, each in taken.items()
    ]
    title = f"the Real-ESRGAN GAN step again: a tape of {len(book.program):,} allocations and frees"
    heading = ["| what | median ms of CPU | ratio to the first |", "|---|---|---|"]
    return "\n".join([f"### {title}", "", *heading, *rows, ""])


def parts(trainlint: str, before: str | None, corpora: Path, runs: int) -> Iterator[str]:
    """Yield the comparisons as they are ready: one file, the examples, many files, another batch, a trace."""
    target = ("-t", "kaggle-t4x2", "--no-trace")
    examples, schema = ROOT / "examples", str(ROOT / "schemas" / "basicsr.json")

    def peers(files: Sequence[str]) -> tuple[Task, ...]:
        return (
            Task("yamllint", (program("yamllint"), *files)),
            Task("check-jsonschema", (program("check-jsonschema"), "--schemafile", schema, *files)),
        )

    def ours(name: str, *words: str) -> tuple[Task, ...]:
        versions = {"": trainlint} | ({"before: ": before} if before else {})
        return tuple(
            Task(f"{which}trainlint {name}", (path, *words), cold=True) for which, path in versions.items()
        )

    passing, failing = str(examples / "msrresnet_x4.yml"), str(examples / "realesrgan_x4.yml")
    one = (
        *peers([passing]),
        *ours("msrresnet_x4.yml -t rtx-4090", passing, "-t", "rtx-4090", "--no-trace"),
        *ours("realesrgan_x4.yml -t kaggle-t4x2, with its fixes", failing, *target),
        *ours("fit realesrgan_x4.yml, all targets", "fit", failing, "--no-trace"),
        *ours("--version", "--version"),
        *ours("--help", "--help"),
        Task("import click alone", (sys.executable, "-c", "import click")),
    )
    yield table("one file, stored profile", medians(one, runs))
    several = (
        Task("yamllint examples/", (program("yamllint"), str(examples))),
        *ours("examples/ -t kaggle-t4x2", str(examples), *target),
    )
    yield table("the examples, stored profiles", medians(several, runs))
    with tempfile.TemporaryDirectory() as folder:
        files = corpus(corpora, Path(folder)) if corpora.is_dir() else []

        def many(title: str, chosen: Sequence[str]) -> str:
            words = ("-t kaggle-t4x2 --no-trace", *chosen, *target)
            return table(f"{title}: {len(chosen)} files", medians((*peers(chosen), *ours(*words)), runs))

        if files:
            yield many("every tenth of the corpus", files[::TENTH])
        yield again(runs)
        with tempfile.TemporaryDirectory() as place:
            title = "one trace (Real-ESRGAN x4 GAN step, nothing cached)"
            yield table(title, medians(tracing(place), runs))
        if files:  # last, since it takes longer than all the others
            yield many("the corpus", files)


def folder(runs: int) -> str:
    """Time the folder of networks, nothing cached: minutes."""
    with tempfile.TemporaryDirectory() as place:
        return table("50 configs of 20 networks, traced, nothing cached", medians(networks(place), runs))


def main() -> None:
    """Print each comparison when it is ready, and write all of them."""
    parser = parser_of(__doc__)
    parser.add_argument("--corpus", type=Path, default=ROOT.parent / "shared" / "corpus")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--before", metavar="COMMAND")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--networks", action="store_true", help="the folder of 50 configs, and nothing else")
    args = parser.parse_args()
    found = []
    with tempfile.TemporaryDirectory() as place:
        made = (
            parts(installed(Path(place)), args.before, args.corpus, args.runs)
            if not args.networks
            else [folder(args.runs)]
        )
        for part in made:
            found.append(part)
            print(part, flush=True)
            if args.output:
                args.output.write_text("\n".join(found), encoding="utf-8")
