# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The rules of a run: loaded once, judged on every job."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field
from msgspec.structs import replace

from trainlint.config.listed_keys import MANY_KEYS, ONLY_LISTED, lists_keys
from trainlint.dialects import glanced
from trainlint.errors import RuleError, most_alike
from trainlint.estimate.run.placement import place_job
from trainlint.judge.evaluate import lacks
from trainlint.judge.fixes.tries import Glance, Screening, Trying
from trainlint.judge.ignores import UNUSED_IGNORE_RULE, Ignore, ignores_in, unused
from trainlint.judge.json_pointer import pointed
from trainlint.judge.problem_findings import (
    NETWORK_ARGUMENTS_RULE,
    UNSOUND_VALUE_PROBLEMS,
    adds_refused,
    network_problems,
    problem_finding,
    refused_problems,
    rule_for,
)
from trainlint.judge.rule import Rule
from trainlint.judge.rule_cache import Verdicts
from trainlint.judge.rule_scope import Scope, scope_of
from trainlint.judge.verdicts import Judged, verdicts
from trainlint.model.document import Document
from trainlint.model.facts import Facts
from trainlint.model.finding import DATA_LOOK, UNCOUNTED, Finding, Level, Skip
from trainlint.model.job import Job, Problem
from trainlint.model.placing import Placing
from trainlint.model.target import Target
from trainlint.model.verdict import Verdict
from trainlint.settings.settings import Settings

if TYPE_CHECKING:
    from trainlint.judge.fixes.proposal import Proposal

Found = tuple[tuple[Finding, ...], tuple[Skip, ...]]
"""What is wrong with a job, and which rules could not be judged."""


TESTS_FIELD: Final = "job.tests"
"""What a rule requires that speaks of tests too."""
LOOKED_AT: Final = ("data.root", "pretrained.generator")
"""Fields that name what a look is at."""
NOT_LOOKED: Final = "not looked at; --data FOLDER reads the headers of what lies below it"
NOT_FOUND: Final = "none of the images and weights that it names was found"

OF_TRAINING: Final = (("logger",), ("train",))
"""Sections that only a training reads."""

Hides = Callable[[str, str, str], bool]
"""Says of a file's path, a rule's name and a JSON pointer whether the user's settings hide the finding."""


def _hides_nothing(_path: str, _rule: str, _pointer: str) -> bool:
    return False


def _as_set(finding: Finding, rule: Rule, scope: Scope, job: Job) -> list[Finding]:
    """Return a finding, as a warning where the repository's own lines set what it points at.

    None where its source has nothing of what the trainer says when it stops: that version does not. Nor what
    is uncertain and rests on a function of the repository's own.
    """
    trainer = job.trainer
    if trainer is not None and trainer.named:
        return [finding]
    if finding.level is not Level.FAIL:
        doubtful = rule.level is Level.FAIL and trainer is not None
        return [] if doubtful and _rested_otherwise(rule, job) else [finding]
    why = None
    if trainer is not None and (said := rule.data.get("said")):
        from trainlint.dialects.reader.unsaid import asked_besides, is_nowhere  # noqa: PLC0415 - of what fails alone

        if is_nowhere(said, job.dialect.id, job.document, trainer):
            return []
        place = asked_besides(said, _heard(rule, scope), job.document, trainer)
        why = f"its own {place} asks for more before it says so" if place is not None else None
    if why is None and trainer is not None and trainer.root is not None:
        from trainlint.dialects.reader.own_lines import set_by_its_own  # noqa: PLC0415 - of what fails alone
        from trainlint.dialects.reader.passed_over import is_left_to_others, only_tests  # noqa: PLC0415 - the same

        paths = [path for name in rule.at for path in scope.paths(name)[:1]]
        idle = all(path[:1] in OF_TRAINING for path in paths) and only_tests(job.document)
        if not any(name.startswith("facts.") for name in rule.requires) and (
            idle or any(is_left_to_others(path, job.document, job.dialect, trainer) for path in paths)
        ):
            return []
        why = set_by_its_own(paths, job.document, job.dialect, trainer)
    why = why or _rested_otherwise(rule, job) or _another_way(rule, scope, job)
    return (
        [finding]
        if why is None
        else [replace(finding, level=Level.WARN, message=f"{finding.message}; {why}")]
    )


def _rested_otherwise(rule: Rule, job: Job) -> str | None:
    rests: Sequence[str] = rule.data.get("rests", ())
    if not rests or job.trainer is None:
        return None
    from trainlint.dialects.reader.own_lines import rested_otherwise  # noqa: PLC0415 - of few rules

    return rested_otherwise(rests, job.document, job.dialect, job.trainer)


def _another_way(rule: Rule, scope: Scope, job: Job) -> str | None:
    """Say what decides a config next to its text: a fork that is installed, a script that gives a key.

    Or that nothing does, as nobody runs it.
    """
    if lists_keys(job.document, MANY_KEYS):
        return ONLY_LISTED
    if _of_machine(rule):
        return None
    if job.trainer is not None and job.trainer.fork:
        return f"what is installed comes from {job.trainer.fork}"
    if job.dialect.trainer.own is not None:  # BasicSR's family takes no keys from a command line
        return None
    from trainlint.dialects.reader.own_lines import given_next_to  # noqa: PLC0415 - of what fails alone

    place = given_next_to(_alone(rule, scope), job.document)
    return f"{place} may give another value" if place is not None else None


def _alone(rule: Rule, scope: Scope) -> set[str]:
    """Return the top-level keys that a rule points at, or that a config may lack."""
    paths = (path for name in rule.at for path in scope.paths(name))
    lacked = {
        name.removeprefix("doc.") for name in (*rule.at, *(rule.absent or ())) if name.startswith("doc.")
    }
    return {str(path[0]) for path in paths if len(path) == 1} | {name for name in lacked if "." not in name}


def _of_machine(rule: Rule) -> bool:
    return any(name.startswith(("facts.", "target.")) for name in rule.requires)


def _heard(rule: Rule, scope: Scope) -> set[str]:
    """Return the keys of a config that a rule reads."""
    names = (*rule.at, *rule.requires, *(rule.absent or ()))
    keys = {str(path[-1]) for name in names for path in scope.paths(name) if path}
    return keys | {name.removeprefix("doc.") for name in names}


class RuleSet(Struct, frozen=True, dict=True):
    """Rules by name; `off` are those the user does not want judged, `levels` those of others."""

    rules: Mapping[str, Rule]
    off: frozenset[str] = frozenset()
    levels: Mapping[str, Level] = field(default_factory=dict)
    hides: Hides = _hides_nothing
    unselected: frozenset[str] = frozenset()
    """The rules that are off as others were selected."""

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules.values())

    @property
    def lowered(self) -> frozenset[str]:
        """The rules that may only warn."""
        return frozenset(name for name, level in self.levels.items() if level is Level.WARN)

    def of(self, job: Job) -> RuleSet:
        """Return the rules that a job is judged by: those that ask for it where it only tests.

        Each of these decides then: validation's image is optional, a test has nothing else.
        """
        if not job.tests:
            return self
        others = {rule.name for rule in self if rule.kind == "assert" and TESTS_FIELD not in rule.requires}
        rules = {name: replace(rule, optional=name in others) for name, rule in self.rules.items()}
        return replace(self, rules=rules, off=self.off | others)

    def decides(self, name: str) -> bool:
        """Return whether a job is half judged without this rule; a name that is no rule's always decides."""
        rule = self.rules.get(name)
        return rule is None or (rule.level is Level.FAIL and not rule.optional)

    def verdicts(self, result: Judged) -> dict[str, Verdict]:
        """Return what was judged of a result, by family of facts."""
        return verdicts(self.rules, result, self.off)

    def of_readings(self) -> Rule | None:
        """Return the rule of a job's readings together; None where it is off."""
        return next((rule for rule in self._on() if rule.kind == "readings"), None)

    def judge(self, job: Job, target: Target | None = None, facts: Facts | None = None) -> Found:
        """Return what is wrong with a placed job, and the skips.

        `target` None: rules that need a machine are skipped. Sorted by place in the file, then by rule.
        Raises RuleError where a rule cannot be evaluated.
        """
        _, findings, skips = self._by_every_rule(job, target, facts)
        return tuple(self._heeding_ignores(job.document, findings)[0]), tuple(skips)

    def unlooked(self, job: Job, below: Path | None) -> Iterator[Skip]:
        """Yield a single skip for all rules that ask for a look at data and weights which a job names.

        `below` is the folder that was looked through in vain, or in part; None: no look was asked for.
        """
        if (unlisted := job.looked.get("unlisted")) is not None:
            yield Skip(DATA_LOOK, f"not looked at: {unlisted}")
        if (empty := job.looked.get("empty")) is not None:
            yield Skip(DATA_LOOK, f"nothing to look at, no files are in {empty}")
        if (uncounted := job.looked.get("uncounted")) is not None:
            yield Skip(DATA_LOOK, f"{UNCOUNTED}{uncounted}")
        if job.looked:
            return
        named = any(name in job.spec for name in LOOKED_AT)
        if named and any(rule.looks and rule.speaks(job.spec.get("dialect", "")) for rule in self._on()):
            yield Skip(DATA_LOOK, NOT_LOOKED if below is None else f'{NOT_FOUND} below "{below}"')

    def whole(self) -> RuleSet:
        """Return all rules but those that are to be ignored, whichever are selected."""
        return replace(self, off=self.off - self.unselected, unselected=frozenset())

    def unheard(self, job: Job, target: Target | None, facts: Facts | None) -> tuple[str, ...]:
        """Return the rules that a job fails by and that were not selected."""
        if not self.unselected:
            return ()
        findings, _ = self.whole().judge(job, target, facts)
        failing = (finding.rule for finding in findings if finding.level is Level.FAIL)
        return tuple(dict.fromkeys(name for name in failing if name in self.unselected))

    def of_schema(self, job: Job) -> tuple[Finding, ...]:
        """Return what a job's schema and its networks' signatures say, where no step is judged."""
        problems = (*job.problems, *network_problems(job)) if job.checked else ()
        findings = self._levelled(self._problems(job, problems))
        return tuple(self._heeding_ignores(job.document, pointed(job.document, findings))[0])

    def _problems(self, job: Job, problems: Iterable[Problem]) -> list[Finding]:
        return [
            problem_finding(rule_for(self.rules, problem), job, problem)
            for problem in problems
            if problem.rule not in self.off
        ]

    def _levelled(self, findings: Iterable[Finding]) -> list[Finding]:
        """Return findings at the levels that the settings give their rules."""
        return [replace(finding, level=self.levels.get(finding.rule, finding.level)) for finding in findings]

    def fixed(self, job: Job, facts: Facts | None, verdict: Found, trying: Trying) -> tuple[Finding, ...]:
        """Return a verdict's findings with the fixes that pass in every reading of the job."""
        findings, skips = verdict
        if not findings:
            return ()
        from trainlint.judge.fixes.attempts import Case  # noqa: PLC0415  # not for what passes
        from trainlint.judge.fixes.fixer import Fixer  # noqa: PLC0415

        target = job.placing.target if job.placing is not None else None
        scope = scope_of(job, target, facts)
        silent = {rule.name for rule in self._on() if lacks(rule, scope)}  # once it speaks it may not know
        unjudged = frozenset(silent.union(skip.rule for skip in skips))
        case = Case(job, scope, self.rules, findings, self.hidden(job, target, facts), unjudged)
        screening = Screening(partial(self._quick, job, target), partial(self._refuses, job))
        return tuple(Fixer(case, screening, trying).fixed())

    def hidden(
        self, job: Job, target: Target | None = None, facts: Facts | None = None
    ) -> tuple[Finding, ...]:
        """Return what is wrong with a job and hidden by its comments: no fix may make that worse unsaid."""
        if not ignores_in(job.document) and self.hides is _hides_nothing:
            return ()
        return tuple(self._heeding_ignores(job.document, self._by_every_rule(job, target, facts)[1])[1])

    def _by_every_rule(
        self, job: Job, target: Target | None, facts: Facts | None
    ) -> tuple[Scope, list[Finding], list[Skip]]:
        """Judge by every rule, whatever the comments say."""
        problems = (*job.problems, *network_problems(job))
        problems += tuple(refused_problems(job, facts, problems))
        unsound = any(problem.rule in UNSOUND_VALUE_PROBLEMS for problem in problems)
        scope = replace(scope_of(job, target, facts), unsound=unsound)
        findings = self._problems(job, problems)
        skips: list[Skip] = []
        verdicts = Verdicts(scope)
        for rule in self._of_dialect(job.spec.get("dialect", "")):
            match verdicts.of(rule):
                case Finding() as finding:
                    findings += _as_set(finding, rule, scope, job)
                case Skip() as skip:
                    skips.append(skip)
        return scope, pointed(job.document, self._levelled(findings)), skips

    def _quick(self, job: Job, target: Target | None, edited: Document) -> Glance | None:
        """Judge an edited document by the rules that read no facts."""
        placing = job.placing or Placing(target)
        for edited_job in glanced(edited, job):
            if edited_job.variant == job.variant:
                placed = place_job(edited_job, placing)
                findings, _ = self.light.judge(placed, target)
                return Glance(findings, placed.spec)
        return None

    def _refuses(self, job: Job, proposal: Proposal) -> bool:
        """Return whether a proposal adds what a network is sure to refuse, and nothing hides that."""
        heard = (
            NETWORK_ARGUMENTS_RULE not in self.off
            and self.hides is _hides_nothing
            and not ignores_in(job.document)
        )
        return heard and not proposal.gone and adds_refused(job, proposal.values)

    @cached_property
    def light(self) -> RuleSet:
        """The rules that read no facts, not even where there are some."""
        return replace(self, off=self.off | {rule.name for rule in self if rule.reads_facts})

    @cached_property
    def _spoken(self) -> dict[str, tuple[Rule, ...]]:
        return {}

    def _of_dialect(self, dialect: str) -> tuple[Rule, ...]:
        """Return the rules whose own expressions judge configs of a dialect."""
        if dialect not in self._spoken:
            asserting = (rule for rule in self._on() if rule.kind == "assert" and rule.speaks(dialect))
            self._spoken[dialect] = tuple(asserting)
        return self._spoken[dialect]

    def _on(self) -> Iterator[Rule]:
        return (rule for rule in self if rule.name not in self.off)

    def _heeding_ignores(
        self, document: Document, findings: Sequence[Finding]
    ) -> tuple[list[Finding], list[Finding]]:
        """Return what no comment hides, with the comments that hide nothing, by place; and what one hides."""
        ignores = ignores_in(document)
        hidden = [
            (ignore, finding) for finding in findings for ignore in ignores if ignore.hides(finding, document)
        ]
        path = document.source.path
        away = {id(finding) for _, finding in hidden}
        away |= {id(finding) for finding in findings if self.hides(path, finding.rule, finding.pointer)}
        kept = [finding for finding in findings if id(finding) not in away]
        kept += self._unused(ignores, [(ignore, finding.rule) for ignore, finding in hidden])
        covered = [finding for finding in findings if id(finding) in away]
        return sorted(kept, key=lambda finding: (finding.spans[0], finding.rule)), covered

    def _unused(self, ignores: Sequence[Ignore], hidden: Sequence[tuple[Ignore, str]]) -> Iterator[Finding]:
        rule = self.rules.get(UNUSED_IGNORE_RULE)
        if rule is not None and rule.name not in self.off:
            for ignore, message in unused(ignores, hidden, self.rules):
                yield Finding(rule.name, rule.level, message, (ignore.span,), hint=rule.hint)


def chosen(rules: RuleSet, settings: Settings) -> RuleSet:
    """Return the rules as the settings want them judged. Raises RuleError for a name that is no rule's."""
    wanted = {
        "select": settings.select,
        "ignore": settings.ignore,
        "levels": settings.levels,
        "per-file-ignores": [name for item in settings.per_file_ignores for name in item.rules],
    }
    for key, names in wanted.items():
        for name in names:
            if name not in rules.rules:
                near = most_alike(name, rules.rules)
                hint = f'; did you mean "{near}"?' if near else "; trainlint rules lists them"
                from trainlint.settings.settings_file import place_of  # noqa: PLC0415  # for a name that is wrong

                where = place_of(settings, key, name)
                raise RuleError(f'{where}"{key}" names "{name}": there is no such rule{hint}')
    left = frozenset(rules.rules) - frozenset(settings.select) if settings.select else frozenset()
    return replace(
        rules,
        off=left | frozenset(settings.ignore),
        unselected=left - frozenset(settings.ignore),
        levels={name: Level(level) for name, level in settings.levels.items()},
        hides=settings.hides if settings.per_file_ignores else rules.hides,
    )
