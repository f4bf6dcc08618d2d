# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a run takes of the machine around the GPU, and how long its loader takes, each in a line."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from trainlint.hardware import load_hardware
from trainlint.model.facts import HostNeeds, Loading, Time
from trainlint.report.text.host_text import host_words
from trainlint.report.text.time_text import render_time

GIB = 2**30
HOST = HostNeeds(4, ram=3 * GIB, shm=GIB // 4)
KNOWN = "4 DataLoader workers on 4 cores; up to 3.00 GiB of RAM, 0.25 of it waiting in /dev/shm"


@pytest.mark.parametrize(
    ("host", "line"),
    [
        (HOST, KNOWN),
        (HostNeeds(1), "1 DataLoader worker on 4 cores"),
        (
            replace(HOST, ram=None, validation_workers=4),
            "4 DataLoader workers and 4 of validation on 4 cores",
        ),
        (
            replace(HOST, pinned=GIB // 2, mapped=5 * GIB),
            f"{KNOWN}, 0.50 pinned; a database of 5.00 GiB is read through the page cache on top",
        ),
    ],
)
def test_the_host_in_a_line(host, line) -> None:
    assert list(host_words(host, load_hardware().target("kaggle-t4x2"))) == [f"the host: {line}"]


def test_loading_is_said_beside_the_step() -> None:
    step = Time((0.1, 0.2, 0.3), None, None, "roofline", classes={"conv": 0.2})
    plain = list(render_time(step))
    loading = Loading((0.05, 0.1, 0.2), "assumed: nobody looked", assumed=True)
    (line,) = [line for line in render_time(replace(step, loading=loading)) if line not in plain]
    assert line == "loading takes 0.10 s (50 ms to 0.20 s) a step, at the same time (assumed: nobody looked)"
