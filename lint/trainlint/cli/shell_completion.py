# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Names that a shell offers after a tab: targets, rules, dialects. What cannot be read offers nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import click

from trainlint.errors import TrainlintError
from trainlint.hardware import load_hardware
from trainlint.settings.settings_file import load_settings
from trainlint.shipped.resource_paths import resource

Offer = Callable[[click.Context, click.Parameter, str], list[str]]


def _offer(names: Callable[[], Iterable[str]]) -> Offer:
    def offered(_ctx: click.Context, _param: click.Parameter, typed: str) -> list[str]:
        try:
            return sorted(name for name in names() if name.startswith(typed))
        except TrainlintError:
            return []

    return offered


def _targets() -> Iterable[str]:
    return load_hardware(load_settings(Path()).gpus).names()


def _rules() -> Iterable[str]:
    return (path.stem for path in resource("rules").glob("*.yaml"))


def _schemas() -> Iterable[str]:
    return ("settings", *(path.stem for path in resource("schemas").glob("*.json")))


targets, rules, schemas = map(_offer, (_targets, _rules, _schemas))
