# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""From a document in a known dialect to the jobs it describes."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from trainlint.dialects.check.earlier_output import earlier_output
from trainlint.dialects.check.named_files import missing_files, missing_script
from trainlint.dialects.check.plausibility import in_sense
from trainlint.dialects.check.validate import validate
from trainlint.dialects.extract.base_model import with_base_model
from trainlint.dialects.extract.forced_values import not_forced, placed
from trainlint.dialects.extract.fork_classes import as_published, own_classes, without_losses
from trainlint.dialects.extract.own_arguments import with_own_arguments
from trainlint.dialects.extract.recognise import scope_of
from trainlint.dialects.extract.spec_fields import extract
from trainlint.dialects.messages.typos import NAMES
from trainlint.dialects.reader.fork_terms import heeded
from trainlint.dialects.schema import number_words
from trainlint.dialects.schema.check_budget import start
from trainlint.dialects.schema.dialect import Dialect, Variant
from trainlint.dialects.schema.document_expression import evaluate
from trainlint.dialects.schema.schema_walk import Schema, mappings, resolve, subschemas
from trainlint.dialects.unknown_values import Unknown, of_a_template, unknown_fields
from trainlint.errors import UnreadableError
from trainlint.model.document import COMMAND, Document
from trainlint.model.finding import PART_OF_CONFIG
from trainlint.model.job import Job, Problem
from trainlint.model.spec import TrainSpec
from trainlint.model.start import Start
from trainlint.model.trainer import BY_SCHEMA, Named, Trainer
from trainlint.repository.trainer import identify

if TYPE_CHECKING:
    from trainlint.repository.trainer.library_pins import Pin
    from trainlint.repository.trainer.own_classes import Own

DEEPEST_PART: Final = 2
"""Keys that lead to where a page's part of a config is looked for."""
TRAINING: Final = "train"
LIBRARIES_CALLED: Final = frozenset(("llamafactory", "trl"))
"""Dialects whose arguments are those of trl, peft and transformers."""


def trainer_of(
    document: Document,
    dialect: Dialect,
    named: Named | None,
    repo: Path | None = None,
    started: Start | None = None,
) -> Trainer:
    """Return the trainer that will read a document: `named` by the user, found around it, or guessed.

    `repo` is where the user says that its source lies; `started` the command that names the document.
    """
    script = str(document.meta.get("script") or "") if document.format == "command" else ""
    runs = started.runs if started is not None else ""
    return identify(dialect.id, dialect.trainer, document.source.path, script, named, repo=repo, runs=runs)


class _Normalised(Struct, frozen=True):
    """A document that was normalised, and is going to be once more."""

    document: Document
    dialect: Dialect
    trainer: Trainer
    started: Start | None
    jobs: tuple[Job, ...]


_GLANCED: Final = deque[_Normalised](maxlen=1)


def glanced(document: Document, job: Job) -> tuple[Job, ...]:
    """Normalise a document as that of `job` was; `normalise` knows it where it is asked of the same next."""
    _GLANCED.clear()
    trainer = job.trainer or Trainer(job.dialect.id, basis=BY_SCHEMA)
    jobs = normalise(document, job.dialect, trainer, job.start)
    _GLANCED.append(_Normalised(document, job.dialect, replace(trainer, title="", own=()), job.start, jobs))
    return jobs


def normalise(
    document: Document, dialect: Dialect, trainer: Trainer | None = None, started: Start | None = None
) -> tuple[Job, ...]:
    """Return one job per reading of the document: each variant that applies, or the document itself.

    Without a trainer it is the one that the schema describes, as if the user had named it. `started` is the
    command that names the document as its option file, and sets values of it.
    Raises UnreadableError where checking it against the dialect's schema takes too long, or goes too deep.
    """
    trainer = trainer or Trainer(dialect.id, basis=BY_SCHEMA)
    for known in _GLANCED:
        asked = (known.document is document, known.dialect is dialect, known.started == started)
        if all(asked) and known.trainer == replace(trainer, title="", own=()):
            return known.jobs
    start()
    try:
        if started is None:
            return _with_allocator(_jobs(document, dialect, trainer), document)
        from trainlint.commands.override import overridden  # noqa: PLC0415 - of a command's option file alone

        document, lost = overridden(document, started.overrides, started.place)
        document = replace(document, meta={**document.meta, "starter": started.script})
        forced = tuple(not_forced(started, lost))
        return tuple(
            replace(job, start=started, problems=(*job.problems, *forced))
            for job in _with_allocator(_jobs(document, dialect, trainer), started.document)
        )
    except RecursionError:
        raise UnreadableError(f"is nested deeper than {dialect.title}'s schema can be followed") from None


def _with_allocator(jobs: tuple[Job, ...], command: Document | None) -> tuple[Job, ...]:
    """Return jobs that say what of the allocator a command's environment changes."""
    if command is None or command.format != COMMAND:
        return jobs
    from trainlint.commands.allocator_conf import allocator_of, with_allocator  # noqa: PLC0415 - of a command alone

    allocator = allocator_of(command)
    if not allocator:
        return jobs
    return tuple(replace(job, spec=with_allocator(job.spec, allocator)) for job in jobs)


def _jobs(document: Document, dialect: Dialect, trainer: Trainer) -> tuple[Job, ...]:
    document = of_a_template(document)
    if dialect.headings:
        from trainlint.dialects.schema.headings import without_headings  # noqa: PLC0415 - of trainers that read such

        document = without_headings(document)
    if dialect.form is not None:
        from trainlint.dialects.schema.saved_form import as_saved  # noqa: PLC0415 - of trainers that have a window

        document = as_saved(document, dialect.form, scope_of(document))
    if dialect.flags:
        from trainlint.dialects.schema.flag_keys import as_flags  # noqa: PLC0415 - of trainers that read such

        document = as_flags(document, dialect)
    if dialect.loader == "argparse":
        from trainlint.dialects.schema.argparse_arguments import as_script_reads  # noqa: PLC0415 - of such alone

        document = as_script_reads(document, dialect)
        if dialect.as_loaded:
            document = number_words.resolved(document)
    elif dialect.loader == "omegaconf" or _own_resolver(document, dialect, trainer):
        document = number_words.resolved(document)
    of_joined: tuple[Problem, ...] = ()
    if dialect.joined:
        from trainlint.dialects.extract.joined_problems import problems_of_joined  # noqa: PLC0415 - of trainers that have such files
        from trainlint.dialects.schema.joined_file import joined  # noqa: PLC0415 - the same

        of_joined = tuple(problems_of_joined(document, dialect, trainer, normalise))
        document = joined(document, dialect)
    own = own_classes(document, dialect, trainer)
    strange = _strange(document, dialect, trainer, own)
    own = without_losses(own, dialect, strange)
    document = as_published(document, dialect, own)
    trainer = replace(trainer, title=dialect.title, own=own.names if own is not None else ())
    scope = scope_of(document)
    variants = [
        variant
        for variant in dialect.variants
        if variant.when is None or evaluate(variant.when, scope) is True
    ]
    if len(variants) > 1:
        from trainlint.dialects.extract.script_version import of_source  # noqa: PLC0415 - where there are several

        variants = [*of_source(variants, trainer)]
    if any(variant.release for variant in variants):
        from trainlint.dialects.extract.pinned_release import of_pins  # noqa: PLC0415 - where releases differ

        variants = [*of_pins(variants, document)]
    jobs = (_job(document, dialect, variant, trainer, own) for variant in variants or (None,))
    return tuple(
        replace(
            job,
            own=_with_samples(own, job.spec, document, trainer),
            spec=_of_a_base_model(with_own_arguments(job.spec, own), document),
            problems=(
                *placed(Unknown.of(document).spared(_with_classes(job, strange)), document),
                *of_joined,
            ),
        )
        for job in jobs
    )


def _with_samples(own: Own | None, spec: TrainSpec, document: Document, trainer: Trainer) -> Own | None:
    if own is None:
        return None
    from trainlint.dialects.extract.own_samples import with_samples  # noqa: PLC0415 - where a repository is around

    return with_samples(own, spec, document, trainer)


def _of_a_base_model(spec: TrainSpec, document: Document) -> TrainSpec:
    """Return a spec with what is known of the model that it starts from, and how its states are shared."""
    spec = with_base_model(spec, document)
    if "model.base" not in spec:
        return spec
    from trainlint.dialects.extract.deepspeed_stage import with_zero_stage  # noqa: PLC0415 - of language models

    return with_zero_stage(spec, document)


def _with_classes(job: Job, strange: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """Return a job's problems with the classes that its repository lacks, each said once.

    What the repository has decides, but for a slip of the pen, for which the schema has the right name.
    """
    slips = {problem.path for problem in job.problems if problem.rule == NAMES and problem.suggestion}
    lacking = tuple(problem for problem in strange if problem.path not in slips)
    paths = {problem.path for problem in lacking}
    kept = (problem for problem in job.problems if problem.rule != NAMES or problem.path not in paths)
    return (*kept, *lacking)


def _own_resolver(document: Document, dialect: Dialect, trainer: Trainer) -> bool:
    """Return whether the trainer's own source reads a number in what would be a string to PyYAML."""
    if trainer.source is None or trainer.source.structs is not None:
        return False
    written = next(number_words.bare(document, dialect.loader), None)
    return written is not None and bool(trainer.source.resolves_floats)


def _job(
    document: Document, dialect: Dialect, variant: Variant | None, trainer: Trainer, own: Own | None
) -> Job:
    scope = scope_of(document)
    known = _flags(document, dialect)
    pointer = variant.schema if variant else None
    problems = validate(document, dialect, resolve(dialect.schema, pointer) if pointer else None)
    problems = _weighed(problems, document, dialect, trainer, own)
    spec, unfit, lost = extract(document, dialect, scope, problems, dict(variant.set) if variant else {})
    spec, beyond = in_sense(spec, document)
    spec, unread = heeded(spec, dialect, trainer, document)
    problems = (*_as_parser_says(problems, document, dialect, known), *unfit, *beyond, *unread)
    problems = _weighed(problems, document, dialect, trainer, own)
    skip = next((skip for skip in dialect.skips if evaluate(skip.when, scope) is True), None)
    problems = (
        *_of_a_fragment(problems, document, dialect),
        *missing_files(document, dialect),
        *missing_script(document, dialect),
        *earlier_output(document, dialect),
        *_of_flags(document, dialect),
        *_of_calls(document, dialect, problems),
        *_of_earlier(document, dialect, trainer),
    )
    problems = Unknown.of(document).spared(problems)
    problems = tuple(placed(_summed_up(problems, dialect, trainer), document))
    name = variant.name if variant else None
    pins = _pins(document, dialect)
    reason, checked = (skip.reason, skip.checked) if skip is not None else (None, True)
    return Job(
        document, dialect, spec, problems, name, reason, trainer, pins=pins, checked=checked, flags=known,
        unknown=unknown_fields(document, dialect, lost, document.meta.get("started", "")),
    )  # fmt: skip


def _strange(document: Document, dialect: Dialect, trainer: Trainer, own: Own | None) -> tuple[Problem, ...]:
    """Return the classes that no registry of the trainer has, and a file of it that no Python reads."""
    if trainer.source is None and trainer.around is None and not trainer.named:
        return ()
    from trainlint.dialects.extract.unregistered import of_others, unimportable, unregistered  # noqa: PLC0415 - of a known trainer

    strange = unregistered(document, dialect, trainer, own)
    said = {problem.path for problem in strange}
    strange += tuple(problem for problem in of_others(document, dialect, trainer) if problem.path not in said)
    if trainer.source is not None:
        from trainlint.dialects.check.chosen_files import chosen_files  # noqa: PLC0415 - next to a source alone

        strange += tuple(chosen_files(document, dialect, trainer))
    if not any(problem.rule == "unreadable-source" for problem in strange):
        strange += tuple(unimportable(document, dialect, trainer))
    return strange


def _flags(document: Document, dialect: Dialect) -> Mapping[str, Schema]:
    """Return the flags of a command's script."""
    if document.format != COMMAND:
        return {}
    from trainlint.dialects.schema.argparse_arguments import flags  # noqa: PLC0415 - of a command alone

    return flags(document, dialect)


def _as_parser_says(
    problems: tuple[Problem, ...], document: Document, dialect: Dialect, known: Mapping[str, Schema]
) -> tuple[Problem, ...]:
    if document.format != COMMAND:
        return problems
    from trainlint.dialects.messages.argparse_wording import as_argparse_says  # noqa: PLC0415 - of a command alone

    return as_argparse_says(problems, document, dialect, known)


def _weighed(
    problems: tuple[Problem, ...], document: Document, dialect: Dialect, trainer: Trainer, own: Own | None
) -> tuple[Problem, ...]:
    if not problems:
        return ()
    from trainlint.dialects.reader.weighing import weigh  # noqa: PLC0415 - for what is wrong alone

    return weigh(problems, document, dialect, trainer, own)


def _summed_up(problems: tuple[Problem, ...], dialect: Dialect, trainer: Trainer) -> tuple[Problem, ...]:
    if not problems:
        return ()
    from trainlint.dialects.reader.doubt_summary import summed_up  # noqa: PLC0415 - as above

    return summed_up(problems, dialect, trainer)


def _pins(document: Document, dialect: Dialect) -> tuple[Pin, ...]:
    if not dialect.trainer.library and not dialect.trainer.torch:
        return ()
    from trainlint.dialects.extract.pinned_release import of_libraries  # noqa: PLC0415 - for trainers of libraries

    return of_libraries(document, dialect.trainer)


def _of_earlier(document: Document, dialect: Dialect, trainer: Trainer) -> Iterator[Problem]:
    """Yield what earlier releases of the trainer load as text."""
    if dialect.loaded_before is None:
        return
    from trainlint.dialects.check.earlier_loader import texts_to_earlier  # noqa: PLC0415 - of such trainers alone

    yield from texts_to_earlier(document, dialect, trainer)


def _of_calls(document: Document, dialect: Dialect, problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """Return what is given in vain to classes of libraries, but for what the schema says of it."""
    if dialect.id not in LIBRARIES_CALLED:
        return ()
    from trainlint.dialects.check.call_releases import call_problems  # noqa: PLC0415 - of language models alone

    said = {str(problem.path[-1]) for problem in problems if problem.path}
    return tuple(call_problems(document, dialect.id, said))


def _of_flags(document: Document, dialect: Dialect) -> tuple[Problem, ...]:
    """Return the flags of a command that its own script does not take."""
    if document.format != COMMAND:
        return ()
    from trainlint.dialects.check.own_flags import foreign_flags  # noqa: PLC0415 - of a command alone

    return tuple(foreign_flags(document, dialect))


def _of_a_fragment(
    problems: tuple[Problem, ...], document: Document, dialect: Dialect
) -> tuple[Problem, ...]:
    """Warn of what a page's fragment lacks to be a config: it may never have been meant as one.

    Several keys are named at once. Where its own keys belong is not known then: what is unknown at the
    top may be right further in.
    """
    if not document.meta.get("fragment"):
        return problems
    problems = tuple(
        replace(problem, harmless=True) if problem.rule == "missing-key" else problem for problem in problems
    )
    lacking = [problem for problem in problems if problem.rule == "missing-key" and not problem.path]
    if len(lacking) < 2:  # noqa: PLR2004 - one is named as it is
        return problems
    names = ", ".join(f'"{problem.message.split(chr(34))[1]}"' for problem in lacking)
    message = f"{PART_OF_CONFIG}: {_belonging(document, dialect)}{names} are missing"
    whole = Problem("missing-key", message, (), harmless=True)
    inner = {name for schema in subschemas(dialect.schema) for name in schema.get("properties", {})}
    return (
        whole,
        *(item for item in problems if not (item.rule == "missing-key" or _is_inner(item, inner))),
    )


def _belonging(document: Document, dialect: Dialect) -> str:
    """Say where a fragment's keys belong: the schema has them all there, and in no other place that trains.

    A place that trains goes before others, as validation's data has much in common with it.
    """
    keys = {key for key in document.value if key not in dialect.schema.get("properties", {})}
    known: dict[tuple[str, ...], set[str]] = {}
    for path, schema in mappings(dialect.schema, dialect.schema, DEEPEST_PART):
        known.setdefault(path, set()).update(schema.get("properties", {}))
    places = [path for path, names in known.items() if path and keys and keys <= names]
    places = [path for path in places if path[-1] == TRAINING] or places
    if len(places) != 1:
        return ""
    these = f"these {len(keys)} keys belong" if len(keys) > 1 else "this key belongs"
    return f'{these} under "{" ".join(f"{step}:" for step in places[0])}"; '


def _is_inner(problem: Problem, inner: Collection[str]) -> bool:
    """Return whether a key at the top is unknown only there."""
    return problem.rule == "unknown-key" and len(problem.path) == 1 and problem.path[0] in inner
