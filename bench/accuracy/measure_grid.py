# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Measure a grid of training steps on this machine's GPU, each next to its estimate.

    python -m bench measure_grid [--only WORD ...] [--list] [--output FILE]

Lines go to bench/measured/<gpu>.jsonl; cases that are there are not run again, so an interrupted grid goes
on. A case takes two fresh processes, about half a minute; the whole grid half an hour to an hour. timm's
networks need `pip install '.[networks]'`. Under a cap the batch is the largest that the estimate says will
fit, or one more: the pairs that show whether `least` decides rightly.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from bench import ROOT
from bench.commands import parser_of
from trainlint import __version__
from trainlint.cli.commands.measure_command import require_gpu
from trainlint.errors import CannotTraceError, TrainlintError, UsageError
from trainlint.estimate.measurement import record
from trainlint.estimate.memory.capacity import largest_batch
from trainlint.estimate.memory.card import Card, card_of, share_of
from trainlint.estimate.planned_run import Options, PlannedRun, calibrating, capped, perform, plan
from trainlint.estimate.run.placement import place
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.hardware import load_hardware
from trainlint.hardware.gpu_names import slug
from trainlint.measuring.measuring_process import MeasuringProcess
from trainlint.model.spec import TrainSpec, Value
from trainlint.model.target import Gpu
from trainlint.session.toolbox import jobs_in, pipeline_for
from trainlint.settings.settings import Settings
from trainlint.tape import EVERY_BATCH

GIB = 2**30
CAPS = (8, 12, 16, 24, 32)
STEPS = 10
PRECISIONS = ("fp32", "fp16", "bf16")


@dataclass(frozen=True)
class Case:
    """One run: an example's config or a spec's fields, with `batch` samples, or `beyond` the limit of `cap`.

    `cap` is in GiB, None for the card itself.
    """

    source: str
    fields: tuple[tuple[str, object], ...] = ()
    batch: int | None = None
    benchmark: bool = True
    cap: int | None = None
    beyond: int | None = None

    @property
    def name(self) -> str:
        """Name the case in the table; what it says, it is."""
        batch = f"b{self.batch}" if self.beyond is None else f"limit+{self.beyond}"
        cap = f" {self.cap}GiB" if self.cap else ""
        return f"{self.source} {batch}{'' if self.benchmark else ' no-benchmark'}{cap}"

    def spec(self) -> TrainSpec:
        """Return the job's spec."""
        if not self.fields:
            pipeline = pipeline_for(Settings(), TapeSource())
            return next(iter(jobs_in(str(ROOT / "examples" / self.source), pipeline)))[0].spec
        return TrainSpec({name: Value(value) for name, value in self.fields})


def fields(recipe: str, arch: str, args: dict[str, object], **more: object) -> tuple[tuple[str, object], ...]:
    """Return a spec's fields for a step that no example holds."""
    found = {
        "recipe": recipe, "dialect": recipe, "networks.generator.arch": arch, "networks.generator.args": args,
        "batch.per_gpu": 1, "gpus": 1, "parallel": "none", **more,
    }  # fmt: skip
    return tuple(found.items())


def vae(side: int, precision: str) -> tuple[tuple[str, object], ...]:
    """Return the fields of the VAE's step at a side in pixels."""
    more = {"crop.hr": side, "precision": precision, "channels_last": True}
    return fields("vae", "VAE", {"channels": [128, 256, 512, 512], "z_channels": 16}, **more)


def own(
    arch: str, side: int, precision: str, loss: str = "l1", parallel: str = "none", **args: object
) -> tuple[tuple[str, object], ...]:
    """Return the fields of the generic recipe's step on square inputs of a side in pixels."""
    more = {
        "options": {"input": [3, side, side]},
        "losses": [{"role": "loss", "type": loss}],
        "precision": precision,
        "parallel": parallel,
    }
    return fields("trainlint", arch, args, **more)


def classifier(name: str, precision: str, parallel: str = "none") -> tuple[tuple[str, object], ...]:
    """Return the fields of a timm classifier's step on images of 224 x 224."""
    return own(f"timm/{name}", 224, precision, "cross-entropy", parallel)


EXAMPLES = {  # batches of each
    "compact_x4.yml": (4, 16),
    "edsr_x2.yml": (4, 16),
    "msrresnet_x4.yml": (2, 16),
    "restore_x1.yml": (4,),
    "realesrnet_x2.yml": (2, 6),
    "srgan_x4.yml": (4, 16),
    "esrgan_x4.yml": (4, 16),
    "realesrgan_x4.yml": (1, 4, 12),
}
VIT, RESNET, DEPTHWISE = "vit_base_patch16_224", "resnet50", "efficientnet_b0"
RRDB: dict[str, Any] = {"num_in_ch": 3, "num_out_ch": 3, "scale": 4}


def cases() -> Iterator[Case]:
    """Yield the grid: free-running ones first, then the pairs at the limit of each smaller card."""
    for source, batches in EXAMPLES.items():
        yield from (Case(source, batch=batch) for batch in batches)
        yield Case(source, batch=batches[-1], benchmark=False)
    for side, precision, batch in ((128, "fp32", 4), (256, "fp32", 1), (256, "fp32", 2), (256, "fp16", 2)):
        for benchmark in (True, False):
            yield Case(f"vae-{side}-{precision}", vae(side, precision), batch, benchmark)
    for name, precision, batch in product((VIT, RESNET), PRECISIONS, (16, 64)):
        yield Case(f"{name}-{precision}", classifier(name, precision), batch)
    for precision in PRECISIONS:
        yield Case(f"rrdbnet-{precision}", own("RRDBNet", 64, precision, **RRDB), 4)
    for name, precision in product((VIT, RESNET, DEPTHWISE), ("fp32", "bf16")):  # the host sets their pace
        yield Case(f"{name}-{precision}", classifier(name, precision), 1)
        yield Case(f"{name}-{precision}-ddp", classifier(name, precision, "ddp"), 1)
    limits = {
        "realesrgan_x4.yml": (),
        "vae-256-fp32": vae(256, "fp32"),
        f"{VIT}-bf16": classifier(VIT, "bf16"),
    }
    for (source, found), cap, beyond in product(limits.items(), CAPS, (0, 1)):
        yield Case(source, found, cap=cap, beyond=beyond)


class Bench:
    """The GPU of this machine and the table that it fills."""

    def __init__(self, output: Path | None) -> None:
        self.target = load_hardware(()).target("local")
        self.output = output or ROOT / "bench" / "measured" / f"{slug(self.gpu.name)}.jsonl"
        self.tapes = TapeSource()
        self.run = MeasuringProcess()

    @property
    def gpu(self) -> Gpu:
        """The target's card; UsageError where it has none."""
        if self.target.gpu is None:
            raise UsageError(f"{self.target.name} has no GPU")
        return self.target.gpu

    def done(self) -> set[str]:
        """Return the names of the cases in the table."""
        if not self.output.is_file():
            return set()
        return {json.loads(line)["case"] for line in self.output.read_text(encoding="utf-8").splitlines()}

    def measure(self, case: Case) -> str:
        """Run a case and add its line; returns what to print."""
        spec = case.spec()
        planned = plan(place(spec, self.target), self.target, Options(case.batch, case.benchmark, STEPS))
        card, limit = capped(card_of(planned.spec, self.gpu, {}), case.cap * GIB if case.cap else None)
        if case.beyond is not None:
            batch = self.largest(planned, card) + case.beyond
            if not batch:
                raise CannotTraceError("not even one sample is said to fit")
            planned = plan(place(spec, self.target), self.target, Options(batch, case.benchmark, STEPS))
        planned = replace(planned, request=dataclasses.replace(planned.request, limit=limit))
        outcome = perform(planned, card, self.tapes, self.run)
        line = {
            "case": case.name,
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            "trainlint": __version__,
            "cap": case.cap * GIB if case.cap else None,
            **record(planned.request, outcome.reading, outcome.estimates),
            **calibrating(planned, self.gpu, self.tapes),
        }
        self.output.parent.mkdir(parents=True, exist_ok=True)
        with self.output.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        errors = ", ".join(
            f"{name} {error:+.1f} %" for name, error in line["gpus"][0]["error_percent"].items()
        )
        ran = f"batch {planned.request.batch}: {outcome.reading.outcome}"
        return f"{ran} (foreseen: {line['foreseen']}) {errors}"

    def largest(self, planned: PlannedRun, card: Card) -> int:
        """Return the largest batch that the estimate lets through on a card."""
        return largest_batch(self.tapes.tape(planned.request.step, EVERY_BATCH), share_of(planned.spec), card)


def main() -> int:
    """Measure what the table lacks, or list the cases."""
    parser = parser_of(__doc__)
    parser.add_argument("--only", nargs="*", default=[], help="cases whose name contains one of these")
    parser.add_argument("--list", action="store_true", help="name the cases; needs no GPU")
    parser.add_argument("--output", type=Path, help="the table")
    options = parser.parse_args()
    chosen = [case for case in cases() if not options.only or any(word in case.name for word in options.only)]
    if options.list:
        print("\n".join(case.name for case in chosen))
        return 0
    try:
        require_gpu()
    except TrainlintError as error:
        parser.error(str(error))
    bench = Bench(options.output)
    done = bench.done()
    for number, case in enumerate(chosen, start=1):
        if case.name in done:
            continue
        try:
            print(f"{number}/{len(chosen)} {case.name}: {bench.measure(case)}", flush=True)
        except CannotTraceError as error:
            print(f"{number}/{len(chosen)} {case.name}: not measured: {error.reason}", flush=True)
        except TrainlintError as error:
            print(f"{number}/{len(chosen)} {case.name}: left out: {error}", flush=True)
    return 0
