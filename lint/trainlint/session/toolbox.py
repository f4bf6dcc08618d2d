# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The pipeline as the settings want it: dialects, rules and targets, each loaded when needed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from trainlint.commands.stored_scripts import stored_scripts
from trainlint.dialects import Dialect, load_dialects
from trainlint.dialects.extract.base_model import read_config
from trainlint.documents.discover import InputFile, discover
from trainlint.documents.file_format import read
from trainlint.errors import UnreadableError, UsageError, most_alike
from trainlint.estimate.tapes.stored_profiles import Store, leads_out, project_folder
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.files.safe_open import is_folder
from trainlint.files.text_source import load_source, load_stdin
from trainlint.hardware import Hardware, load_hardware
from trainlint.hardware.hardware_tables import TableError
from trainlint.judge import RuleSet, load_rules
from trainlint.judge.ruleset import chosen
from trainlint.model.document import Source
from trainlint.model.facts import Facts
from trainlint.model.job import Job
from trainlint.model.target import Target
from trainlint.model.trainer import Named
from trainlint.pipeline.checkout_commands import Checkout
from trainlint.pipeline.not_judged import why_unknown
from trainlint.pipeline.pipeline import Estimator, JobJudge, JobReader, Pipeline, Placer, Wishes
from trainlint.session.many_files import Input, Unread
from trainlint.settings.settings import Settings
from trainlint.settings.settings_file import line_of, place_of
from trainlint.shipped import compiled
from trainlint.shipped.kept_data import may_keep

if TYPE_CHECKING:
    from trainlint.data_headers import Look
    from trainlint.estimate.exceeding_card import Events

STDIN = "<stdin>"
"""What standard input is called where --stdin-filename gives it no name."""


def pipeline_for(
    settings: Settings, tapes: TapeSource, linted: Iterable[str] = (), data: Path | None = None
) -> Pipeline:
    """Build the pipeline; UsageError for an unknown target, RuleError for a rule that does not load.

    `linted` are the paths that will be given to it, `data` the folder below which it may look at data.
    """
    dialects = load_dialects(settings.schemas, settings.networks)
    rules = rules_for(settings, dialects)
    _check_contexts(settings)
    if not compiled.data().rules and may_keep():
        from trainlint.judge.rule_files.compile_shipped import shipped_data  # noqa: PLC0415  # in a checkout, once after a change

        compiled.keep_data(shipped_data())
    wishes = partial(wishes_for, settings)
    stored_scripts.set(cache(partial(_stored_scripts, settings)))
    return Pipeline(
        reader=JobReader(
            dialects=dialects,
            trainer=_named_trainer(settings, [dialect.id for dialect in dialects]),
            repo=settings.repo.absolute() if settings.repo is not None else None,
            python=settings.python.absolute() if settings.python is not None else None,
            wishes=wishes,
            checkout=Checkout(dialects),
        ),
        placer=Placer(wishes),
        judge=JobJudge(
            rules=rules, estimator=_estimator(tapes, settings), look=None if data is None else _look(data)
        ),
        targets=_judged_on(settings) or (None,),
        targets_at=partial(_targets_at, settings) if settings.files else None,
        also=frozenset(os.path.realpath(path) for path in linted),
        allow_shorter=settings.allow_shorter,
    )


def _stored_scripts(settings: Settings) -> frozenset[str]:
    """Return the scripts of the dry runs that the project keeps."""
    root = settings.root or Path()
    folder = settings.profiles or project_folder(root)
    if not is_folder(folder) or leads_out(folder, root):
        return frozenset()
    from trainlint.dry_run.keeping.kept_runs import scripts_of  # noqa: PLC0415  # where profiles are kept

    return scripts_of(Store(folder, within=root))


def with_tapes(pipeline: Pipeline, tapes: TapeSource, settings: Settings) -> Pipeline:
    """Return a pipeline that asks other tapes, and has reported nothing."""
    judge = replace(pipeline.judge, estimator=_estimator(tapes, settings))
    return replace(pipeline, judge=judge, reported={})


def _estimator(tapes: TapeSource, settings: Settings) -> Estimator:
    return Estimator(
        partial(_estimate, tapes=tapes, settings=settings),
        partial(_exceeding, tapes=tapes, settings=settings),
        tapes.within,
        lambda: load_hardware(settings.gpus).gpus(),
    )


def jobs_in(config: str, pipeline: Pipeline) -> list[tuple[Job, ...]]:
    """Return the jobs of each of a file's documents; UsageError that says why where there are none."""
    documents = read(load_source(config))
    jobs_of_documents = [jobs for document in documents if (jobs := pipeline.jobs(document))]
    if not jobs_of_documents:
        raise UsageError(f"{config}: {why_unknown(documents)}")
    return jobs_of_documents


def _look(data: Path) -> Look:
    from trainlint.data_headers import Look  # noqa: PLC0415  # not without --data

    return Look(data)


def _check_contexts(settings: Settings) -> None:
    """Refuse a measured context of a GPU that there is not: the card's own would be taken in its place."""
    for name in settings.context:
        hardware = load_hardware(settings.gpus)
        if name not in [gpu.name for gpu in hardware.gpus()]:
            gpus = hardware.gpus_named(name)
            hint = f'; did you mean "{gpus[0].name}"?' if gpus else '; "trainlint targets" lists them all'
            raise UsageError(
                f'{place_of(settings, "context", name)}"context" names "{name}": there is no such GPU{hint}'
            )


def _named_trainer(settings: Settings, known: Sequence[str]) -> Named | None:
    """Return the trainer that the user named; UsageError where no dialect is called so."""
    name = settings.trainer
    if name is None:
        return None
    if name not in known:
        near = most_alike(name, known)
        hint = f'did you mean "{near}"?' if near else f"known are {', '.join(known)}"
        raise UsageError(f'{place_of(settings, "trainer", name)}there is no trainer "{name}"; {hint}')
    return Named(name, settings.trainer_basis)


def wishes_for(settings: Settings, path: str) -> Wishes:
    """Return what the settings say of the questions that a file leaves open."""
    here = settings.at(path)
    if here.model_config is not None:
        try:
            read_config(str(here.model_config))
        except UnreadableError as error:
            raise UsageError(f"{line_of(settings, 'model-config')}model-config: {error}") from error
    return Wishes(here.launcher, here.gpu_count, here.reading, here.dataset_size, here.model_config)


def targets_for(settings: Settings) -> tuple[Target, ...]:
    """Return the targets by name, each once; UsageError lists the near ones of an unknown name."""
    if not settings.target:
        return ()
    hardware = load_hardware(settings.gpus)
    targets = (_within(_named(hardware, name, settings), settings) for name in settings.target)
    return tuple({target.name: target for target in targets}.values())


def _named(hardware: Hardware, name: str, settings: Settings) -> Target:
    """Return a target by name. Raises UsageError, with file and line where a settings file names it."""
    try:
        return hardware.target(name)
    except TableError:
        raise  # which has its own place
    except UsageError as error:
        raise UsageError(f"{place_of(settings, 'target', name)}{error}") from error


def _targets_at(settings: Settings, path: str) -> tuple[Target | None, ...]:
    """Return the targets of one file."""
    return _judged_on(settings.at(path)) or (None,)


def _judged_on(settings: Settings) -> tuple[Target, ...]:
    """Return the targets; UsageError where a log could be any of their cards'."""
    targets = targets_for(settings)
    cards = dict.fromkeys(target.gpu.name for target in targets if target.gpu is not None)
    if settings.measured is not None and settings.measured_on is None and len(cards) > 1:
        first, second, *_ = cards
        raise UsageError(f"--log is of one card, {first} or {second}? Say which with --log-gpu")
    return targets


def _within(target: Target, settings: Settings) -> Target:
    """Return the target with the session that the user will spend: rules and estimates see the same.

    It is the user's own limit, so the hour at which the machine would be taken away is no other one.
    """
    target = replace(target, sessions=settings.sessions)
    hours = settings.session_budget_h
    return target if hours is None else replace(target, session_budget_h=hours, session_h=hours)


def _estimate(job: Job, target: Target, *, largest: bool, tapes: TapeSource, settings: Settings) -> Facts:
    from trainlint.estimate.estimate import estimate  # noqa: PLC0415  # only where there is a target

    facts = estimate(job, target, tapes, settings.at(job.document.source.path), largest=largest)
    if facts.memory is not None:
        return facts
    from trainlint.catalogue.zoo.recipes import UNKNOWN_STEP  # noqa: PLC0415  # as above

    unknown = facts.missing.get("memory", "").startswith(UNKNOWN_STEP)
    if job.own is None and not job.runs_elsewhere and not unknown:
        return facts
    from trainlint.dry_run.keeping.kept_facts import with_kept  # noqa: PLC0415  # as above
    from trainlint.session.chosen_tapes import projects_store  # noqa: PLC0415  # for a program's own code alone

    return with_kept(job, target, facts, projects_store(settings), settings, largest=largest)


def _exceeding(job: Job, target: Target, *, tapes: TapeSource, settings: Settings) -> Events | None:
    from trainlint.estimate.exceeding_card import exceeding  # noqa: PLC0415  # for fixes that are tried

    return exceeding(job, target, tapes, settings.at(job.document.source.path))


def rules_for(settings: Settings, dialects: Sequence[Dialect]) -> RuleSet:
    """Return the rules as the settings want them judged."""
    return chosen(load_rules(settings.rules, dialects), settings)


def inputs_of(
    paths: Sequence[str], settings: Settings, stdin_filename: str | None, *, skip_unknown: bool = False
) -> list[Input]:
    """Return what to lint: files and folders as found, `-` as the text on standard input.

    With `skip_unknown`, a file named by the user is treated as one met in a folder.
    """
    files = [path for path in paths if path != "-"]
    inputs: list[Input] = list(discover(files, settings.exclude)) if files else []
    if skip_unknown:
        inputs = [InputFile(item.path, explicit=False) for item in inputs]
    if "-" in paths:
        inputs.append(_stdin(stdin_filename or STDIN))
    return inputs


def _stdin(path: str) -> Source | Unread:
    try:
        return load_stdin(path)
    except UnreadableError as error:
        return Unread(path, error)
