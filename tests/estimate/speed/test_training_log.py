# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Logs as the trainers write them (written here), and what is no log."""

from __future__ import annotations

import os

import pytest

from tests.documents.test_slow import within
from trainlint.errors import UnreadableError
from trainlint.estimate.speed.log_lines import LINE
from trainlint.estimate.speed.training_log import TAIL_BYTES, step_times

BASICSR = (
    "2026-01-02 10:00:{s:02d},123 INFO: [photo..][epoch:  0, iter:{i:8,d}, lr:(1.000e-04,)]"
    " [eta: 3 days, 5:20:29, time (data): {t:.3f} ({d:.3f})] l_pix: 2.1e-02 \n"
)
REDUX = (
    "2026-01-02 10:00:00 INFO: [epoch:   0, iter:{i:8,d}, lr:(1.000e-04)] [performance: {r:.3f} it/s]"
    " [eta: 1:02:03] [peak VRAM: 5.20 GB] l_g_pix: 2.1e-02 \n"
)
NEOSR = (
    "02-01-2026 10:00 AM | INFO: [ epoch:   0 ] \x1b[92m[ iter:{i:7,d} ]\x1b[0m"
    " [ performance: {r:.3f} it/s ] [ lr: 1e-04 ] \n"
)
KAIR = "26-01-02 10:{m:02d}:{s:02d}.500 : <epoch:  0, iter:{i:8,d}, lr:1.000e-04> G_loss: 1.2e-02 \n"


def written(tmp_path, text: str) -> str:
    path = tmp_path / "train.log"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_basicsr_with_a_slow_start_and_a_validation(tmp_path) -> None:
    times = [9.0, *[0.5] * 10, 3.0, *[0.5] * 9]
    lines = [BASICSR.format(s=i, i=(i + 1) * 100, t=time, d=0.02) for i, time in enumerate(times)]
    found = step_times(written(tmp_path, "banner\n" + "".join(lines)))
    assert found.seconds == pytest.approx((0.5, 0.5, 0.5), rel=0.002)
    assert found.data == 0.02
    assert found.readings == 19  # of 21, the first tenth is left out


def test_rates_of_redux_and_of_neosr_in_colours(tmp_path) -> None:
    for line in (REDUX, NEOSR):
        text = "".join(line.format(i=1000 * i, r=rate) for i, rate in enumerate([0.1, 2, 2, 4, 4], start=1))
        assert step_times(written(tmp_path, text)).seconds == pytest.approx((0.25, 0.375, 0.5), rel=0.002)


def test_kair_by_its_time_stamps(tmp_path) -> None:
    text = "".join(KAIR.format(m=i, s=0, i=200 * (i + 1)) for i in range(8))
    assert step_times(written(tmp_path, text)).seconds == pytest.approx((0.3, 0.3, 0.3), rel=0.002)


def test_a_run_that_was_resumed_counts_its_iterations_again(tmp_path) -> None:
    first = [KAIR.format(m=i, s=0, i=200 * (i + 1)) for i in range(4)]
    again = [KAIR.format(m=30 + i, s=0, i=200 * (i + 3)) for i in range(4)]
    assert step_times(written(tmp_path, "".join(first + again))).seconds == pytest.approx(
        (0.3, 0.3, 0.3), rel=0.002
    )


def test_tqdm_overwrites_its_line(tmp_path) -> None:
    bars = [f"  5%|#    | {i}/1000 [00:{i:02d}<05:00,  2.00it/s]" for i in range(1, 9)]
    slow = [f"  5%|#    | {i}/1000 [00:{i:02d}<05:00,  1.50s/it, loss=0.1]" for i in range(1, 9)]
    assert step_times(written(tmp_path, "\r".join(bars))).seconds == pytest.approx((0.5, 0.5, 0.5), rel=0.01)
    assert step_times(written(tmp_path, "\r".join(slow))).seconds == pytest.approx((1.5, 1.5, 1.5), rel=0.01)


def bars(name: str, length: int, each: float) -> str:
    """The bar of one epoch, as tqdm overwrites it."""
    return "".join(
        f"\r{name}  5%|#    | {i}/{length} [00:{int(i * each):02d}<05:00,  {each:.2f}s/it]"
        for i in range(1, length + 1)
    )


@pytest.mark.parametrize("name", ["Validation:", "val", "loading the list"])
def test_bars_of_something_else_than_training_do_not_count(tmp_path, name) -> None:
    epoch = bars("Epoch 1", 20, 2.5) + "\n" + bars(name, 50, 0.1) + "\n"
    assert step_times(written(tmp_path, epoch * 3)).seconds == pytest.approx((2.5, 2.5, 2.5), rel=0.01)


def test_a_bar_is_no_time_where_the_trainer_prints_its_own(tmp_path) -> None:
    lines = "".join(BASICSR.format(s=i, i=i * 100, t=0.5, d=0.02) for i in range(1, 9))
    assert step_times(written(tmp_path, bars("images", 50, 1.1) + "\n" + lines)).seconds == pytest.approx(
        (0.5, 0.5, 0.5), rel=0.01
    )


@pytest.mark.parametrize(("count", "seconds"), [(9, 0.2), (3, 0.5)])
def test_of_several_runs_in_a_log_the_last_counts_once_it_has_times_enough(tmp_path, count, seconds) -> None:
    """Before it there may have been another batch, or another machine."""
    first = [BASICSR.format(s=0, i=i * 100, t=0.5, d=0.1) for i in range(1, 30)]
    last = [BASICSR.format(s=0, i=1000 + i * 100, t=0.2, d=0.1) for i in range(1, count + 1)]
    assert step_times(written(tmp_path, "".join(first + last))).seconds == pytest.approx(
        (seconds,) * 3, rel=0.01
    )


def test_timm_prints_the_seconds_of_an_update_and_of_its_loading(tmp_path) -> None:
    train = "Train: 0 [{i:>4d}/1250 (  4%)]  Loss: 6.93 (6.93)  Time: 0.413s,  619.88/s  (0.421s,  608.10/s)"
    line = train + "  LR: 1.000e-05  Data: 0.010 (0.014)\n"
    test = "Test: [   0/48]  Time: 3.123 (3.123)  Loss:   6.9 (6.9)\n" * 20
    found = step_times(written(tmp_path, "".join(line.format(i=50 * i) for i in range(9)) + test))
    assert found.seconds == pytest.approx((0.4125, 0.413, 0.4135))  # what is printed so
    assert (found.data, found.readings) == (0.01, 8)


def test_what_powershell_writes_is_read(tmp_path) -> None:
    path = tmp_path / "train.log"
    path.write_text("".join(REDUX.format(i=i * 100, r=2) for i in range(1, 9)), encoding="utf-16")
    assert step_times(str(path)).seconds == pytest.approx((0.5, 0.5, 0.5), rel=0.01)


@pytest.mark.parametrize(
    "text", ["", "hello\n" * 50, BASICSR.format(s=0, i=1, t=0.5, d=0.1) * 3, "\x00\xff" * 99]
)
def test_other_programs_logs_and_short_ones_are_refused(tmp_path, text) -> None:
    with pytest.raises(UnreadableError, match="times per iteration found, expected at least 4"):
        step_times(written(tmp_path, text))


def test_of_a_huge_log_only_the_end_is_read(tmp_path) -> None:
    path = tmp_path / "huge.log"
    with path.open("wb") as file:
        file.write((BASICSR.format(s=0, i=1, t=9.0, d=0.1) * 10).encode())
        file.seek(5 * 2**30)  # sparse: 5 GB that take no disk
        file.write(b"\n" + (BASICSR.format(s=0, i=1, t=0.5, d=0.1) * 10).encode())
    assert path.stat().st_size > TAIL_BYTES
    assert step_times(str(path)).seconds == pytest.approx((0.5, 0.5, 0.5), rel=0.01)


def test_what_is_no_file_is_refused(tmp_path) -> None:
    with pytest.raises(UnreadableError, match="cannot be read"):
        step_times(str(tmp_path / "absent.log"))
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnreadableError, match="regular file"):
        step_times(str(tmp_path / "pipe"))


@pytest.mark.parametrize(
    "text",
    [
        f"time (data): {'9' * 400}.0 (0.0)\n" * 9,
        "99-99-99 99:99:99.999 iter: 200, lr:\n" * 9,
        "22-01-01 10:00:00.000 iter: ,,,, lr:\n" * 9,
        "".join(f"22-01-01 10:00:0{at}.000 iter: {at}{'9' * 600}, lr:\n" for at in range(1, 9)),
        "\n" * TAIL_BYTES,
        f"{'1' * (LINE - 1)}\n" * (TAIL_BYTES // LINE),
    ],
    ids=["endless", "no date", "no number", "no iteration", "empty lines", "digits"],
)
def test_what_only_looks_like_a_log_is_said_to_be_none(tmp_path, text: str) -> None:
    path = written(tmp_path, text)
    with within(5), pytest.raises(UnreadableError, match="0 times per iteration found"):
        step_times(path)


def test_a_huge_log_of_another_program_is_said_to_be_read_at_its_end(tmp_path) -> None:
    with pytest.raises(UnreadableError, match=r"^0 times per iteration found in its last 8 MiB, expected"):
        step_times(written(tmp_path, "loss 0.1\n" * TAIL_BYTES))
    with pytest.raises(UnreadableError, match=r"^0 times per iteration found, expected"):
        step_times(written(tmp_path, "loss 0.1\n"))


def test_a_rate_of_few_digits_is_a_range(tmp_path) -> None:
    """Three decimals of an iteration a second leave a step of 91 s open by a tenth."""
    text = "".join(f"[ epoch: 1, iter: {100 * n:7,}, performance: 0.011 it/s ]\n" for n in range(1, 20))
    assert step_times(written(tmp_path, text)).seconds == pytest.approx((1 / 0.0115, 1 / 0.011, 1 / 0.0105))
