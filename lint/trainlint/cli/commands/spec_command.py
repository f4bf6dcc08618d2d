# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`trainlint spec FILE`: what was read of a config, and where each of it comes from."""

from __future__ import annotations

import click

from trainlint.cli.console import say, write
from trainlint.cli.options.gathered_options import gathered
from trainlint.cli.options.help_sections import SectionedCommand
from trainlint.cli.options.settings_from_options import settings_from
from trainlint.cli.options.shared_options import SharedOptions, with_shared
from trainlint.documents.file_format import read
from trainlint.errors import UsageError, most_alike
from trainlint.files.text_source import load_source
from trainlint.pipeline.pipeline import Pipeline
from trainlint.report.json_version_1 import encoded
from trainlint.report.style import printable
from trainlint.report.text.spec_text import as_data, lines
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.toolbox import jobs_in, pipeline_for


@click.command("spec", cls=SectionedCommand)
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@with_shared
@click.option(
    "--format",
    "output_format",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
)
@click.option("--dialect", metavar="ID", help="Say why FILE is not read as this dialect.")
@gathered(options=SharedOptions)
def spec_command(file: str, output_format: str, dialect: str | None, options: SharedOptions) -> int:
    """Print what is read from FILE: field, value, origin and place; with --target as placed there."""
    settings = settings_from((file,), options)
    pipeline = pipeline_for(settings, tapes_for(settings, lambda _text: None, may_trace=False))
    if dialect is not None:
        return _signs(file, dialect, pipeline)
    placed = [
        job
        for jobs in jobs_in(file, pipeline)
        for target in pipeline.targets_of(file)
        for job in pipeline.readings(jobs, target)
    ]
    if output_format == "json":
        write(encoded({"version": 1, "jobs": [as_data(job) for job in placed]}), None)
        return 0
    for index, job in enumerate(placed):
        say(("\n" if index else "") + "\n".join(printable(line) for line in lines(job)))
    return 0


def _signs(file: str, name: str, pipeline: Pipeline) -> int:
    """Say of each part of a file why it is not read as a dialect; 1 where none of them is."""
    from trainlint.dialects.extract.failed_signs import failed_signs  # noqa: PLC0415 - with --dialect alone

    dialect = next((dialect for dialect in pipeline.dialects if dialect.id == name), None)
    if dialect is None:
        near = most_alike(name, [dialect.id for dialect in pipeline.dialects])
        hint = f'did you mean "{near}"?' if near else "trainlint dialects lists them"
        raise UsageError(f'there is no dialect "{name}"; {hint}')
    documents = read(load_source(file))
    missing = [list(failed_signs(document, dialect, pipeline.dialects)) for document in documents]
    for document, lacks in zip(documents, missing, strict=True):
        say(printable(f"{file}:{document.line}: {f'not {name}' if lacks else name}"))
        for sign in lacks:
            say(printable(f"  {sign}"))
    if not documents:
        say(printable(f"{file}: it holds no config and no training command"))
    return int(all(missing))
