# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The grid of measurements: what is in it, and that it goes on where it stopped; the GPU is the test's."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("torch")

from bench.accuracy import measure_grid
from trainlint.errors import CannotTraceError
from trainlint.hardware import load_hardware
from trainlint.measuring.gpu_reading import OUTCOME_RAN, GpuReading, Reading

GIB = 2**30


@pytest.mark.rest
def test_the_grid_covers_what_a_verdict_depends_on():
    cases = list(measure_grid.cases())
    names = [case.name for case in cases]
    assert len(names) == len(set(names)) >= 40
    assert {case.cap for case in cases} == {None, 8, 12, 16, 24, 32}
    assert {case.benchmark for case in cases} == {True, False}
    assert {case.spec().get("precision", "fp32") for case in cases} == {"fp32", "fp16", "bf16"}
    sources = {case.source.partition("-")[0].partition(".")[0] for case in cases}
    assert {"realesrgan_x4", "vae", "vit_base_patch16_224", "resnet50"} <= sources
    assert {case.beyond for case in cases if case.cap} == {0, 1}


@pytest.fixture
def bench(monkeypatch, tmp_path):
    """The grid on an RTX 4090 whose measuring process the test plays."""
    made = object.__new__(measure_grid.Bench)
    made.target, made.output = load_hardware(()).target("rtx-4090"), tmp_path / "new" / "card.jsonl"
    made.tapes, made.asked = measure_grid.TapeSource(), []

    def run(request):
        made.asked.append(request)
        gpu = GpuReading(1, 1, GIB, GIB, 2 * GIB, "process", GIB)
        return Reading(OUTCOME_RAN, request.steps, gpus=(gpu,), machine={"gpu": "card"})

    made.run = run
    return made


@pytest.mark.slow
def test_the_pair_at_a_cards_limit(bench):
    pair = [case for case in measure_grid.cases() if case.source == "realesrgan_x4.yml" and case.cap == 8]
    for case in pair:
        bench.measure(case)
    below, above = [request for request in bench.asked if not request.between]
    assert above.batch == below.batch + 1
    assert below.limit == above.limit < 8 * GIB
    table = [json.loads(line) for line in bench.output.read_text().splitlines()]
    figures = [line["gpus"][0]["estimate"] for line in table]
    assert figures[0]["least"] <= 8 * GIB == figures[0]["capacity"] < figures[1]["least"]
    assert bench.done() == {case.name for case in pair}


@pytest.mark.rest
def test_a_card_on_which_nothing_fits(bench):
    fields = measure_grid.vae(1024, "fp32")
    with pytest.raises(CannotTraceError, match="not even one sample"):
        bench.measure(measure_grid.Case("vae", fields, cap=8, beyond=0))
    assert bench.done() == set()
