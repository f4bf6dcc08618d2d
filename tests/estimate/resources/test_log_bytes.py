# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a run's log and TensorBoard's files take, against lines and events as the trainers write them."""

from __future__ import annotations

import pytest

from trainlint.errors import CannotTraceError
from trainlint.estimate.resources.checkpoint_disk import estimate_disk
from trainlint.estimate.resources.log_bytes import HEAD, log_bytes
from trainlint.model.spec import TrainSpec, Value
from trainlint.tape import File

PLAIN = (
    "2026-11-22 20:00:00,123 INFO: [x4..][epoch:  0, iter:     100, lr:(2.000e-04,)]"
    " [eta: 0:59:20, time (data): 0.123 (0.001)] l_pix: 3.1250e-02 \n"
)
GAN = (
    "2026-11-22 20:00:00,123 INFO: [train..][epoch:9,999, iter: 400,000, lr:(1.000e-04,1.000e-04,)] "
    "[eta: 11 days, 23:59:59, time (data): 10.123 (0.001)] l_g_pix: 3.1250e-02 l_g_percep: 3.1250e+00 "
    "l_g_gan: 3.1250e-02 l_d_real: 3.1250e-02 out_d_real: -3.1250e-02 "
    "l_d_fake: 3.1250e-02 out_d_fake: -3.1250e-02 \n"
)
EVENTS = {PLAIN: 52, GAN: 375}
"""Bytes of the events of a line: torch.utils.tensorboard with tensorboard 2.21, 4,000 lines."""


def logs(losses: int = 1, iterations: int | None = 400_000, every: int = 100, **fields: object):
    fields = {"dialect": "basicsr", "losses": [{"type": "L1Loss"}] * losses, "log.every": every} | fields
    values = {name: Value(value) for name, value in fields.items()}
    if iterations is not None:
        values["duration.iterations"] = Value(iterations)
    return log_bytes(TrainSpec(values))


@pytest.mark.parametrize(("line", "losses"), [(PLAIN, 1), (GAN, 3)])
@pytest.mark.parametrize("scalars", [False, True])
def test_lines_as_they_are_written_lie_in_the_range(line, losses, scalars) -> None:
    least, most = logs(losses, **{"log.scalars": scalars})
    written = 4000 * (len(line) + scalars * EVENTS[line])
    assert least - HEAD[0] <= written <= most - HEAD[1]


def test_more_lines_take_more() -> None:
    assert logs(every=10)[0] > 9 * logs(every=100)[0]
    assert logs(every=10**9) == HEAD


def test_what_nobody_knows_is_not_said() -> None:
    assert logs(every=0) is None
    assert logs(dialect="kair") is None
    with pytest.raises(CannotTraceError):
        logs(iterations=None)


def test_the_disk_says_them_apart() -> None:
    fields = {"dialect": "basicsr", "duration.iterations": 1000, "checkpoint.every": 100, "log.every": 10}
    disk = estimate_disk(
        TrainSpec({name: Value(value) for name, value in fields.items()}), [File("a.pth", 5)]
    )
    assert disk.total == 10 * 5 + 5
    assert disk.logs is not None
    assert 0 < disk.logs[0] < disk.logs[1]
