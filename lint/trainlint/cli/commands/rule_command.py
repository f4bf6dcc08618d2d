# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`trainlint rules` and `trainlint rule NAME`: what is checked, why, and what wrong and right look like."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import fill, indent
from typing import TYPE_CHECKING, Any

import click

from trainlint.catalogue.zoo.file_check import check_package
from trainlint.catalogue.zoo.packages import Package
from trainlint.cli import shell_completion
from trainlint.cli.console import say
from trainlint.dialects import load_dialects
from trainlint.errors import UsageError, words_alike
from trainlint.judge import RuleSet, load_rules
from trainlint.judge.rule_files.rule_file import located
from trainlint.report.rule_pages import seen_words
from trainlint.report.style import printable
from trainlint.settings.settings_file import load_settings
from trainlint.shipped.extensions import GROUP, extensions

if TYPE_CHECKING:
    from trainlint.judge import Rule
    from trainlint.pipeline.rule_examples import Examples

WIDTH = 88
"""Columns of running text: a comfortable line for reading."""


def _rules() -> RuleSet:
    settings = load_settings(Path())
    return load_rules(settings.rules, dialects=load_dialects(settings.schemas, settings.networks))


@click.command("rules")
@click.option(
    "--check",
    "folder",
    type=click.Path(path_type=Path),
    help="Run the examples of your own rules: a file, a folder, or an installed package's name.",
)
@click.option(
    "--mutate",
    is_flag=True,
    help="With --check: double each number in their conditions; some example must then fail.",
)
def rules_command(folder: Path | None, *, mutate: bool) -> None:
    """List the rules: name, level, what must hold, and whether a fix is offered."""
    if folder is not None:
        sys.exit(_check(folder, mutate=mutate))
    if mutate:
        raise click.UsageError("--mutate goes with --check FOLDER: it is about examples of rules")
    rules = list(_rules())
    width = max((len(rule.name) for rule in rules), default=0)
    for rule in rules:
        fix = " (with a fix)" if rule.fixes else ""
        say(printable(f"{rule.level:<4}  {rule.name:<{width}}  {rule.summary}{fix}"))


def _check(place: Path, *, mutate: bool) -> int:
    """Run the examples of the rules in a file or a folder; 1 where one does not show what it says.

    With `mutate`, a rule whose examples are right has to have one that notices each number doubled.
    """
    from trainlint.pipeline.rule_examples import Examples  # noqa: PLC0415 - with --check alone

    settings = load_settings(place)
    place, schemas = _of_package(place)
    dialects = load_dialects((*settings.schemas, *schemas), settings.networks)
    rules = load_rules([*settings.rules, place], dialects=dialects)
    files = {str(path) for path in (place.glob("*.yaml") if place.is_dir() else [place])}
    own = [rule for rule in rules if rule.path in files]
    examples = Examples(rules, dialects)
    wrong = [
        f"{located(Path(rule.path), path)}: {'.'.join(map(str, path))}: {why}"
        for rule in own
        for path, why in _wrong(examples, rule, mutate=mutate)
    ]
    for line in wrong:
        say(printable(line))
    ran = sum(len(examples_of_kind) for rule in own for examples_of_kind in rule.data["examples"].values())
    say(f"{len(own)} rule{'s' * (len(own) != 1)}, {ran} example{'s' * (ran != 1)}, {len(wrong)} wrong")
    return 1 if wrong else 0


def _of_package(place: Path) -> tuple[Path, tuple[Path, ...]]:
    """Return where a package's rules are, by its name or folder, and its dialects if it is not installed."""
    folders = {extension.name: extension.folder for extension in extensions()}
    if not place.exists():
        place = folders.get(str(place).replace("-", "_"), place)
    place = _project_package(place) or place
    rules, schemas = place / "rules", place / "schemas"
    if not rules.is_dir() or any(place.glob("*.yaml")):
        return place, ()
    known = any(place.samefile(folder) for folder in folders.values())
    check_package(Package(place.name, place))
    return rules, () if known or not schemas.is_dir() else (schemas,)


def _project_package(project: Path) -> Path | None:
    """Return the folder of the package that a project's pyproject.toml brings; None where it brings none."""
    try:
        tables = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))
        names = list(tables["project"]["entry-points"][GROUP].values())
        places = [project / source / name for name in names for source in (".", "src")]
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None
    return next((place for place in places if place.is_dir()), None)


def _wrong(examples: Examples, rule: Rule, *, mutate: bool) -> list[tuple[tuple[str | int, ...], str]]:
    wrong = list(examples.failures(rule))
    return list(examples.unnoticed(rule)) if mutate and not wrong else wrong


@click.command("rule")
@click.argument("name", shell_complete=shell_completion.rules)
def rule_command(name: str) -> None:
    """Explain the rule NAME."""
    rules = {rule.name: rule for rule in _rules()}
    if name not in rules:
        near = words_alike(name, rules, 3)
        listed = ", ".join(f'"{other}"' for other in near)
        raise UsageError(
            f'unknown rule "{name}"' + (f"; did you mean {listed}?" if near else "; see `trainlint rules`")
        )
    rule = rules[name]
    say(f"{rule.name} ({rule.level}): {rule.summary}\n")
    if rule.dialects:
        say(f"Dialects: {', '.join(rule.dialects)}\n")
    say(_paragraphs(str(rule.data["why"])))
    for title, kind in (("Wrong", "fail"), ("Right", "pass"), ("After the fix", "fixed")):
        for line in _example(title, rule.data["examples"].get(kind, ())):
            say(line)
    say("\nSource: " + "\n        ".join(rule.sources))
    say(f"Ignore one finding with a comment on its line: # trainlint: ignore[{rule.name}] reason")


def _paragraphs(text: str) -> str:
    return "\n\n".join(fill(" ".join(part.split()), WIDTH) for part in text.strip().split("\n\n"))


def _example(title: str, examples: list[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the first example of a kind: a config, or the fields that matter."""
    if not examples:
        return
    example = next((example for example in examples if "config" in example), examples[0])
    where = f" (on {example['machine']})" if "machine" in example else ""
    yield f"\n{title}{where}{': ' + example['title'] if 'title' in example else ''}"
    text = example.get("becomes") or example.get("config")
    yield indent(text.rstrip("\n") if text else "\n".join(_fields(example)), "    ")
    if text and "data" in example:
        yield f"    (with --data: {seen_words(example['data'])})"


def _fields(example: Mapping[str, Any]) -> Iterator[str]:
    for group in ("spec", "doc", "command", "start", "env", "data", "install", "target", "facts"):
        for name, value in example.get(group, {}).items():
            yield f"{group}.{name} = {value}"
