# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Traces the profiles that travel in the wheel (jobs.py and its neighbors), and says what it took.

    python -m bench profiles            trace what is missing or outdated; may be stopped and started again
    python -m bench profiles --jobs 2   the same in two processes
    python -m bench profiles --check    trace nothing, exit 1 and name what is missing or outdated

Every job is judged on one GPU and on two (DataParallel), as `trainlint` would with fixes: what it asks for is
kept. A profile that no job asks for is deleted. What other crops need is traced by `python -m bench crops`
afterwards. Needs the torch that `pip install -e '.[dev]'` installs.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import yaml

from bench import ROOT
from bench.commands import parser_of
from bench.profiles.clips import videos
from bench.profiles.faces import faces
from bench.profiles.jobs import files
from bench.profiles.kair import single, swinir
from bench.profiles.neosr import neosr, neosr_before
from bench.profiles.options import images
from bench.profiles.templates import templates
from trainlint.estimate.tapes.stored_profiles import SUFFIX, Store
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.session.many_files import lint_all
from trainlint.session.toolbox import inputs_of, pipeline_for
from trainlint.settings.settings import Settings
from trainlint.tape import Tape
from trainlint.tape.encoding import decode
from trainlint.tape.provenance import NOT_SHIPPED, SOURCES_KEY

PROFILES = ROOT / "lint" / "trainlint" / "profiles"
TARGETS = ("rtx-4090", "kaggle-t4x2")
ROOMY_TARGETS = ("b200",)
"""What templates and option files are judged on: as they are, on one GPU, where no fix of theirs is tried."""

SEVERAL_GPUS = ("hf-space-l40s-x4",)
"""What of them is judged in DataParallel: the machine of several GPUs that has the largest ones."""
IN_PARALLEL = (
    "nafnet_sidd_32_8", "nafnet_sidd_64_8", "nafnet_gopro_32_8_val", "nafnet_gopro_64_8_val", "ldl_real_x4",
)  # fmt: skip
"""Option files for eight GPUs that are small enough for two, where they are started without a launcher."""

OF_LIBRARIES = ("diffusers.", "timm.")
"""The recipes of `image_profiles` and `classifiers`: their networks are other libraries'."""

Work = tuple[Path, tuple[str, ...]]
"""A file with jobs, and the targets on which they are judged."""
JOBS = (".yml", ".yaml", ".json", ".toml", ".sh")
"""Suffixes of examples that hold jobs."""


def asked(work: Work, store: Store, *, may_trace: bool) -> tuple[Tape, ...]:
    """Return the tapes that a file's jobs ask for."""
    path, targets = work
    settings = Settings(target=targets)
    tapes = TapeSource((store,), may_trace=may_trace)
    lint_all(pipeline_for(settings, tapes), inputs_of([str(path)], settings, None), lambda _path: None)
    return tapes.used()


def jobs(folder: Path) -> Iterator[Work]:
    """Yield every file with jobs; those written here are put into `folder`, what others publish last."""
    for path in sorted(path for path in (ROOT / "examples").rglob("*") if path.suffix in JOBS):
        yield path, TARGETS
    texts: list[tuple[str, str, tuple[str, ...]]] = [(name, text, TARGETS) for name, text in files()]
    published = (*templates(), *neosr(), *neosr_before(), *images(), *videos(), *faces())
    for name, job in published:
        where = (*ROOMY_TARGETS, *(SEVERAL_GPUS if name in IN_PARALLEL else ()))
        texts.append((f"{name}.yml", yaml.safe_dump(job, sort_keys=False), where))
    texts += [(f"kair_{name}.json", json.dumps(job), ROOMY_TARGETS) for name, job in single()]
    texts += [
        (f"kair_{name}.json", json.dumps(job), (*ROOMY_TARGETS, *SEVERAL_GPUS)) for name, job in swinir()
    ]
    for name, text, targets in texts:
        path = folder / name
        path.write_text(text, encoding="utf-8")
        yield path, targets


def keep(work: Work, store: Store) -> tuple[set[str], list[str]]:
    """Save what a file's jobs ask for and is not stored; return the keys, and the names of what was saved."""
    tapes = asked(work, store, may_trace=True)
    return {tape.key for tape in tapes}, [store.save(tape).name for tape in tapes if tape.source == "traced"]


def build(store: Store, processes: int) -> None:
    """Trace what is missing, file by file: what is saved stays where this is stopped."""
    begun, traced, kept = time.perf_counter(), 0, set()
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(processes) as pool:
        works = list(jobs(Path(folder)))
        for work, (keys, saved) in zip(works, pool.map(partial(keep, store=store), works), strict=True):
            for name in saved:
                print(f"{work[0].name}: {name}", flush=True)
            traced += len(saved)
            kept |= keys
    for path in stored(store):
        if not _of_others(path) and not any(key.startswith(path.stem.partition("-")[0]) for key in kept):
            path.unlink()
            print(f"deleted {path.name}, which no job asks for")
    sizes = [path.stat().st_size for path in stored(store)]
    print(f"{len(sizes)} profiles, {sum(sizes) / 1000:.0f} kB, the largest {max(sizes) / 1000:.1f} kB")
    print(f"{traced} traced in {time.perf_counter() - begun:.0f} s")


def _of_others(path: Path) -> bool:
    """Say whether a profile is another command's, or of sources that are not shipped: those stay."""
    tape = decode(path.read_bytes())
    by_libraries = str(tape.step["recipe"]).startswith(OF_LIBRARIES)
    return by_libraries or tape.made_with.get(SOURCES_KEY) == NOT_SHIPPED


def stored(store: Store) -> list[Path]:
    """Return the profiles that are there."""
    return sorted(store.folder.glob(f"*{SUFFIX}"))


def missing(store: Store) -> Iterator[str]:
    """Yield what is not as `build` would leave it, without tracing."""
    with tempfile.TemporaryDirectory() as folder:
        found = {work[0].name for work in jobs(Path(folder)) if not asked(work, store, may_trace=False)}
    known = {"own_network.yml", "unclosed.yml"}  # torch would not know these either
    yield from (f"{name}: no profile" for name in sorted(found - known))
    for path, why in {**store.doubtful, **store.refused}.items():
        yield f"{path.name}: {why}"


def main() -> int:
    """Trace, or check."""
    parser = parser_of(__doc__)
    parser.add_argument("--check", action="store_true", help="trace nothing")
    parser.add_argument("--jobs", type=int, default=1, help="processes that trace")
    store, given = Store(PROFILES, "shipped"), parser.parse_args()
    if not given.check:
        build(store, given.jobs)
        return 0
    wrong = list(missing(store))
    print("\n".join(wrong) or "up to date")
    return 1 if wrong else 0
