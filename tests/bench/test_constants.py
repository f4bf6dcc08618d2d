# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The shipped constants are what the measured tables give: a changed constant or table fails here."""

from __future__ import annotations

import pytest

from bench.accuracy import fit, sources
from bench.accuracy.runs import A100
from bench.measured_tables import MEASURED, table
from bench.step_times import fit as fit_steps
from bench.step_times import independent, real_runs
from trainlint.estimate.replay.workspace import BENCHMARK_RESERVE_SHARE
from trainlint.estimate.speed.rate_factors import factors
from trainlint.hardware import load_hardware
from trainlint.model.facts import WORST_SHARE

MIB = 2**20


@pytest.fixture(scope="module")
def runs():
    return sources.sourced_runs()


def test_the_margin_is_what_the_sources_give(runs):
    assert sources.margin(runs) == pytest.approx(WORST_SHARE)


def test_another_source_is_as_far_off_as_the_margin_allows_for(runs):
    assert sources.FURTHER - 1 < sources.further(runs) <= sources.FURTHER


def test_worst_holds_in_every_source_that_decided_nothing(runs):
    for name, members, share, margin in sources.held_out(runs):
        below = sum(run["measured"] <= sources.worst(run, share, margin) for run in members)
        assert below >= sources.HELD * len(members), name


def test_no_source_is_judged_by_itself(runs):
    """One whose every run took twice as much changes the others' margin, and not its own."""
    odd = "lambdal"
    doubled = [
        {**run, "measured": 2 * run["measured"]} if run["source"].startswith(odd) else run for run in runs
    ]
    before, after = ({judged[0]: judged[3] for judged in sources.held_out(each)} for each in (runs, doubled))
    own = next(name for name in before if name.startswith(odd))
    assert after.pop(own) == before.pop(own)
    assert all(margin > 1.9 for margin in after.values())


def test_a_second_block_and_the_context_are_what_gpumemnets_runs_give(runs):
    own = [run for run in runs if run["source"] == sources.GPUMEMNET]
    context, share = fit.fit(own)
    assert share == BENCHMARK_RESERVE_SHARE
    assert context == A100.context


def test_every_measured_run_was_replayed(runs):
    found = sources.gpumemnet_runs()
    assert not found["missing"]
    assert len(runs) == found["rows"] + len(table(MEASURED, "independent_memory"))
    assert len(independent.samples()) == len(table(MEASURED, "independent_times"))


def test_the_host_and_3x3_convolutions_are_what_other_machines_show():
    rows, figures = independent.samples(), factors()
    winograd = independent.winograd_of(rows)
    assert winograd == pytest.approx(figures.classes[independent.WINOGRAD])
    low, middle, high = independent.host_of(rows, winograd)
    assert (low, middle, high) == pytest.approx(figures.forward, rel=0.01)
    assert [call / independent.OTHERS for call in (low, middle, high)] == pytest.approx(
        figures.other, rel=0.01
    )


def test_a_machines_own_rows_hold_the_others_of_it():
    rows = independent.samples()
    own = independent.own_spread(rows, independent.winograd_of(rows))
    assert own == pytest.approx(factors().own_host, abs=0.005)


def test_the_classes_of_kernels_are_what_the_measured_steps_give():
    """Of all 715 rows they are the same; of the part that is traced, chosen by a digest, nearly so."""
    found, missing = fit_steps.samples()
    assert len(found) > 6 * len(missing)
    given = fit_steps.fit(found, fit_steps.names_of(found))
    assert fit_steps.apart(given) < (0.08 if missing else 0.006)


def test_depthwise_convolutions_in_fp32_are_what_efficientnets_show_by_either_source():
    runs, name = fit_steps.other_runs(load_hardware()), fit_steps.OWN_DEPTHWISE
    assert fit_steps.depthwise_of(runs) == pytest.approx(factors().classes[name], abs=0.006)
    for source in ("pycls", "nvidia"):
        alone = fit_steps.depthwise_of([run for run in runs if run.source == source])
        assert alone == pytest.approx(factors().classes[name], rel=0.1)


def test_the_spread_is_what_families_and_cards_that_were_left_out_need():
    found, _ = fit_steps.samples()
    assert fit_steps.spreads(found, load_hardware()) == pytest.approx(factors().spread, abs=0.006)


def test_a_machine_that_is_left_out_lies_in_the_ranges_of_the_others():
    judged = independent.held_out(independent.samples())
    for large, share, width in ((False, 0.8, 3.0), (True, 0.9, 2.4)):
        group = [each for each in judged if (each[0].batch > independent.SMALL) == large]
        assert sum(map(independent.is_inside, group)) >= share * len(group)
        assert all(high / low <= width + 0.01 for _, (low, _, high) in group)
        for machine in {row.machine for row, _ in group}:
            of_it = [each for each in group if each[0].machine == machine]
            assert sum(map(independent.is_inside, of_it)) >= share * len(of_it), machine


def test_real_runs_lie_in_their_ranges():
    runs = real_runs.compared()
    assert len(table(MEASURED, "real_runs")) == len(runs) == 9
    assert sum(real_runs.is_inside(*pair) for pair in runs) >= 7


def test_the_replayed_work_is_that_of_the_cards_rates():
    """A rate in gpus.toml that changes makes the tables old: python -m bench independent_times TAPES."""
    hardware = load_hardware()
    matmul = {row.gpu.name: row for row in independent.samples() if row.model == "vgg19_bn"}
    fastest, slowest = matmul["a100-40gb"], matmul["gtx-1080-ti"]
    ratio = slowest.work.classes["memory"] / fastest.work.classes["memory"]
    bandwidths = [hardware.gpu(row.gpu.name).bandwidth for row in (fastest, slowest)]
    assert ratio == pytest.approx(bandwidths[0] / bandwidths[1], rel=0.01)
