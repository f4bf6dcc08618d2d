# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The shipped constants are what the measured tables give: a changed constant or table fails here."""

from __future__ import annotations

import pytest

from bench.accuracy import fit, sources
from bench.accuracy.runs import A100, RTX3090
from bench.measured_tables import MEASURED, REPLAYED, table
from bench.step_times import (
    card_shares,
    constants,
    host_shares,
    independent,
    own_card,
    published,
    real_runs,
    several_cards,
)
from bench.step_times import fit as fit_steps
from trainlint.estimate.replay.workspace import BENCHMARK_RESERVE_SHARE
from trainlint.estimate.speed.rate_factors import factors
from trainlint.hardware import load_hardware
from trainlint.hardware.cuda_context import EAGER_MIB
from trainlint.model.facts import WORST_SHARE
from trainlint.report.text.time_text import HOST

MIB = 2**20
TEN = {9: "nine", 10: "ten", 11: "eleven"}


@pytest.fixture(scope="module")
def runs():
    return sources.sourced_runs()


def test_the_margin_is_what_the_sources_give(runs):
    assert sources.margin(runs) == pytest.approx(WORST_SHARE)


def test_another_source_is_as_far_off_as_the_margin_allows_for(runs):
    assert sources.FURTHER_TIMES - 1 < sources.further(runs) <= sources.FURTHER_TIMES


def test_worst_holds_in_every_source_that_decided_nothing(runs):
    for name, members, share, margin in sources.held_out(runs):
        below = sum(run["measured"] <= sources.worst(run, share, margin) for run in members)
        assert below >= sources.INSIDE_SHARE * len(members), name


def test_worst_holds_at_batches_that_failed_on_a_card_that_decided_nothing(runs):
    """Each bracket outside of which `least` lies is one of the measured; a smaller margin holds fewer."""
    measured = {row["model"] for row in table(MEASURED, "timm3090")}
    assert {row["model"] for row in table(REPLAYED, "timm3090")} <= measured
    held, plain = (
        float(sources.bracket_line(margin).split("|")[-2].strip(" %")) / 100
        for margin in (sources.margin(runs), 1.0)
    )
    assert plain < sources.INSIDE_SHARE <= held


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


def test_the_row_that_was_furthest_off_lies_in_what_is_said_where_the_jobs_torch_is_known(runs):
    """ResNet-50 in fp16 at batch 160 on an RTX 2080 Ti: torch 1.4 loads every kernel at the start."""
    (run,) = (run for run in runs if (run.get("gpu"), run.get("precision")) == ("rtx-2080-ti", "fp16"))
    known = {**run, "context": EAGER_MIB[1] * MIB}
    most = sources.worst(known, BENCHMARK_RESERVE_SHARE, WORST_SHARE)
    assert sources.expect(known, BENCHMARK_RESERVE_SHARE) == pytest.approx(run["measured"], rel=0.05)
    assert run["measured"] < run["highest"] <= most
    assert run["measured"] <= sources.worst(run, BENCHMARK_RESERVE_SHARE, WORST_SHARE)


def test_machines_that_load_every_kernel_have_contexts_between_the_ends(runs):
    """lambdal's with CUDA 10.2, GPUMemNet's, and the RTX 3090 with CUDA 11.3."""
    contexts = {run["context"] // MIB for run in runs if run["source"].startswith("lambdal")}
    contexts |= {each.context // MIB for each in (A100, RTX3090)}
    low, _, high = EAGER_MIB
    assert low <= min(contexts) < max(contexts) == high


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


@pytest.fixture(scope="module")
def given():
    hardware = load_hardware()
    return {**constants.no_fits(hardware), **constants.fits(hardware)}


@pytest.mark.rest
def test_every_speed_is_what_its_rows_give(given):
    assert constants.wrong(constants.shipped(), given) == []


@pytest.mark.rest
def test_each_end_of_each_speed_is_missed_where_it_is_changed_or_gone(given):
    has = constants.shipped()
    for name, values in has.items():
        for end, value in enumerate(values):
            for times in (0.97, 1.03):
                changed = (*values[:end], value * times, *values[end + 1 :])
                found = constants.wrong({**has, name: changed}, given)
                assert found == ([name] if value else []), (name, end)
        assert constants.wrong({**has, name: ()}, given) == [name]
    assert constants.wrong({**has, "class unknown": (1.0,)}, given) == ["class unknown"]


def test_a_processs_hooks_and_single_tensors_take_what_is_taken_for_autograds_operators():
    """Measured on a CPU, where nothing was fitted: between a fourth and a tenth, as on other machines."""
    found = [each for row, each, _ in host_shares.shares() if each and row["part"].split()[-1] == "for-loop"]
    hooks = [each for row, each, _ in host_shares.shares() if each and row["part"].startswith("ddp")]
    assert len(found) == 4
    assert len(hooks) == 3
    assert all(1 / 10 <= each <= 1 / 4 for each in (*found, *hooks))


def test_a_step_on_several_cards_lies_in_its_range():
    found = list(several_cards.compared())
    runs = sum(len(each.more) for each in found)
    assert runs == sum(row["gpus"] != "1" for row in table(MEASURED, several_cards.NAME))
    assert sum(each.inside for each in found) == runs
    assert sum(0 <= more <= each.high for each in found for more in each.more) >= 0.9 * runs
    assert sum(more > 0 for each in found for more in each.more) == runs


def test_every_measured_step_was_traced():
    found, missing = fit_steps.samples()
    assert len(found) == len(table(MEASURED, "step_times"))
    assert not missing


@pytest.mark.parametrize(
    ("name", "constant"),
    [
        ("attention", "class attention"), ("link", "link bytes_per_second"),
        ("untuned", "untuned times_as_long"), ("compiled", "compiled times_as_fast"),
        ("compiling", "compiled seconds"), ("disk", "disk bytes_per_second"),
        ("decoding", "loading machines"), ("workers", "loading further"),
        ("patch plain", "loading.patch plain"), ("patch masked", "loading.patch masked"),
    ],
)  # fmt: skip
def test_published_figures_decide_the_constant_that_names_them(name, constant, monkeypatch):
    """Each row has a source; the rows of one name change its constant alone."""
    rows = table(MEASURED, published.NAME)
    assert all(row["source"] and row["what"] for row in rows)
    before = published.constants()
    assert set(before) >= {constant}
    other = [
        {**row, "figure": str(2 * float(row["figure"]) ** 1.1)} if row["constant"] == name else row
        for row in rows
    ]
    assert other != rows
    monkeypatch.setattr(published, "table", lambda *_: other)
    after = published.constants()
    assert [key for key in before if before[key] != after[key]] == [constant]


def test_published_figures_are_all_used():
    named = {row["constant"] for row in table(MEASURED, published.NAME)}
    assert len(named) == len(published.constants())


def test_a_chips_cards_share_what_was_measured_of_one():
    shares = card_shares.shares(load_hardware())
    assert shares["v100-16gb"] == shares["v100-32gb-pcie"] != shares["a100-40gb"]
    assert shares["a100-80gb"] == pytest.approx({"compute": 1.0, "memory": 1.0})
    assert set(shares) == set(factors().cards)


def test_depthwise_convolutions_in_fp32_are_what_efficientnets_show_by_either_source():
    runs, name = fit_steps.other_runs(load_hardware()), fit_steps.OWN_DEPTHWISE
    assert fit_steps.depthwise_of(runs) == pytest.approx(factors().classes[name], abs=0.006)
    for source in ("pycls", "nvidia"):
        alone = fit_steps.depthwise_of([run for run in runs if run.source == source])
        assert alone == pytest.approx(factors().classes[name], rel=0.1)


@pytest.mark.rest
def test_a_machine_that_is_left_out_lies_in_the_ranges_of_the_others():
    judged = independent.held_out(independent.samples())
    for large, share, width in ((False, 0.8, 3.0), (True, 0.9, 2.4)):
        group = [each for each in judged if (each[0].batch > independent.SMALL_BATCH) == large]
        assert sum(map(independent.is_inside, group)) >= share * len(group)
        assert all(high / low <= width + 0.01 for _, (low, _, high) in group)
        for machine in {row.machine for row, _ in group}:
            of_it = [each for each in group if each[0].machine == machine]
            assert sum(map(independent.is_inside, of_it)) >= share * len(of_it), machine


def test_the_host_of_today_lies_in_the_range_of_the_machines_that_the_text_counts():
    found = own_card.samples()
    low, _, high = (1e3 * seconds for seconds in factors().forward)
    assert low <= own_card.host(found) <= high
    assert all(independent.is_inside((row, own_card.shipped_range(row))) for row in found)
    assert f"from {TEN[len(independent.small_rows(independent.samples()))]} machines" in HOST


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
