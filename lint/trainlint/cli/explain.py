"""`trainlint explain CONFIG`: where every byte goes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trainlint.cli.options import settings_from, with_settings
from trainlint.errors import CannotTraceError, UsageError

if TYPE_CHECKING:
    from trainlint.estimate.facts import Facts
    from trainlint.estimate.ledger import Samples
    from trainlint.estimate.source import TapeSource
    from trainlint.hardware import Target
    from trainlint.job import Job
    from trainlint.report.result import Result
    from trainlint.report.style import Style
    from trainlint.tape import Tape

STAND_IN = "rtx-4090"
"""The target when none is given."""


@click.command("explain")
@click.argument("config", type=click.Path(exists=True, dir_okay=False))
@with_settings
@click.option(
    "--snapshot",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write PyTorch's memory snapshot, for https://pytorch.org/memory_viz.",
)
def explain_command(config: str, **options: Any) -> int:
    """Show where the memory of CONFIG's step goes: by network and kind, and the largest tensors."""
    from trainlint.cli.console import Progress, style_for  # noqa: PLC0415
    from trainlint.cli.toolbox import pipeline_for, tapes_for  # noqa: PLC0415
    from trainlint.read import load_source, read  # noqa: PLC0415
    from trainlint.report.style import printable  # noqa: PLC0415

    settings = settings_from((config,), options)
    settings = settings.with_options(target=settings.target or (STAND_IN,))
    tapes = tapes_for(settings, Progress(), may_trace=not options["no_trace"])
    pipeline = pipeline_for(settings, tapes)
    jobs = [job for document in read(load_source(config)) for job in pipeline.jobs(document)]
    if not jobs:
        raise UsageError(f'no dialect knows "{config}"')
    style = style_for(sys.stdout, options["color"])
    explained = 0
    for job in jobs:
        for target in filter(None, pipeline.targets):
            result = pipeline.judge(job, target, fixes=False)
            try:
                tape, samples = tape_of(job, target, tapes, result.facts)
            except CannotTraceError as error:
                click.echo(printable(f"{config} on {target.name}: {error.reason}"), err=True)
                continue
            explained += 1
            click.echo("\n".join(explanation(result, tape, samples, style)), color=True)
            _write_snapshot(options["snapshot"], tape, samples)
    return 0 if explained else 2


def tape_of(job: Job, target: Target, tapes: TapeSource, facts: Facts | None = None) -> tuple[Tape, Samples]:
    """Return the tape of a job's step and the samples of its fullest GPU; CannotTraceError says why not.

    Of progressive training that of the stage which needs the largest card.
    """
    from trainlint.estimate.placement import place  # noqa: PLC0415
    from trainlint.estimate.stages import parts  # noqa: PLC0415
    from trainlint.estimate.step import step_of  # noqa: PLC0415

    spec = place(job.spec, target)
    stages = facts.memory.stages if facts and facts.memory else ()
    number = max(stages, key=lambda stage: stage.memory.least).number if stages else 0
    part = next((part for part in parts(spec) if part.number == number), parts(spec)[0])
    return tapes.tape({**step_of(spec), **part.crops}, part.share.batch), part.share.samples


def explanation(result: Result, tape: Tape, samples: Samples, style: Style) -> Iterator[str]:
    """Yield a job's pages: heading, then each kind of GPU."""
    from trainlint.estimate.breakdown import breakdown  # noqa: PLC0415
    from trainlint.report.closing import place_of  # noqa: PLC0415
    from trainlint.report.explain_text import render_breakdown  # noqa: PLC0415
    from trainlint.report.style import printable  # noqa: PLC0415
    from trainlint.report.text import about  # noqa: PLC0415

    yield style.paint("bold", printable(place_of(result)))
    yield from (f"{printable(about(result))}, batch {samples.batch} per GPU", "")
    gpus = result.facts.memory.gpus if result.facts and result.facts.memory else ()
    for device in range(tape.devices):
        if tape.devices > 1:
            yield style.paint("bold", "GPU 0" if device == 0 else f"every other GPU ({device} and on)")
        memory = gpus[device] if device < len(gpus) else None
        yield from render_breakdown(breakdown(tape, samples, device), memory, style)
        yield ""


def _write_snapshot(path: Path | None, tape: Tape, samples: Samples) -> None:
    from trainlint.report.snapshot import snapshot  # noqa: PLC0415

    if path is not None:
        try:
            path.write_bytes(snapshot(tape, samples))
        except OSError as error:
            raise UsageError(f'cannot write "{path}": {error.strerror}') from None
