# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Proposals: concrete edits that might fix a finding, not yet tried; one candidate's, or two at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from trainlint.config.edit import delete_flag, raw_edit, rename_key, set_value
from trainlint.config.value_by_path import absent, dig
from trainlint.dialects.schema.schema_walk import kinds
from trainlint.errors import RuleError
from trainlint.expressions.cel import ExpressionError
from trainlint.judge.evaluate import condition, placed, values_for
from trainlint.judge.key_of_name import key_near, key_of
from trainlint.judge.message_template import show
from trainlint.judge.rule import FixCandidate, Rule
from trainlint.judge.rule_scope import Scope
from trainlint.model.document import COMMAND, Path
from trainlint.model.finding import CHANGES_TRAINING, Edit
from trainlint.model.job import Job, Problem

LARGEST_BATCH_FACT = "facts.memory.largest_batch"

NUMBERS = ("number-as-string", "wrong-type")
"""Problems whose suggestion is a number's text, to be written as it is."""

NONE_AS_STRING = "none-as-string"
"""The rule of values whose suggestion is nothing, in YAML's spelling."""


WEIGHTS = (".pth", ".pt", ".ckpt", ".safetensors", ".bin", ".pkl", ".npz")
"""How files of weights end."""

NUMERIC = frozenset(("integer", "number"))

FROM_SCRATCH = "it then trains from scratch"
"""What follows from an argument less that names weights."""


class Proposal(Struct, frozen=True):
    """Edits with what they should come to: `values` by path, keys that are `gone`, rule `fields` they set.

    `change` says what is edited, `note` what that costs the run. `figure`: what it saves is asked for.
    `effect` is what it does to what is trained, if it is no safe one.
    """

    change: str
    edits: tuple[Edit, ...]
    values: Mapping[Path, Any]
    gone: frozenset[Path] = frozenset()
    fields: frozenset[str] = frozenset()
    note: str = ""
    figure: bool = False
    effect: str = CHANGES_TRAINING

    @property
    def value(self) -> Any:
        """What the first of its keys is set to; None where keys only go."""
        return next(iter(self.values.values()), None)

    def summary(self, *remarks: str) -> str:
        """Say what is edited, and in brackets what that costs and brings."""
        remark = "; ".join(filter(None, (self.note, *remarks)))
        return f"{self.change} ({remark})" if remark else self.change


def remarked(summary: str, remark: str) -> str:
    """Return a summary with one remark more."""
    return f"{summary[:-1]}; {remark})" if summary.endswith(")") else f"{summary} ({remark})"


def combined(first: Proposal, second: Proposal) -> Proposal | None:
    """Return two proposals as one; None where they set the same key."""
    if first.values.keys() & second.values.keys():
        return None
    return Proposal(
        f"{first.change}, {second.change}",
        (*first.edits, *second.edits),
        {**first.values, **second.values},
        first.gone | second.gone,
        first.fields | second.fields,
        "; ".join(dict.fromkeys(filter(None, (first.note, second.note)))),
        effect=_effect_of(first.effect, second.effect),
    )


def _effect_of(first: str, second: str) -> str:
    effects = dict.fromkeys(filter(None, (first, second)))
    return CHANGES_TRAINING if CHANGES_TRAINING in effects else "; ".join(effects)


def from_rule(job: Job, scope: Scope, rule: Rule, candidate: FixCandidate) -> list[Proposal]:
    """Return a candidate's proposals in the order in which to try them.

    Raises RuleError where one of its expressions fails.
    """
    try:
        sets = list(_sets(scope, rule, candidate)) if _applies(scope, rule, candidate) else []
    except ExpressionError as error:
        if scope.unsound:
            return []
        raise RuleError(f"{placed(rule, 'fix')}: {error}") from error
    proposals = (proposal_of(job, scope, values, candidate.note) for values in sets)
    return [replace(proposal, figure=candidate.figure) for proposal in proposals if proposal is not None]


def _sets(scope: Scope, rule: Rule, candidate: FixCandidate) -> Iterator[dict[str, Any]]:
    """Yield what to set, name -> value, the nearest to the present value first."""
    values = values_for(rule, (*rule.requires, *candidate.requires), scope)
    present = scope.get(candidate.field) if candidate.field in scope else None
    tried = candidate.values(values)
    choices = tried if isinstance(tried, list) else [tried]
    ordered = choices if candidate.given else sorted(choices, key=lambda choice: _far(choice, present))
    for it in ordered:
        if it != present:
            also = {name: make(values | {"it": it}) for name, make in candidate.also.items()}
            yield {candidate.field: it, **also}


def meant_for(scope: Scope, candidate: FixCandidate) -> bool:
    """Say whether a candidate is for configs of this dialect."""
    return not candidate.dialects or scope.spec.get("dialect") in candidate.dialects


def _applies(scope: Scope, rule: Rule, candidate: FixCandidate) -> bool:
    if not meant_for(scope, candidate):
        return False
    if any(name not in scope for name in candidate.requires):
        return False
    return candidate.when is None or condition(rule, candidate.when, scope, candidate.requires)


def _far(choice: Any, present: Any) -> float:
    numbers = isinstance(choice, int | float) and isinstance(present, int | float)
    return abs(choice - present) if numbers else 0.0


def proposal_of(job: Job, scope: Scope, sets: Mapping[str, Any], note: str = "") -> Proposal | None:
    """Return the proposal that sets these fields; None where a key is not known or nothing would change."""
    edits: list[Edit] = []
    values: dict[Path, Any] = {}
    words: list[str] = []
    for name, wanted in sets.items():
        path = key_of(job, scope, name)
        if path is None:
            return None
        old, command = dig(job.document.value, path), job.document.format == COMMAND
        value = str(wanted) if _is_text(job, path, wanted) else wanted
        if old == value:
            continue
        before = key_near(job, path) if job.dialect.headings else None
        edit = set_value(job.document, path, value, flag_of(job, path) if command else "", before)
        if edit is None:
            return None
        edits.append(edit)
        values[path] = value
        as_written = command or (job.document.format == "toml" and absent(old))
        words.append(_change(path, old, value, edit.text.strip() if as_written else ""))
    if not edits:
        return None
    return Proposal(", ".join(words), tuple(edits), values, fields=frozenset(sets), note=note)


def _is_text(job: Job, path: Path, value: Any) -> bool:
    """Return whether a number is written as text: in no flag of a command, or where text is asked for."""
    if isinstance(value, str) or str(path[0]).startswith("@"):
        return True
    known = job.flags if job.document.format == COMMAND else job.dialect.schema.get("properties", {})
    asked = str(path[-1]) in known and (len(path) == 1 or bool(job.dialect.headings))
    types = kinds(known[str(path[-1])]) if asked and job.dialect.loader == "argparse" else ()
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and "string" in types and NUMERIC.isdisjoint(types)


def flag_of(job: Job, path: Path) -> str:
    """Return how a command's script spells a flag; "" where it has none of that name."""
    name = str(path[0])
    part = job.flags.get(name)
    if part is None or len(path) != 1:
        return ""
    from trainlint.dialects.schema.argparse_arguments import spellings  # noqa: PLC0415 - of commands

    return spellings(name, part, job.dialect)[-1]


def _change(path: Path, old: Any, new: Any, written: str = "") -> str:
    """Say what is set; `written` is what a command gets, or a file of TOML."""
    if written.startswith("-") or (" = " in written and "\n" not in written):
        return f"add {written}"
    name = ".".join(str(step) for step in path if step not in ("@launcher", "@env"))
    if absent(old):
        return f"add {name}: {show(new)}"
    quoted = isinstance(old, str) and show(old) == show(new)  # a number that was written as a string
    before = f'"{old}"' if quoted else show(old)
    return f"{name}: {before} -> {show(new)}"


def from_problems(job: Job, problems: Iterable[Problem]) -> Iterator[Proposal]:
    """Yield the proposal that each problem's own suggestion makes."""
    for problem in problems:
        proposals = [_suggested(job, part) for part in problem.parts or (problem,)]
        together = reduce(_also, proposals, None)
        if together is not None:
            yield together


def _suggested(job: Job, problem: Problem) -> Proposal | None:
    if not problem.suggestion:
        return _deletion(job, problem)
    return _rename(job, problem) if problem.on_key else _rewrite(job, problem)


def _also(first: Proposal | None, second: Proposal | None) -> Proposal | None:
    """Return the suggestions for the parts of one finding as one, as far as there are any."""
    return combined(first, second) if first and second else first or second


def _deletion(job: Job, problem: Problem) -> Proposal | None:
    """Return the proposal to leave out an argument that the script's parser refuses, None of other problems.

    The run cannot start with it. It is no safe one, as what was meant by it is not done: weights that are no
    longer named are not trained further. A parser that may be another one keeps it.
    """
    from trainlint.dialects.messages.argparse_wording import UNRECOGNIZED  # noqa: PLC0415 - of commands

    refused = problem.message.startswith(UNRECOGNIZED)
    if not refused or problem.harmless or len(problem.path) != 1:
        return None
    name = str(problem.path[0])
    edit = delete_flag(job.document, name)
    if edit is None:
        return None
    change = f"delete {problem.message.removeprefix(UNRECOGNIZED)}"
    weights = str(job.document.value.get(name)).lower().endswith(WEIGHTS)
    effect = FROM_SCRATCH if weights else ""
    fields = frozenset({f"doc.{name}"})
    return Proposal(change, (edit,), {}, frozenset({problem.path}), fields, effect, effect=effect)


def _rename(job: Job, problem: Problem) -> Proposal | None:
    old, name = problem.path, str(problem.suggestion)
    new = (*old[:-1], name)
    edit = rename_key(job.document, old, name)
    if edit is None or not absent(dig(job.document.value, new)):
        return None
    value = dig(job.document.value, old)
    return Proposal(f"{old[-1]} -> {name}", (edit,), {new: value}, frozenset({old}))


def _rewrite(job: Job, problem: Problem) -> Proposal | None:
    path, text = problem.path, str(problem.suggestion)
    raw = problem.rule in (*NUMBERS, NONE_AS_STRING)
    edit = raw_edit(job.document, path, text) if raw else set_value(job.document, path, text)
    value = None if problem.rule == NONE_AS_STRING else float(text) if raw else text
    if edit is None:
        return None
    return Proposal(_change(path, dig(job.document.value, path), text), (edit,), {path: value})


def candidates_of(job: Job, scope: Scope, rule: Rule) -> Iterator[list[Proposal]]:
    """Yield the proposals of each of a rule's candidates, to be made together with others."""
    wider = _any_batch(scope)
    for fix in rule.fixes:
        yield from_rule(job, wider, rule, fix)


def _any_batch(scope: Scope) -> Scope:
    """See a job as if every batch up to its own fitted: with another edit more may fit than without."""
    values = dict(scope.values)
    memory = scope.facts.memory if scope.facts is not None else None
    if memory is not None and "spec.batch.per_replica" in values:
        values[LARGEST_BATCH_FACT] = max(memory.largest_batch, values["spec.batch.per_replica"] - 1)
    wider = replace(scope)
    wider.__dict__["values"] = values  # what cached_property keeps
    return wider
