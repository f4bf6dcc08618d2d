# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The rules' pages, made from the rules themselves; docs/generate.py writes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from trainlint.expressions.composed import in_lines
from trainlint.judge.rule import Rule

GENERATED = "<!-- written by `python docs/generate.py`; edit rules/*.yaml instead -->\n"
_LANGUAGES = {".json": "json", ".toml": "toml", ".sh": "sh"}


def pages(rules: Iterable[Rule]) -> Iterator[tuple[str, str]]:
    """Yield (file name, Markdown): the list of rules, then their pages."""
    known = sorted(rules, key=lambda rule: rule.name)
    yield "README.md", _index(known)
    yield from ((f"{rule.name}.md", page(rule)) for rule in known)


def page(rule: Rule) -> str:
    """Return one rule's page: what, why, wrong, right, the fix, and where it comes from."""
    return "\n".join([f"# {rule.name}\n", GENERATED, *_body(rule)]).rstrip() + "\n"


def _body(rule: Rule) -> Iterator[str]:
    data = rule.data
    yield f"**{rule.level}**: {rule.summary}.\n"
    if rule.ignored_level is not None:
        yield f"Level **{rule.ignored_level}** where the trainer goes on without what it does not know.\n"
    if rule.dialects:
        yield f"Dialects: {', '.join(rule.dialects)}.\n"
    if rule.kind == "assert":
        yield from _what(data)
    yield f"## Why\n\n{str(data['why']).strip()}\n"
    yield from _examples("Wrong", data["examples"]["fail"])
    yield from _examples("Right", data["examples"]["pass"])
    yield from _fixes(data)
    yield "## Source\n"
    yield from (f"- <{source}>" for source in rule.sources)
    yield f"\nTo keep a finding: `# trainlint: ignore[{rule.name}] reason` on its line or on the line above."


def _what(data: Mapping[str, Any]) -> Iterator[str]:
    yield "## What must hold\n"
    if "when" in data:
        yield f"Where\n\n```cel\n{in_lines(data['when'])}\n```\n"
    yield f"```cel\n{in_lines(data['assert'])}\n```\n"
    if "certain" in data:
        yield f"A **warning** except where\n\n```cel\n{in_lines(data['certain'])}\n```\n"
    needs = [name for name in data.get("requires", ()) if name.startswith(("target.", "facts."))]
    if needs:
        yield f"Judged only against a target; reads {', '.join(f'`{name}`' for name in needs)}.\n"


def _examples(title: str, examples: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    shown = [example for example in examples if "config" in example] or list(examples)
    if shown:
        yield f"## {title}\n"
        yield from (_example(example) for example in shown)


def _example(example: Mapping[str, Any]) -> str:
    words = ", ".join(filter(None, (example.get("title", ""), _machine(example))))
    title = f"{words[:1].upper()}{words[1:]}:\n\n" if words else ""
    if "config" in example:
        language = _LANGUAGES.get(Path(example.get("file", "config.yml")).suffix, "yaml")
        seen = f"\nWith `--data`: {seen_words(example['data'])}.\n" if "data" in example else ""
        return f"{title}```{language}\n{example['config'].rstrip()}\n```\n{seen}"
    fields = {
        kind: example[kind]
        for kind in ("spec", "doc", "command", "job", "target", "facts")
        if kind in example
    }
    text = yaml.safe_dump(fields, sort_keys=False, default_flow_style=None, width=100)
    return f"{title}```yaml\n{text.rstrip()}\n```\n"


def seen_words(seen: Mapping[str, Any]) -> str:
    """Say what a look at the data and weights of an example showed, in the names that rules have for it."""
    words = {name: value if isinstance(value, list) else [value] for name, value in seen.items()}
    described = ((name, " and ".join(map(str, value)) or "nothing") for name, value in words.items())
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in described)


def _machine(example: Mapping[str, Any]) -> str:
    """Name the machine that a config is judged on, by its name or by what it has."""
    has = [f"{name.replace('_', ' ')} {value}" for name, value in example.get("target", {}).items()]
    named = [example["machine"]] if "machine" in example else []
    return f"on {' with '.join([*named, *has])}" if "config" in example and (named or has) else ""


def _fixes(data: Mapping[str, Any]) -> Iterator[str]:
    fixes = data.get("fix", ())
    if fixes:
        yield "## Fix\n\nOffered only after the edited config was linted again; tried in this order:\n"
        for fix in fixes:
            also = "".join(f", `{name}` to `{value}`" for name, value in fix.get("also", {}).items())
            note = f": {fix['note']}" if "note" in fix else ""
            only = f" ({', '.join(fix['dialects'])})" if "dialects" in fix else ""
            yield f"- set `{fix['set']}` to one of `{' '.join(fix['try'].split())}`{also}{note}{only}"
        yield ""


def _index(rules: Iterable[Rule]) -> str:
    rows = [
        f"| [{rule.name}]({rule.name}.md) | {rule.level} | {rule.summary} | {'yes' if rule.fixes else ''} |"
        for rule in rules
    ]
    head = ["# Rules\n", GENERATED, "| rule | level | what must hold | fix |", "|---|---|---|---|"]
    return "\n".join([*head, *rows]) + "\n"
