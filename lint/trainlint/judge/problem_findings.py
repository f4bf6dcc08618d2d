# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Problems that reading and normalising met, as findings of the rules named after them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from trainlint.catalogue.signature import architectures, signature
from trainlint.config.value_by_path import absent, dig
from trainlint.dialects.check import plausibility
from trainlint.dialects.check.class_names import slip_of_name
from trainlint.dialects.schema.binding import OPTIONS_PREFIX
from trainlint.errors import RuleError
from trainlint.expressions.patterns import later
from trainlint.judge.rule import Rule
from trainlint.model.document import Document, Path, Span
from trainlint.model.facts import Facts
from trainlint.model.finding import Finding
from trainlint.model.job import Doubt, Job, Problem
from trainlint.model.spec import TrainSpec

if TYPE_CHECKING:
    from trainlint.catalogue.zoo.network_signature import Signature
    from trainlint.repository.trainer.own_classes import OwnNetwork

UNSOUND_VALUE_PROBLEMS = (
    "wrong-type", "wrong-value", "number-as-string", "network-arguments", "unknown-argument",
    plausibility.RULE,
)  # fmt: skip
"""Problems after which a value is not what its readers expect."""

QUOTED = later(r"[\"'`](\w+)[\"'`]")
"""How constructors name an argument in what they say."""

NETWORK_ARGUMENTS_RULE = "network-arguments"
"""The rule of what a network's constructor would refuse."""

UNKNOWN_KEY_RULE = "unknown-key"
"""The rule of keys that are not read."""

EXACT_NAME_DIALECTS = ("trainlint",)
"""Dialects that look networks up by the exact name in the catalogue; other schemas list their names."""

STRAY_KEYS = {"ema_decay": "train"}
"""Keys of the trainer that were found under a network, and where they belong (BasicSR's two EDVR_L files)."""


def problem_finding(rule: Rule, job: Job, problem: Problem) -> Finding:
    """Return the finding for one problem, at its key or value.

    A slip of the pen (it has a suggestion) in options that stay open is the rule's `ignored_level`, and so
    is a value that the trainer only tests for truth, or that another trainer may take. A script's parser
    refuses whatever it does not know.
    """
    stays_open = job.dialect.unknown != "reject" and job.document.format != "command"
    slip = problem.rule == UNKNOWN_KEY_RULE and stays_open and problem.suggestion is not None
    level = rule.ignored_level if (slip or problem.harmless) and rule.ignored_level else rule.level
    return Finding(rule.name, level, problem.message, _spans(job.document, problem), hint=rule.hint)


def rule_for(rules: Mapping[str, Rule], problem: Problem) -> Rule:
    """Return the rule that carries a problem's level and page. Raises RuleError where there is none."""
    rule = rules.get(problem.rule)
    if rule is None or rule.kind != "problems":
        raise RuleError(f'there is no rule "{problem.rule}" (from: problems) for "{problem.message}"')
    return rule


def network_problems(job: Job) -> Iterator[Problem]:
    """Yield what the constructors of the job's networks would refuse."""
    yield from (problem for problem in _of_networks(job) if not _is_unbuilt(job, problem))


def _is_unbuilt(job: Job, problem: Problem) -> bool:
    """Return whether a problem is about a network that no class of the config's model builds.

    Or about an argument that the repository gives it.
    """
    trainer = job.trainer
    if trainer is None or trainer.source is None:
        return False
    from trainlint.dialects.reader.own_model import is_of_other_models  # noqa: PLC0415 - for what is wrong alone
    from trainlint.dialects.reader.registries import is_given  # noqa: PLC0415 - the same

    if not problem.on_key and is_given(problem.path, job.dialect, trainer):
        return True
    return is_of_other_models(problem.path, job.document, job.dialect, trainer.source)


def _of_networks(job: Job) -> Iterator[Problem]:
    unsound = {problem.path for problem in job.problems}
    for role in ("generator", "discriminator"):
        arch, args = f"networks.{role}.arch", f"networks.{role}.args"
        if arch not in job.spec and args not in job.spec:
            continue
        place = _place(job.spec, args)
        written = job.spec.get(args) or {}
        if (own := _own(job, arch)) is not None and place:
            yield from _refused_by_own(job, own, place, written)
            continue
        refused = _refused(job.spec.get("dialect", ""), job.spec.get(arch), written)
        known = signature(str(job.spec.get("dialect", "")), str(job.spec.get(arch)))
        yield from _misspelt(job, arch)
        problems = (
            Problem(
                NETWORK_ARGUMENTS_RULE,
                message,
                (*place, name),
                on_key=name in written,
                suggestion=known.meant(name) if known is not None and name in written else None,
                doubt=_doubt(job, arch, name),
            )
            for name, message in (refused if place else ())
        )
        yield from _weighed(job, tuple(problem for problem in problems if problem.path not in unsound))


def adds_refused(job: Job, values: Mapping[Path, Any]) -> bool:
    """Return whether an edit adds an argument to a network that is sure to be refused for it.

    `values` are what the edit writes. Of a network whose arguments are not those that are written, and of one
    with an argument that is refused already, nothing is sure.
    """
    for role in ("generator", "discriminator"):
        field = f"networks.{role}.args"
        place, written = _place(job.spec, field), job.spec.get(field)
        added = {str(path[-1]): item for path, item in values.items() if place and path[:-1] == place}
        there = any(not absent(dig(job.document.value, (*place, name))) for name in added)
        others = any(
            dig(job.document.value, (*place, name)) != item for name, item in (written or {}).items()
        )
        if not added or not written or there or others:
            continue
        args = job.spec.fields[field]._replace(value={**written, **added})
        changed = replace(job, spec=TrainSpec({**job.spec.fields, field: args}))
        old, new = (Counter(problem.rule for problem in network_problems(state)) for state in (job, changed))
        if new[NETWORK_ARGUMENTS_RULE] > old[NETWORK_ARGUMENTS_RULE]:
            return True
    return False


def _own(job: Job, field: str) -> OwnNetwork | None:
    """Return the network as the trainer's repository defines it."""
    return job.own.networks.get(str(job.spec.get(field))) if job.own is not None else None


def _refused_by_own(job: Job, own: OwnNetwork, place: Path, written: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what the repository's own constructor refuses; sure where it is surely called as BasicSR does."""
    sure = job.own is not None and job.own.builds
    for name, message in own.signature.problems(written) if own.signature is not None else ():
        known = own.signature is not None and name in written and name in own.signature.params
        problem = Problem(
            NETWORK_ARGUMENTS_RULE, message, (*place, name), on_key=name in written, doubt=Doubt.ARGUMENT,
            harmless=known,
        )  # fmt: skip
        if sure or known:  # of a value it is not known what the constructor makes of it: a warning
            yield replace(problem, doubt=None) if known else _as_called(job, replace(problem, doubt=None))
        else:
            yield from (_as_called(job, left) for left in _weighed(job, (problem,)))


def _as_called(job: Job, problem: Problem) -> Problem:
    """Return what a constructor refuses; a warning where lines around it may leave it out or set it."""
    from trainlint.dialects.reader.registries import called_otherwise  # noqa: PLC0415 - for what is wrong alone

    trainer = None if problem.harmless or problem.doubt is not None else job.trainer
    place = called_otherwise(problem.path, job.dialect, trainer) if trainer is not None else None
    if place is None:
        return problem
    message = f"{problem.message}; its own {place} may build it otherwise"
    return replace(problem, harmless=True, message=message)


def _doubt(job: Job, field: str, argument: str) -> Doubt | None:
    """Return what a fork's own class of the same name may have changed about an argument."""
    known = signature(str(job.spec.get("dialect", "")), str(job.spec.get(field)))
    own, trainer = job.dialect.trainer.own, job.trainer
    if trainer is not None and trainer.source is not None and not (own and own["networks"]):
        return Doubt.TYPE  # whether its class is the published one was not looked at
    if known is None or argument in STRAY_KEYS or argument not in (job.spec.get(f"{field[:-5]}.args") or {}):
        return None
    if argument not in known.params:
        return Doubt.ARGUMENT
    return (
        Doubt.FIGURE if _is_number_for_list(known, argument, job.spec[f"{field[:-5]}.args"]) else Doubt.TYPE
    )


def _is_number_for_list(known: Signature, argument: str, written: Mapping[str, Any]) -> bool:
    """Return whether a network that has all arguments that are written would take the parts of a number."""
    given = written[argument]
    number = isinstance(given, int | float) and not isinstance(given, bool)
    takes_list = known.params[argument].expected.startswith("a list")
    return number and takes_list and written.keys() <= known.params.keys()


def _weighed(job: Job, problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """Hold problems against the trainer that was identified, where one was looked for."""
    if job.trainer is None or not problems:
        return problems
    from trainlint.dialects.reader.doubt_summary import summed_up  # noqa: PLC0415 - for what is wrong alone
    from trainlint.dialects.reader.weighing import weigh  # noqa: PLC0415 - the same

    return summed_up(weigh(problems, job.document, job.dialect, job.trainer), job.dialect, job.trainer)


def _misspelt(job: Job, field: str) -> Iterator[Problem]:
    """Yield an unknown network's name that is nearly a known one."""
    arch, dialect = job.spec.get(field), str(job.spec.get("dialect", ""))
    place = next(iter(job.spec.at(field)), ())
    if (
        not isinstance(arch, str)
        or not place
        or dialect not in EXACT_NAME_DIALECTS
        or signature(dialect, arch) is not None
    ):
        return
    problem = slip_of_name(arch, architectures(dialect), place, "network", job.dialect.title)
    yield from _weighed(job, (problem,) if problem is not None else ())


def refused_problems(job: Job, facts: Facts | None, reported: Collection[Problem]) -> Iterator[Problem]:
    """Yield what a constructor or a forward refused in the trace, unless it was `reported` already.

    Arguments that a shipped network's signature does not have are left out: where `network_problems` passes
    them over, they are a fork's own.
    """
    for name, message in (facts.refused if facts else {}).items():
        place = _place(job.spec, name)
        heard = any(
            problem.rule in UNSOUND_VALUE_PROBLEMS and problem.path[: len(place)] == place
            for problem in reported
        )
        if place and not heard and not _against_signature(job.spec, name):
            held = dig(job.document.value, place)
            named = [word for word in QUOTED.findall(message) if isinstance(held, Mapping) and word in held]
            yield Problem("refused-when-built", message, (*place, *named[:1]), on_key=bool(named))


def _against_signature(spec: TrainSpec, name: str) -> bool:
    arch = spec.get(f"{name.removesuffix('.args')}.arch") if name.endswith(".args") else None
    known = signature(spec.get("dialect", ""), arch) if arch else None
    return known is not None and bool(known.problems(spec.get(name) or {}))


def _place(spec: TrainSpec, name: str) -> Path:
    """Return where a field's value is written; absent arguments, where their network's name is."""
    field, _, role = name.partition(":")
    if role:  # an entry's place is as far down the field's as the entry is in its list
        roles = [entry.get("role") for entry in spec.get(field) or ()]
        return _nth(spec.at(field), roles, role)
    if field.startswith(OPTIONS_PREFIX):
        return _nth(spec.at("options"), [*spec.get("options", {})], field.removeprefix(OPTIONS_PREFIX))
    if not spec.at(field) and field.endswith(".args"):
        return next((path[:-1] for path in spec.at(f"{field.removesuffix('.args')}.arch")), ())
    return next(iter(spec.at(field)), ())


def _nth(paths: Sequence[Path], names: Sequence[str], name: str) -> Path:
    number = names.index(name) if name in names else 0
    return paths[number] if number < len(paths) else next(iter(paths), ())


def _refused(dialect: str, arch: str | None, args: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return (argument, message) for what a constructor does not take.

    A network that lacks required arguments and has unknown ones instead is a fork's own under a known name:
    nothing can be said about it. Of unknown networks only strays are reported.
    """
    known = signature(dialect, arch) if arch else None
    if known is None:
        where = f'belongs under "{{}}", no network takes it: {arch} is built with all keys but "type"'
        return [(name, f'"{name}" {where.format(STRAY_KEYS[name])}') for name in args if name in STRAY_KEYS]
    required = {name for name, param in known.params.items() if param.required}
    foreign = not known.open and required - set(args) and set(args) - set(known.params)
    return [] if foreign else known.problems(args)


def _spans(document: Document, problem: Problem) -> tuple[Span, ...]:
    from trainlint.judge.finding_spans import span_at  # noqa: PLC0415 - not for what passes

    if problem.rule == "duplicate-key":
        for twice in document.duplicates:
            if twice.path == problem.path:
                return (twice.second, twice.first)
    if problem.parts:
        return tuple(span_at(document, part.path, on_key=part.on_key) for part in problem.parts)
    return (span_at(document, problem.path, on_key=problem.on_key),)
