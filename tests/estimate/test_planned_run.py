# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A measurement next to its estimate: what is asked, what is compared, what is kept. No torch."""

from __future__ import annotations

import dataclasses
import json
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
from msgspec.structs import replace

from trainlint.errors import BadArgumentsError, CannotTraceError, UsageError
from trainlint.estimate import planned_run
from trainlint.estimate.measurement import foreseen, record, rows
from trainlint.estimate.memory.card import Card
from trainlint.estimate.replay.workspace import libraries
from trainlint.estimate.run.placement import place
from trainlint.measuring import measuring_process
from trainlint.measuring.gpu_reading import OUT_OF_MEMORY, OUTCOME_RAN, GpuReading, Reading, Request
from trainlint.model.facts import GpuMemory
from trainlint.model.spec import TrainSpec, Value
from trainlint.model.target import Gpu, Target

MIB = 2**20
GPU = Gpu(
    "card", "Card", 24_000 * MIB, 400 * MIB, 8.6, 82, 9e11, 3e13, 1e14, 1e14, 6e13, True, "11.1", None, ""
)
CARD = Card(24_000 * MIB, 400 * MIB, 8.6, libraries(8.6, benchmark=True))
READING = GpuReading(
    allocated=1100 * MIB, first=1500 * MIB, reserved=1200 * MIB, highest=1700 * MIB, smi=1500 * MIB,
    smi_of="process", live=1000 * MIB,
)  # fmt: skip
ESTIMATE = GpuMemory(1010 * MIB, 1450 * MIB, 1530 * MIB, 2100 * MIB, 330 * MIB, 24_000 * MIB)


def spec(**fields):
    basic = {"recipe": "vae", "crop.hr": 64, "batch.per_gpu": 4, "parallel": "none"}
    written = {name.replace("__", "."): value for name, value in fields.items()}
    return TrainSpec({name: Value(value, ((name,),)) for name, value in {**basic, **written}.items()})


def machine(gpus):
    return Target("local", GPU, gpus)


def plan(fields, target, options):
    return planned_run.plan(place(fields, target), target, options)


def test_a_step_on_one_gpu():
    planned = plan(spec(data__pool_size=36), machine(1), planned_run.Options(steps=7))
    assert planned.request == Request({"crop.hr": 64, "recipe": "vae"}, 4, 4, 36, 7, benchmark=True)
    assert planned.notes == ()


def test_batch_and_benchmark_of_the_command_line():
    planned = plan(spec(), machine(1), planned_run.Options(9, benchmark=False))
    assert (planned.request.batch, planned.request.total, planned.request.benchmark) == (9, 9, False)
    assert (planned.spec["batch.per_replica"], planned.spec["batch.per_process"]) == (9, 9)
    assert planned.spec["cudnn_benchmark"] is False


@pytest.mark.parametrize(("batch", "expected"), [(None, (4, 8)), (3, (3, 6))])
def test_data_parallel_where_there_are_gpus(batch, expected):
    planned = plan(spec(parallel="dp", gpus=2), machine(2), planned_run.Options(batch))
    assert (planned.request.batch, planned.request.total) == expected
    assert planned.request.step["parallel"] == "dp"


def test_data_parallel_where_there_are_none():
    planned = plan(spec(parallel="dp", gpus=4, batch__total=16), machine(1), planned_run.Options())
    assert "parallel" not in planned.request.step
    assert planned.request.batch == planned.request.total
    assert "one replica only" in planned.notes[0]


def test_a_batch_that_is_not_known():
    unknown = TrainSpec({"recipe": Value("vae")})
    with pytest.raises(CannotTraceError, match="batch size is not known"):
        plan(unknown, machine(1), planned_run.Options())


def test_a_cap_leaves_what_the_context_does_not_take():
    small, limit = planned_run.capped(CARD, 8192 * MIB)
    assert (small.capacity, small.context, limit) == (8192 * MIB, 400 * MIB, 7792 * MIB)
    assert planned_run.capped(CARD, None) == (CARD, None)


@pytest.mark.parametrize("cap", [400 * MIB, 24_001 * MIB])
def test_a_cap_that_cannot_be_imitated(cap):
    with pytest.raises(
        UsageError, match=r"cannot be imitated: expected more than the context's 0\.39 and no more"
    ):
        planned_run.capped(CARD, cap)


class Gpus:
    """Answers requests as a GPU would; keeps them."""

    def __init__(self, *outcomes):
        self.outcomes, self.asked = list(outcomes), []

    def __call__(self, request):
        self.asked.append(request)
        outcome = self.outcomes.pop(0)
        gpu = dataclasses.replace(READING, live=777 if request.between else None)
        return Reading(outcome, 1, gpus=(gpu,) if outcome == OUTCOME_RAN else ())


class NoTapes:
    def tape(self, step, batch=2):
        raise CannotTraceError("no such tape")


def test_tensors_are_read_in_a_run_of_their_own():
    gpus = Gpus(OUTCOME_RAN, OUTCOME_RAN)
    planned = plan(spec(), machine(1), planned_run.Options())
    planned = replace(planned, request=dataclasses.replace(planned.request, limit=5))
    outcome = planned_run.perform(planned, CARD, NoTapes(), gpus)
    assert outcome.reading.gpus[0].live == 777
    assert (outcome.estimates, outcome.missing) == ((), "no such tape")
    first, second = gpus.asked
    assert (first.between, first.limit, first.benchmark) == (False, 5, True)
    assert (second.between, second.limit, second.benchmark) == (True, None, False)


@pytest.mark.parametrize("outcomes", [(OUT_OF_MEMORY,), (OUTCOME_RAN, OUT_OF_MEMORY)])
def test_no_second_figure_where_memory_runs_out(outcomes):
    gpus = Gpus(*outcomes)
    planned = plan(spec(), machine(1), planned_run.Options())
    outcome = planned_run.perform(planned, CARD, NoTapes(), gpus)
    assert outcome.reading.outcome == outcomes[0]
    assert [gpu.live for gpu in outcome.reading.gpus] == [None] * (len(outcomes) - 1)
    assert len(gpus.asked) == len(outcomes)


def test_a_step_that_cublas_refuses_without_a_workspace_keeps_its_other_figures():
    def run(request):
        if request.between:
            raise CannotTraceError("the step cannot run: CUBLAS_STATUS_NOT_SUPPORTED")
        return Reading(OUTCOME_RAN, 1, gpus=(dataclasses.replace(READING, live=None),))

    planned = plan(spec(), machine(1), planned_run.Options())
    reading = planned_run.perform(planned, CARD, NoTapes(), run).reading
    assert (reading.outcome, reading.gpus[0].live) == (OUTCOME_RAN, None)


def test_data_parallel_is_run_once():
    gpus = Gpus(OUTCOME_RAN)
    planned = plan(spec(parallel="dp", gpus=2), machine(2), planned_run.Options())
    assert planned_run.perform(planned, CARD, NoTapes(), gpus).reading.gpus[0].live is None


def test_each_figure_beside_what_speaks_of_it():
    table = {row.name: (row.measured, row.estimated, row.error) for row in rows(READING, ESTIMATE)}
    assert table["allocated"] == (1000 * MIB, 1010 * MIB, pytest.approx(1.0))
    assert table["with workspaces"] == (1100 * MIB, None, None)
    assert table["reserved"] == (1200 * MIB, 1200 * MIB, 0)
    assert table["context"] == (300 * MIB, 330 * MIB, pytest.approx(10))
    assert table["nvidia-smi"] == (1500 * MIB, 1530 * MIB, pytest.approx(2))
    assert table["highest"] == (2000 * MIB, 2100 * MIB, pytest.approx(5))


def test_figures_without_driver_or_estimate():
    silent = dataclasses.replace(READING, smi=None, live=None)
    assert [row.error for row in rows(silent, None)] == [None] * 6
    assert next(rows(silent, ESTIMATE)).measured is None


@pytest.mark.parametrize(
    ("capacity", "outcome", "right"),
    [
        (1449, OUT_OF_MEMORY, True),
        (1449, OUTCOME_RAN, False),
        (1450, OUTCOME_RAN, True),
        (1450, OUT_OF_MEMORY, False),
    ],
)
def test_the_verdict_on_least(capacity, outcome, right):
    assert foreseen(Reading(outcome, 1), replace(ESTIMATE, capacity=capacity * MIB)) is right


def test_a_line_of_json():
    reading = Reading(OUTCOME_RAN, 5, gpus=(READING,), seconds=0.25, machine={"gpu": "Card", "driver": "570"})
    line = json.loads(json.dumps(record(Request({"recipe": "vae"}, 4, 4), reading, (ESTIMATE,))))
    assert (line["format"], line["gpu"], line["batch"], line["outcome"]) == (1, "Card", 4, "ran")
    assert line["foreseen"] is True
    assert len(line["key"]) == 64
    assert line["gpus"][0]["measured"]["live"] == 1000 * MIB
    assert line["gpus"][0]["error_percent"]["nvidia-smi"] == 2.0
    assert "with workspaces" not in line["gpus"][0]["error_percent"]


def test_a_line_of_a_run_that_failed_keeps_the_estimate():
    reading = Reading(OUT_OF_MEMORY, 1, "generator forward")
    line = record(Request({}, 4, 4, limit=7), reading, (replace(ESTIMATE, capacity=MIB),))
    assert (line["limit"], line["at_step"], line["phase"], line["foreseen"]) == (
        7,
        1,
        "generator forward",
        True,
    )
    assert line["gpus"][0]["measured"] is None
    assert line["gpus"][0]["estimate"]["least"] == 1450 * MIB


def answering(monkeypatch, program):
    """Let the process that measures be a program of the test's."""
    escaped = program.replace("{", "{{").replace("}", "}}")
    monkeypatch.setattr(measuring_process, "START", "place = {folder!r}\n" + escaped)
    return measuring_process.MeasuringProcess(timeout_s=30)(Request({"recipe": "vae"}, 1, 1))


def test_a_reading_comes_back_from_a_process(monkeypatch):
    reading = Reading(OUTCOME_RAN, 3, gpus=(READING,), seconds=0.5, retries=1, machine={"gpu": "Card"})
    reply = json.dumps({"reading": asdict(reading)})
    program = (
        f"import json, sys; asked = json.load(sys.stdin); assert asked['request']['step']; print({reply!r})"
    )
    assert answering(monkeypatch, program) == reading


@pytest.mark.parametrize(
    ("kind", "error"), [("usage", UsageError), ("arguments", BadArgumentsError), ("trace", CannotTraceError)]
)
def test_a_process_gives_its_reason(monkeypatch, kind, error):
    with pytest.raises(error, match=r"^because$"):
        answering(monkeypatch, f"print({json.dumps({'error': 'because', 'kind': kind})!r})")


def test_a_process_that_dies(monkeypatch):
    with pytest.raises(CannotTraceError, match="exit code 3: cannot go on"):
        answering(monkeypatch, "import sys; print('cannot go on', file=sys.stderr); sys.exit(3)")


@pytest.mark.rest
def test_a_process_that_hangs(monkeypatch):
    monkeypatch.setattr(measuring_process, "START", "place = {folder!r}\nimport time; time.sleep(60)")
    with pytest.raises(CannotTraceError, match="took longer than 1 s"):
        measuring_process.MeasuringProcess(timeout_s=1)(Request({}, 1, 1))


def test_an_interpreter_that_is_none(tmp_path):
    with pytest.raises(UsageError, match="is not a Python interpreter that can be run"):
        measuring_process.MeasuringProcess(tmp_path / "python")(Request({}, 1, 1))


def test_another_interpreter_gets_a_copy_of_the_package(monkeypatch, tmp_path):
    program = (
        "place = {folder!r}\nimport json, os; found = os.listdir(place + '/trainlint/trace/on_gpu');"
        "print(json.dumps(dict(error=str('measure_step.py' in found), kind='usage')))"
    )
    monkeypatch.setattr(measuring_process, "START", program)
    with pytest.raises(UsageError, match="True"):
        measuring_process.MeasuringProcess(Path(sys.executable))(Request({}, 1, 1))
