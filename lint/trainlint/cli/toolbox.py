"""The pipeline as the settings want it: dialects, rules, targets and tapes, each loaded when needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trainlint.cli.batch import Input
from trainlint.hardware import Target, load_hardware
from trainlint.judge import RuleSet, load_rules
from trainlint.normalise import load_dialects
from trainlint.pipeline import Pipeline
from trainlint.read import discover, load_stdin
from trainlint.settings import Settings


def pipeline_for(settings: Settings, progress: Callable[[str], None], *, may_trace: bool) -> Pipeline:
    """Build the pipeline; UsageError for an unknown target, RuleError for a rule that does not load."""
    return Pipeline(
        dialects=load_dialects(settings.schemas),
        rules=rules_for(settings),
        targets=targets_for(settings) or (None,),
        estimate=estimator(settings, progress, may_trace=may_trace),
    )


def targets_for(settings: Settings) -> tuple[Target, ...]:
    """Return the targets by name, each once; UsageError lists the near ones of an unknown name."""
    if not settings.target:
        return ()
    hardware = load_hardware(settings.gpus)
    return tuple({target.name: target for target in map(hardware.target, settings.target)}.values())


def rules_for(settings: Settings) -> RuleSet:
    """Return the rules, without those that the settings ignore."""
    return load_rules(settings.rules)


def inputs_of(paths: Sequence[str], settings: Settings, stdin_filename: str | None) -> list[Input]:
    """Return what to lint: files and folders as found, `-` as the text on standard input."""
    files = [path for path in paths if path != "-"]
    found: list[Input] = list(discover(files, settings.exclude)) if files else []
    if "-" in paths:
        found.append(load_stdin(stdin_filename) if stdin_filename else load_stdin())
    return found
