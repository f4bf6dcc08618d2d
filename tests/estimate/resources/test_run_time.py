# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Sessions of Real-ESRGAN on Kaggle, worked out by hand."""

from __future__ import annotations

import pytest

from trainlint.errors import UsageError
from trainlint.estimate.resources.extra_time import NO_EXTRA, Extra, extra_of
from trainlint.estimate.resources.run_time import given_time, in_sessions
from trainlint.model.spec import TrainSpec, Value
from trainlint.model.target import Target
from trainlint.tape import File

KAGGLE = Target("kaggle", None, 2, session_h=12, session_budget_h=9)
ENDLESS = Target("desk", None, 1)
SLOW = (100, 100, 100)


def spec(iterations=400_000, every=5000):
    fields = {"duration.iterations": iterations, "checkpoint.every": every}
    return TrainSpec({name: Value(value) for name, value in fields.items() if value is not None})


def test_a_run_over_the_budget():
    """0.7 s: 9 h hold 46,285 iterations, of which 45,000 are saved; 400,000 need 9 sessions."""
    time = given_time(spec(), KAGGLE, (0.7,) * 3, "given")
    assert time.basis == "given"
    assert time.step_seconds == (0.7, 0.7, 0.7)
    assert time.total_hours[1] == pytest.approx(77.778, abs=1e-3)
    assert time.sessions == (9, 9, 9)  # 1 + ceil((400,000 - 46,285) / 45,000)
    assert time.last_checkpoint == (45_000, 45_000, 45_000)
    assert time.lost_hours[1] == pytest.approx(1285 * 0.7 / 3600)


def test_lost_work_can_cost_a_session():
    """A session holds 300 steps and saves at 200, where the next one starts."""
    target = Target("t", None, 1, session_budget_h=300 * 100 / 3600)
    assert given_time(spec(700, 200), target, SLOW, "given").sessions[1] == 3  # 200, 400, then 300 more
    assert given_time(spec(900, 200), target, SLOW, "given").sessions[1] == 4  # without loss 3 would do


def test_a_run_within_the_budget_loses_nothing():
    time = given_time(spec(40_000), KAGGLE, (0.7,) * 3, "given")
    assert (time.sessions, time.last_checkpoint, time.lost_hours) == ((1, 1, 1), None, None)


def test_a_run_exactly_as_long_as_the_budget_fits():
    assert given_time(spec(324_000), KAGGLE, (0.1,) * 3, "given").sessions == (1, 1, 1)
    exact = given_time(spec(60_000, 6_000), KAGGLE, (0.54,) * 3, "given")
    assert exact.total_hours == (9.0, 9.0, 9.0)  # in floats the product is a little more
    assert exact.save_hours == (0.9, 0.9, 0.9)
    assert given_time(spec(324_001), KAGGLE, (0.1,) * 3, "given").sessions == (2, 2, 2)


def test_no_checkpoint_within_a_session_is_told():
    """Saved every 50,000, but a session holds 46,285: nothing is ever kept."""
    time = given_time(spec(every=50_000), KAGGLE, (0.7,) * 3, "given")
    assert time.last_checkpoint == (0, 0, 0)
    assert time.lost_hours[1] == pytest.approx(46_285 * 0.7 / 3600)
    assert time.sessions == (None, None, None)  # no number of them is enough


def test_a_step_longer_than_the_session():
    target = Target("t", None, 1, session_budget_h=0.5)
    time = given_time(spec(10, 1), target, (3600,) * 3, "given")
    assert (time.last_checkpoint, time.sessions) == ((0, 0, 0), (None, None, None))


def test_only_the_slow_end_never_gets_on():
    """9 h hold 46,285 steps of 0.7 s, and 27,000 of 1.2 s: saved every 30,000, the slow run never gets on."""
    time = in_sessions(spec(every=30_000), KAGGLE, (0.5, 0.7, 1.2), "roofline")
    assert time.last_checkpoint == (60_000, 30_000, 0)
    assert time.sessions == (7, 13, None)  # 1 + ceil(335,200 / 60,000), 1 + ceil(353,715 / 30,000)


def test_an_unknown_interval_leaves_the_loss_open():
    time = given_time(spec(every=None), KAGGLE, (0.7,) * 3, "given")
    assert (time.sessions[1], time.last_checkpoint, time.lost_hours) == (9, None, None)


def test_no_limit_is_one_session():
    assert given_time(spec(), ENDLESS, (100,) * 3, "given").sessions == (1, 1, 1)


def test_a_range_is_carried_through():
    """0.05, 0.1 and 0.2 s of 324,000 steps: 4.5, 9 and 18 h."""
    time = in_sessions(spec(324_000), KAGGLE, (0.05, 0.1, 0.2), "roofline")
    assert time.total_hours == pytest.approx((4.5, 9, 18))
    assert time.sessions == (1, 1, 3)  # at 0.2 s: 162,000 a session, 160,000 saved: one more for the rest
    assert time.lost_hours == pytest.approx((0, 0, 2000 * 0.2 / 3600))
    assert time.last_checkpoint[2] == 160_000


def test_without_a_length_only_the_step_is_known():
    time = given_time(spec(iterations=None), KAGGLE, (0.7,) * 3, "given")
    assert (time.step_seconds, time.total_hours, time.sessions) == ((0.7,) * 3, None, None)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf")])
def test_nonsense_is_refused(seconds):
    with pytest.raises(UsageError, match="above 0"):
        given_time(spec(), KAGGLE, (seconds,) * 3, "given")


def resumes(name, **fields):
    fields = {"duration.iterations": 400_000, "checkpoint.every": 5000, "resume": name} | fields
    return TrainSpec({field: Value(value) for field, value in fields.items()})


def test_of_a_resumed_run_what_is_left_counts():
    time = in_sessions(resumes("experiments/a/training_states/390000.state"), KAGGLE, (0.7,) * 3, "given")
    assert time.total_hours[1] == pytest.approx(10_000 * 0.7 / 3600)
    assert time.sessions == (1, 1, 1)


def test_of_a_resumed_epoch_what_is_left_counts():
    spec = resumes("out/checkpoints/checkpoint_epoch_74.pt", dialect="vae", **{"data.images": 4000})
    spec = TrainSpec({**spec.fields, "batch.total": Value(1)})
    time = in_sessions(spec, KAGGLE, (1, 1, 1), "given")
    assert time.total_hours[1] == pytest.approx(104_000 / 3600)  # epoch 74 is run again


@pytest.mark.parametrize(
    ("dialect", "images", "more", "iterations"),
    [
        ("vae", 127, {}, 10),  # of 64, the other 63 are dropped
        ("glfcr", 127, {}, 20),
        ("vae", 12, {}, 10),
        ("timm", 255, {"batch.per_process": 64, "batch.total": 128}, 20),  # 128 a process
        ("timm", 256 * 64, {"accumulate": 100}, 30),  # 256 batches, 56 of them in the last update
    ],
)
def test_the_last_batch_of_an_epoch_counts_where_it_is_kept(dialect, images, more, iterations):
    fields = {"dialect": dialect, "data.images": images, "duration.epochs": 10, "batch.total": 64} | more
    spec = TrainSpec({name: Value(value) for name, value in fields.items()})
    assert in_sessions(spec, KAGGLE, (3600.0,) * 3, "given").total_hours[1] == iterations


def test_a_resumed_run_of_unknown_progress_may_be_almost_done():
    time = in_sessions(resumes("out/best_model.pt"), KAGGLE, (0.7,) * 3, "given")
    assert (time.total_hours[0], time.sessions) == (0, (1, 9, 9))
    assert time.total_hours[2] == pytest.approx(400_000 * 0.7 / 3600)


def test_the_hours_between_two_saves():
    assert given_time(spec(), KAGGLE, SLOW, "given").save_hours[1] == pytest.approx(5000 * 100 / 3600)
    assert given_time(spec(every=None), KAGGLE, SLOW, "given").save_hours is None


def test_saves_take_their_time():
    """80 saves of 36 s are 0.8 h of 400,000 steps of 0.7 s; a session holds 45,811 of 0.7 + 36 / 5000 s."""
    extra = Extra(save=(0, 36, 72))
    time = in_sessions(spec(), KAGGLE, (0.7,) * 3, "roofline", extra=extra)
    assert time.saving_hours == pytest.approx((0, 0.8, 1.6))
    assert time.total_hours == pytest.approx((77.778, 78.578, 79.378), abs=1e-3)
    assert time.step_seconds == (0.7,) * 3
    assert time.session_steps == int(9 * 3600 / (0.7 + 72 / 5000))


def test_saves_of_an_unknown_interval_are_not_timed():
    time = in_sessions(spec(every=None), KAGGLE, (0.7,) * 3, "roofline", extra=Extra(save=(1, 2, 3)))
    assert (time.saving_hours, time.session_steps) == (None, 46_285)


def test_every_session_starts_anew():
    """With 900 s for each start 9 h hold 45,000 steps of 0.7 s: all of them are saved."""
    time = in_sessions(spec(), KAGGLE, (0.7,) * 3, "roofline", extra=Extra(start=(0, 0, 900)))
    assert time.session_steps == 45_000
    assert (time.sessions, time.last_checkpoint[2], time.lost_hours[2]) == ((9, 9, 9), 45_000, 0)
    assert time.start_hours == (0, 0, 9 * 900 / 3600)
    assert time.total_hours[2] - time.total_hours[0] == pytest.approx(2.25)
    alone = in_sessions(spec(), ENDLESS, (0.7,) * 3, "roofline", extra=Extra(start=(0, 0, 900)))
    assert (alone.start_hours, alone.session_steps) == ((0, 0, 0.25), None)


def test_a_session_that_only_starts():
    target = Target("t", None, 1, session_budget_h=0.2)
    time = in_sessions(spec(10, 1), target, (1,) * 3, "roofline", extra=Extra(start=(900,) * 3))
    assert (time.session_steps, time.sessions) == (0, (None, None, None))


@pytest.mark.parametrize(
    ("fields", "compiles"),
    [
        ({}, False),
        ({"compile": True}, True),
        ({"uncounted": [{"what": "torch.compile (compile)", "direction": "unknown"}]}, True),
        ({"uncounted": [{"what": "the metric X", "direction": "more", "only": "validation"}]}, False),
    ],
)
def test_what_comes_on_top_of_the_steps(fields, compiles):
    """A gigabyte takes from 0.3 s on an NVMe drive to 7.6 s on a cloud's volume."""
    job = TrainSpec({name: Value(value) for name, value in fields.items()})
    extra = extra_of(job, [File("net_g.pth", 600_000_000), File("1.state", 400_000_000)])
    assert extra.save == pytest.approx((1 / 3.3, 1 / 0.52, 1 / 0.131))
    assert (extra.start[2] > 0) is compiles
    assert extra_of(TrainSpec({}), []) == NO_EXTRA


def resumed_from(iteration, seconds=0.2, **fields):
    fields = {"duration.iterations": 1_000_000, "checkpoint.every": 5000} | fields
    state = {"resume": f"experiments/x/training_states/{iteration}.state"}
    found = TrainSpec({name: Value(value) for name, value in (fields | state).items()})
    return given_time(found, KAGGLE, (seconds,) * 3, "given")


def test_a_resumed_run_saves_where_the_trainer_counts():
    """From 52,500 on a session of 162,000 ends at 214,500; 790,000 are left at its last save."""
    time = resumed_from(52_500)
    assert time.behind == 52_500
    assert time.last_checkpoint == (210_000,) * 3
    assert time.lost_hours == pytest.approx((4500 * 0.2 / 3600,) * 3)
    assert time.sessions == (6, 6, 6)  # 1, then 160,000 thrice, and 310,000 that two sessions hold


def test_a_resumed_run_may_save_once_and_never_again():
    """A session holds 3,240: from 4,900 it gets to 5,000, and then never to 10,000."""
    assert resumed_from(4_900, 10).sessions == (None,) * 3
    assert resumed_from(4_900, 10, **{"duration.iterations": 8_200}).sessions == (2, 2, 2)
    never = resumed_from(5_000, 10)
    assert (never.sessions, never.last_checkpoint, never.lost_hours) == ((None,) * 3, (0,) * 3, (9.0,) * 3)


def test_train_vae_may_save_with_every_epoch():
    """1,800 iterations an epoch, 2 h each; every tenth is saved whether it improves or not."""
    fields = {"dialect": "vae", "duration.epochs": 100, "checkpoint.every_epochs": 10, "data.images": 7200}
    fields |= {"batch.total": 4}
    found = TrainSpec({name: Value(value) for name, value in fields.items()})
    time = given_time(found, KAGGLE, (4.0,) * 3, "given")
    assert time.save_hours == (2.0, 20.0, 20.0)
    assert time.sessions == (25, None, None)
