# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How a report is to reach its reader: its format, its files, how much it says."""

from __future__ import annotations

from pathlib import Path

import click
from msgspec import Struct

from trainlint.report.formats import names


class ReportOptions(Struct, frozen=True, kw_only=True):
    """What the options of a report say; `reports` names further ones, each a format and a file."""

    output_format: str = "text"
    output: Path | None = None
    reports: tuple[tuple[str, Path], ...] = ()
    verbose: bool = False

    @property
    def itemised(self) -> bool:
        """Whether a report lists what a peak is made of: the text does for a verbose reader alone."""
        return self.verbose or {self.output_format, *(name for name, _ in self.reports)} != {"text"}


def _reports(
    _ctx: click.Context, _param: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, Path], ...]:
    """Read FORMAT=FILE, several times; UsageError for an unknown format or a file named twice."""
    formats: dict[Path, str] = {}
    for value in values:
        name, _, file = value.partition("=")
        if name not in names() or not file:
            raise click.BadParameter(f'"{value}" is not FORMAT=FILE; formats are {", ".join(names())}')
        if Path(file) in formats:
            raise click.BadParameter(f'"{file}" is named for two reports: give each its own file')
        formats[Path(file)] = name
    return tuple((name, path) for path, name in formats.items())


with_format = click.option(
    "--format",
    "--output-format",
    "output_format",
    type=click.Choice(names()),
    default="text",
    show_default=True,
    help="Format of the report.",
)
with_output = click.option(
    "--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="Write to a file."
)
with_reports = click.option(
    "--report",
    "reports",
    multiple=True,
    callback=_reports,
    metavar="FORMAT=FILE",
    help="Also write a report in another format; repeatable.",
)
with_verbose = click.option("--verbose", "-v", is_flag=True, help="Every finding in full, and all figures.")
