# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a dry run recorded, kept in the project: check judges by it until its sources change.

The key is the config, without its batch, or the command, without that; the machine's kind; and which way was
guessed. Digests are kept of the sources, configs and other texts below the project's root that the program
read: not of data, of weights, or of what the run itself wrote.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from trainlint.commands.flags import arguments_of
from trainlint.commands.launch import launch_of
from trainlint.commands.shell.shell import Shell
from trainlint.commands.shell.shell_flavours import POSIX
from trainlint.commands.training_command import environment_of
from trainlint.dry_run.program_document import BATCH
from trainlint.dry_run.rehearsing.played_stages import unplayed_stages
from trainlint.dry_run.rehearsing.request import Kind, kinds_of
from trainlint.dry_run.rehearsing.run_record import read_image
from trainlint.errors import UsageError
from trainlint.model.document import Document
from trainlint.model.document import Path as KeyPath
from trainlint.model.facts import Uncounted
from trainlint.model.job import Job
from trainlint.model.target import Target
from trainlint.tape import Tape
from trainlint.tape.checkout_files import changed, made_of
from trainlint.tape.provenance import SOURCES_KEY, digest
from trainlint.tape.step import key_of

if TYPE_CHECKING:
    from trainlint.dry_run.judging.judgement import RehearsedPipeline
    from trainlint.dry_run.rehearsing.recordings import Recorded
    from trainlint.estimate.tapes.stored_profiles import Store

RECIPE: Final = "dry run"
RUN_FACTS_KEY: Final = "dry run"
"""Key in a tape's `made_with` of what is known of the run besides."""
TEXTS: Final = frozenset(
    ".py .pyi .yml .yaml .json .jsonc .toml .cfg .ini .txt .sh .csv .tsv .md .jinja .j2 .template".split()  # noqa: SIM905 - words in one text read better
)
"""Endings of files that decide what a program does."""
MOST_SOURCE_BYTES: Final = 1 << 20
"""Bytes of such a file: what is larger is data."""
MOST_DIGESTS: Final = 900
"""Files whose digests one profile holds."""
MOST_ENTRY_CHARACTERS: Final = 900
"""Characters of what is kept in one entry."""
MOST_TERMS: Final = 3
"""Terms that an entry has room for; the last speaks for the rest."""


class Kept(Struct, frozen=True):
    """What is read back: the tapes of each way to guess and what the run said; or why it is of no use."""

    variants: tuple[tuple[Tape, ...], ...]
    batch: int | None
    terms: tuple[Uncounted, ...]
    refused: str | None = None
    image: tuple[int, int] | None = None
    """Height and width of the largest image of its validation."""


def identity(job: Job) -> Any:
    """Return what a run is known by: its document without its batch, and what its command changes."""
    document = job.document
    batches = {
        path
        for name in ("per_gpu", "per_process", "total")
        if f"batch.{name}" in job.spec and job.spec.fields[f"batch.{name}"].origin == "written"
        for path in job.spec.at(f"batch.{name}")
    }
    if document.format == "command":
        return _words(document, batches)
    changes = job.start.overrides if job.start is not None else ()
    return [
        _without(document.value, (), batches),
        [[list(change.path), repr(change.value)] for change in changes],
    ]


def _words(document: Document, batches: set[KeyPath]) -> Any:
    """Return what a command says: script, launcher, variables and words, not the interpreter."""
    launch = document.meta["parsed"].launch
    left_out = {str(path[0]) for path in batches}
    given = [
        [
            argument.name or "",
            ["#"] if _is_batch(argument.name, left_out) else [word.text for word in argument.words],
        ]
        for argument in arguments_of(launch.arguments)
    ]
    options = sorted(
        [str(argument.name), [word.text for word in argument.words]] for argument in launch.options
    )
    return [launch.script, launch.name, options, environment_of(document), given]


def _is_batch(name: str | None, named: set[str]) -> bool:
    return name is not None and (name in named or BATCH.fullmatch(name.lower()) is not None)


def _without(value: Any, path: KeyPath, left_out: set[KeyPath]) -> Any:
    if path in left_out:
        return "#"
    if isinstance(value, Mapping):
        return {str(key): _without(item, (*path, key), left_out) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without(item, (*path, index), left_out) for index, item in enumerate(value)]
    return value


def step_of(job: Job, kind: Kind, variant: int) -> dict[str, Any]:
    """Return the step under which a tape of a run is kept."""
    return {
        "recipe": RECIPE,
        "program": key_of({"of": identity(job)}),
        "kind": list(kind),
        "variant": variant,
    }


def stored(pipeline: RehearsedPipeline, store: Store) -> Iterator[Path]:
    """Keep what was recorded; UsageError where it cannot be, or it would not be seen when it is outdated."""
    root = pipeline.settings.root or Path.cwd()
    job = pipeline.jobs(pipeline.document)[0]
    for kind, known in pipeline.recorded.items():
        for number, variant in enumerate(known.variants):
            step = step_of(job, kind, number)
            made = {
                **_versions(known),
                **_digests(known, root, job),
                RUN_FACTS_KEY: _told(known, pipeline, job),
                SOURCES_KEY: digest(step),
            }
            for tape in variant.tapes:
                kept = replace(tape, step=step, key=key_of(step), made_with={**tape.made_with, **made})
                try:
                    yield store.save(kept)
                except OSError as error:
                    raise UsageError(f'cannot write "{store.folder}": {error.strerror}') from None


def _versions(known: Recorded) -> dict[str, str]:
    packages = known.outcome.packages or {}
    names = [
        name
        for name in ("torch", "torchvision", "transformers", "accelerate", "lightning", "timm")
        if name in packages
    ]
    return {f"package {name}": packages[name][:80] for name in names}


def _digests(known: Recorded, root: Path, job: Job) -> dict[str, str]:
    """Return the digests of the files that decided what the program did."""
    own = os.path.realpath(job.document.source.path) if job.document.format != "command" else ""
    base, outside = os.path.realpath(root), []
    files = []
    for source in known.outcome.sources:
        path = os.path.realpath(source)
        if path == own or not _decides(path):
            continue
        if path.startswith(os.path.join(base, "")):
            files.append(os.path.relpath(path, base).replace(os.sep, "/"))
        else:
            outside.append(path)
    if outside:
        raise UsageError(
            f'"{outside[0]}" was read, and lies outside of the project "{base}": it could change unseen. '
            "store from the folder that holds it (where its trainlint.toml or .git is)"
        )
    if len(files) > MOST_DIGESTS:
        raise UsageError(
            f"the program read {len(files)} sources below the project, "
            f"a profile holds {MOST_DIGESTS} of them at most"
        )
    return made_of(root, files)


def _decides(path: str) -> bool:
    try:
        return os.path.splitext(path)[1].lower() in TEXTS and os.path.getsize(path) <= MOST_SOURCE_BYTES
    except OSError:
        return False


def _told(known: Recorded, pipeline: RehearsedPipeline, job: Job) -> str:
    uncounted = [*unplayed_stages(job), *known.terms]  # the first stage alone is kept
    if len(uncounted) > MOST_TERMS:
        uncounted[MOST_TERMS - 1 :] = [_together(uncounted[MOST_TERMS - 1 :])]
    terms = [*map(_entry, uncounted)]
    command = " ".join(pipeline.program.words)[:400]
    run_facts = {
        "batch": known.batch, "variants": len(known.variants), "terms": terms, "command": command,
        "image": known.outcome.image,
    }  # fmt: skip
    while len(text := json.dumps(run_facts)) > MOST_ENTRY_CHARACTERS:
        run_facts["command"] = str(run_facts["command"])[: len(str(run_facts["command"])) // 2]
    return text


def _entry(term: Uncounted) -> list[Any]:
    return [term.what[:120], term.direction, *([term.share] if term.share else [])]


def _together(terms: Sequence[Uncounted]) -> Uncounted:
    """Return one term that takes from a verdict what each of some does."""
    directions = {term.direction for term in terms}
    share = max(term.share for term in terms) if all(term.share for term in terms) else 0.0
    direction = directions.pop() if len(directions) == 1 else "unknown"
    return Uncounted(f"{len(terms)} other things", direction, share=share)


def scripts_of(store: Store) -> frozenset[str]:
    """Return the scripts that stored dry runs ran."""
    commands = (_command(header["made_with"].get(RUN_FACTS_KEY, "")) for header in store.headers())
    launched = (launch_of(command.words) for text in commands for command in Shell(POSIX).commands(text))
    return frozenset(launch.script for launch in launched if launch is not None and launch.script)


def _command(text: str) -> str:
    try:
        return str(json.loads(text)["command"])
    except (ValueError, KeyError, TypeError):
        return ""


def kept_of(job: Job, target: Target, store: Store, root: Path) -> Kept | None:
    """Return what is kept of a job on a machine; None where nothing is."""
    kinds = kinds_of(target)
    kind, first = next(
        ((kind, tapes) for kind in kinds if (tapes := _tapes(store, step_of(job, kind, 0)))), (kinds[0], ())
    )
    if not first:
        paths = [store.path_of(key_of(step_of(job, kind, 0))) for kind in kinds]
        why = next((store.refused[path] for path in paths if path in store.refused), None)
        return None if why is None else Kept((), None, (), why)
    run_facts = _read(first[0].made_with.get(RUN_FACTS_KEY, ""))
    refused = changed(first[0].made_with, root)
    more = range(1, run_facts["variants"])
    variants = (
        first,
        *(stored_tapes for number in more if (stored_tapes := _tapes(store, step_of(job, kind, number)))),
    )
    if len(variants) < run_facts["variants"]:
        refused = refused or "a part of it is missing"
    return Kept(variants, run_facts["batch"], run_facts["terms"], refused, run_facts["image"])


def _tapes(store: Store, step: Mapping[str, Any]) -> tuple[Tape, ...]:
    """Return the tapes of every batch and of single ones that are stored for a step."""
    key = key_of(step)
    whole = store.find(key, 0)
    batches = sorted(int(name) for name in _single(store, key))
    return tuple(tape for tape in (whole, *(store.find(key, batch) for batch in batches)) if tape is not None)


def _single(store: Store, key: str) -> Sequence[str]:
    stem = store.path_of(key).stem
    try:
        names = os.listdir(store.folder)
    except OSError:
        return ()
    parts = (
        Path(name).stem.removeprefix(f"{stem}-")
        for name in names
        if name.startswith(f"{stem}-") and name.endswith(".tape")
    )
    return [part for part in parts if part.isdecimal()]


def _read(text: str) -> dict[str, Any]:
    try:
        content = json.loads(text)
        terms = tuple(_term(*entry) for entry in content["terms"])
        batch, variants = content["batch"], int(content["variants"])
        known = {"batch": batch if type(batch) is int else None, "variants": variants, "terms": terms}
        return {**known, "image": read_image(content.get("image"))}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {"batch": None, "variants": 1, "terms": (), "image": None}


def _term(what: Any, direction: Any, share: Any = 0.0) -> Uncounted:
    return Uncounted(str(what), str(direction), share=max(float(share), 0.0))
