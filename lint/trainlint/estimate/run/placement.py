# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How a trainer spreads a job over a machine: processes, batches and loader workers.

Which field the user wrote shows the trainer's own convention:

  batch.per_gpu      BasicSR and its forks. Without a launcher one process serves all GPUs by DataParallel
                     and its loader takes per_gpu x num_gpu samples; with one, each process takes per_gpu
                     (basicsr/data/__init__.py, build_dataloader).
  batch.per_process  what the DataLoader is given: split over the GPUs under DataParallel (zoom23, GLF-CR).
  batch.total        over all GPUs: processes divide it (KAIR, the first BasicSR).

The same holds for workers. DataParallel splits by ceil, so the first GPU has the largest share.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from trainlint.dialects.extract.base_model import read_config, with_config
from trainlint.documents.trainer_keywords import UNTRAINED
from trainlint.estimate.run.network_scale import with_network_scale
from trainlint.files.enclosing_folders import repository_of
from trainlint.model.document import PYTHON, Path
from trainlint.model.job import Job
from trainlint.model.launcher import NO_LAUNCHER, Launcher
from trainlint.model.placing import Placing
from trainlint.model.spec import UNCOUNTED_FIELD, TrainSpec, Value
from trainlint.model.target import Target

ACCELERATE: Final = "accelerate, where it starts this with DeepSpeed or FSDP (--launcher none: it does not),"
"""What may leave parts of a program's model on the host without a line in the program."""
NOTEBOOK: Final = ".ipynb"


class GpuLayout(Struct, frozen=True):
    """GPUs and the way they are used; None where only a target could say.

    `divisor` is what a batch of all GPUs is divided by, None where it is not known.
    """

    gpus: int | None
    parallel: str | None
    divisor: int | None = None

    @property
    def processes(self) -> int | None:
        """Training processes, each with its own loader."""
        return self.gpus if self.parallel == "ddp" else 1 if self.parallel else None

    @property
    def per_process(self) -> int | None:
        """GPUs that one process serves; a process on the CPU counts as one."""
        return 1 if self.parallel == "ddp" else None if self.gpus is None else max(self.gpus, 1)


def place_job(job: Job, placing: Placing) -> Job:
    """Return a job with its spec placed; give it normalise's job, not a placed one."""
    launcher = placing.launcher or known_launcher(job) or Launcher()
    spec = place(with_network_scale(job.spec, job.own), placing.target, launcher, divides_by=_divides_by(job))
    if spec.get("gpus", 1) > 1 and _may_be_sharded(job, launcher):
        spec = TrainSpec({**spec.fields, "launcher.may_shard": Value(True, (), "derived")})
    by_user = launcher.basis in {"flag", "setting"}
    spec = _of_own_code(_run_by_accelerate(spec, job, by_user=by_user), job)
    if by_user:
        spec = TrainSpec({**spec.fields, "launcher.by_user": Value(True, (), "derived")})
    if placing.images is not None and "data.images" not in spec:
        images = min(placing.images, spec.get("data.most", placing.images))
        spec = TrainSpec({**spec.fields, "data.images": Value(images, (), "derived")})
    if placing.model is not None and "model.base" in spec:
        spec = with_config(spec, read_config(str(placing.model)), str(placing.model))
    reading = job.reading or job.variant
    return replace(job, spec=spec, placing=replace(placing, launcher=launcher), reading=reading)


def _may_be_sharded(job: Job, launcher: Launcher) -> bool:
    """Return whether accelerate may start a job, whose config or flags may part the model over the cards."""
    if launcher.basis == "unknown":
        return _may_be_accelerate(job)
    if launcher.basis != "command" or job.dialect.launching is None or not job.dialect.launching.by_itself:
        return False
    from trainlint.commands.accelerate_config import may_shard  # noqa: PLC0415 - of a command alone

    words = job.start.text.split() if job.start is not None else ()
    return ("accelerate" in words and "--multi_gpu" not in words) or may_shard(job.document)


def _run_by_accelerate(spec: TrainSpec, job: Job, *, by_user: bool) -> TrainSpec:
    """Return a spec with what accelerate's flags or config say of the step, of the command that starts it.

    DeepSpeed and FSDP run it in their own way. On one card they keep all of it there, unless they offload.
    """
    command = job.start.document if job.start is not None else job.document
    if command is None or command.format != "command":
        return spec if by_user else _offloaded_around(spec, job)
    from trainlint.commands.accelerate_config import taken_over  # noqa: PLC0415 - of a command alone

    runner, offloads = taken_over(command)
    if not runner and not offloads:
        return spec
    fields = dict(spec.fields)
    if offloads:
        fields["launcher.may_offload"] = Value(True, (), "derived")
    if runner:
        whole = spec.get("gpus", 1) == 1 and not offloads
        term = {
            "what": f"{runner} (accelerate's)",
            "direction": "unknown",
            **({"keeps": "states"} if whole else {}),
        }
        fields[UNCOUNTED_FIELD] = Value(
            [*spec.get(UNCOUNTED_FIELD, ()), term], (*spec.at(UNCOUNTED_FIELD), ()), "derived"
        )
    return TrainSpec(fields)


def _offloaded_around(spec: TrainSpec, job: Job) -> TrainSpec:
    """Return the spec of a file that nothing around starts, with a launch of its repository that offloads."""
    launching = job.dialect.launching
    started = launching is not None and ("accelerate" in launching.launchers or _may_be_accelerate(job))
    if "model.base" not in spec or not started:
        return spec
    from trainlint.commands.accelerate_config import offloading_around  # noqa: PLC0415 - of language models

    folder = repository_of(job.document.source.path)
    config = offloading_around(folder) if folder is not None else None
    if config is None and _is_program(job):
        config = ACCELERATE
    if config is None:
        return spec
    return TrainSpec({**spec.fields, "launcher.offload_around": Value(config, (), "derived")})


def _is_program(job: Job) -> bool:
    """Return whether a job is a program's own that accelerate may start; a notebook is started by none.

    Unsloth runs without DeepSpeed and FSDP.
    """
    document = job.document
    return (
        document.format == PYTHON
        and not document.source.path.endswith(NOTEBOOK)
        and "@unsloth" not in document.value
    )


def _of_own_code(spec: TrainSpec, job: Job) -> TrainSpec:
    """Return a spec that says what is its repository's or program's own, which may load or train less."""
    why = job.own.altered if job.own is not None else None
    if why is None and job.document.format == PYTHON:
        why = job.document.value.get(UNTRAINED)
    if why is None or "model.base" not in spec or "model.assumed" in spec:
        return spec
    return TrainSpec({**spec.fields, "model.assumed": Value(why, spec.at("model.base"), "derived")})


def _may_be_accelerate(job: Job) -> bool:
    """Return whether a trainer that starts its own processes may be started by accelerate.

    Accelerate's config lies elsewhere and may shard the model. A trainer whose command starts other processes
    may be started so where only its file is there (LLaMA-Factory's examples/accelerate).
    """
    launching = job.dialect.launching
    if launching is None or not launching.by_itself:
        return False
    is_file = job.start is None and job.document.format != "command"
    return is_file or "accelerate" in launching.launchers


def known_launcher(job: Job) -> Launcher | None:
    """Return the launcher that the document itself gives; None where it leaves it open."""
    launching = job.dialect.launching
    by_itself = launching is not None and launching.by_itself
    if job.start is not None and not (by_itself and job.start.launcher == NO_LAUNCHER):
        return Launcher(job.start.launcher, "command", job.start.processes, paired=True)
    is_command = job.document.format == "command"
    if "launcher" in job.spec:
        return Launcher(str(job.spec["launcher"]), "command" if is_command else "config")
    if job.dialect.launching is not None:
        return None
    return Launcher(NO_LAUNCHER, "command" if is_command else "config")


def _divides_by(job: Job) -> str:
    return job.dialect.launching.divides_by if job.dialect.launching else "processes"


def place(
    spec: TrainSpec, target: Target | None, launcher: Launcher | None = None, *, divides_by: str = "processes"
) -> TrainSpec:
    """Return the spec with what this trainer would decide on this machine.

    Fills gpus, parallel, batch.{per_process,per_replica,total} and workers.{per_process,total}; what stays
    undecided without a target (`gpus` on auto) stays absent. Give it normalise's spec, not a placed one.
    """
    layout = _layout(spec, target, launcher or Launcher(), divides_by)
    fields = dict(spec.fields)
    sources = (*spec.at("gpus"), *spec.at("launcher"), *spec.at("parallel"))
    for name, value in (("gpus", layout.gpus), ("parallel", layout.parallel)):
        if value is not None and spec.get(name) != value:
            fields[name] = Value(value, sources, "derived")
    for name, value, paths in (*_shares(spec, "batch", layout), *_shares(spec, "workers", layout)):
        if name not in fields:
            fields[name] = Value(value, tuple(dict.fromkeys((*paths, *sources))), "derived")
    _fill_replica(spec, fields, layout, target)
    return TrainSpec(fields)


def _layout(spec: TrainSpec, target: Target | None, launcher: Launcher, divides_by: str) -> GpuLayout:
    written: int | None = spec.get("gpus")
    wanted: str | None = spec.get("parallel")
    launched = launcher.value != NO_LAUNCHER or spec.get("launcher", NO_LAUNCHER) != NO_LAUNCHER
    if launched:
        wanted = "ddp"
    gpus = written
    if gpus is None and target is not None:
        gpus = min(1, target.gpu_count) if wanted == "none" else target.gpu_count
    if launched and launcher.is_open:  # no process is started for a GPU that is not there
        gpus = launcher.processes_on(gpus, target)
    if gpus is None:
        return GpuLayout(None, wanted if wanted in {"ddp", "none"} else None)
    if gpus == 0:
        return GpuLayout(0, "none", 1)
    if wanted == "ddp":
        return GpuLayout(gpus, "ddp", written if written and divides_by == "named" else gpus)
    return GpuLayout(gpus, "dp" if gpus > 1 and wanted != "none" else "none", 1)


def _shares(spec: TrainSpec, what: str, layout: GpuLayout) -> Iterator[tuple[str, int, tuple[Path, ...]]]:
    """Yield per_process and total of the batch or the workers, from whichever the user wrote."""
    source = next((name for name in ("per_gpu", "per_process", "total") if f"{what}.{name}" in spec), None)
    if source is None:
        return
    written, paths = spec[f"{what}.{source}"], spec.at(f"{what}.{source}")
    per_process: int | None = written
    if source == "per_gpu":
        per_process = None if layout.per_process is None else written * layout.per_process
    elif source == "total":
        per_process = None if layout.divisor is None else written // layout.divisor
    if per_process is None:
        return
    yield f"{what}.per_process", per_process, paths
    if layout.processes is not None:
        yield f"{what}.total", per_process * layout.processes, paths


def _fill_replica(
    spec: TrainSpec, fields: dict[str, Value], layout: GpuLayout, target: Target | None
) -> None:
    """Set batch.per_replica: the samples of the fullest GPU in one step.

    BasicSR gives DataParallel no device list (base_model.py, model_to_device), so it spreads over every GPU
    of the machine, not over num_gpu of them; the others list theirs. None spreads over more than there are.
    """
    if "batch.per_process" not in fields or layout.gpus is None:
        return
    whole = fields["batch.per_process"]
    replicas = 1
    if layout.parallel == "dp":
        replicas = layout.gpus
        if target is not None and target.gpu_count > 0:
            listed = "batch.per_gpu" not in spec
            replicas = min(layout.gpus, target.gpu_count) if listed else target.gpu_count
    fields["batch.per_replica"] = Value(ceil(whole.value / replicas), whole.paths, "derived")
