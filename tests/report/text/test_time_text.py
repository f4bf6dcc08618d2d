# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The time of a step by class of kernels, in words."""

from __future__ import annotations

from msgspec.structs import replace

from trainlint.estimate.speed.rate_factors import factors
from trainlint.model.facts import Time
from trainlint.report.text.time_text import CHANNELS_LAST, CLASSES, HOST, render_time

STEP = Time((0.05, 0.1, 0.2), None, None, "roofline", classes={"conv nhwc": 0.075, "memory": 0.025})


def test_the_longest_class_comes_first_with_its_share() -> None:
    first, *rows = render_time(STEP)
    assert first.startswith("a step takes 0.10 s (50 ms to 0.20 s)")
    assert [row.split()[-2:] for row in rows] == [["ms", "75%"], ["ms", "25%"]]
    assert "dense convolutions, channels last" in rows[0]


def test_a_measured_step_has_no_classes() -> None:
    assert list(render_time(Time((1, 1, 1), None, None, "given"))) == []


def test_every_class_of_the_factors_has_words() -> None:
    assert {name.removesuffix(CHANNELS_LAST) for name in factors().classes} <= set(CLASSES)


def test_a_range_that_the_host_decides_says_which_machines_it_is_from():
    bound = replace(STEP, host_bound=True)
    assert HOST in render_time(bound)
    assert HOST not in [
        *render_time(STEP),
        *render_time(replace(bound, measured="3 runs measured on this card")),
    ]
