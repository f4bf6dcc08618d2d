# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A repository's own model class may train on other samples than its data set gives it."""

from __future__ import annotations

import pytest

from trainlint.repository.trainer.mentioned_words import Words
from trainlint.repository.trainer.own_feed import changes_samples
from trainlint.repository.trainer.training_steps import MatchedStep

PLAIN = """\
class Own(SRModel):
    def feed_data(self, data):
        self.lq = data["lq"].to(self.device)
        if "gt" in data:
            self.gt = data["gt"].float().cuda()
"""
FILE = "own/own_model.py"
FEEDS = (f"feed_data ({FILE}:2)", f"optimize_parameters ({FILE}:9)")


def changed(text: str = PLAIN, differing: tuple[str, ...] = FEEDS, why: str | None = "its own") -> bool:
    return changes_samples(
        MatchedStep("Own", f"{FILE}:1", why=why, differing=differing), Words([text], [FILE])
    )


def test_samples_that_are_only_moved_stay_what_they_are() -> None:
    assert not changed()
    assert not changed(differing=FEEDS[1:])
    assert not changed(differing=(), why=None)
    assert not changes_samples(None, None)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('data["gt"].float()', 'data["gt"][..., :64, :64]'),
        ('data["lq"].to(self.device)', "degrade(self.gt)"),
        ('if "gt" in data', "for _ in data"),
    ],
)
def test_a_method_that_does_more_may_crop(old: str, new: str) -> None:
    assert changed(PLAIN.replace(old, new))


def test_what_is_not_known_may_do_anything() -> None:
    assert changed(differing=())
    assert changed(differing=("feed_data (elsewhere.py:2)",))
    assert changes_samples(MatchedStep("Own", FILE, why="open"), None)
