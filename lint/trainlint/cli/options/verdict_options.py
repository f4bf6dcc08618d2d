# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What counts: the rules that are judged, and the findings that make the exit code 1."""

from __future__ import annotations

import click
from msgspec import Struct
from msgspec.structs import replace

from trainlint.cli.options.shared_options import offered
from trainlint.settings.settings import Settings


class VerdictOptions(Struct, frozen=True, kw_only=True):
    """What these options say; a command need not have all of them."""

    fail_on: str | None = None
    strict: bool = False
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def added_to(self, settings: Settings) -> Settings:
        """Return the settings with these on top."""
        settings = settings.with_options(fail_on=self.fail_on, strict=self.strict, select=self.select)
        return replace(settings, ignore=(*settings.ignore, *self.ignore))


with_fail_on = click.option(
    "--fail-on", type=click.Choice(["warn", "fail"]), help="Lowest level that makes the exit code 1."
)
with_strict = click.option("--strict", is_flag=True, help="Count what could not be judged as a failure.")
with_select = click.option(
    "--select",
    multiple=True,
    metavar="RULE",
    shell_complete=offered("rules"),
    help="Judge only this rule; repeatable.",
)
with_ignore = click.option(
    "--ignore",
    multiple=True,
    metavar="RULE",
    shell_complete=offered("rules"),
    help="Do not judge this rule; repeatable.",
)
