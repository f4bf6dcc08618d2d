# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The search for the largest batch: the same number as asking for every one, in far fewer questions."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.warm_cache import warm
from trainlint.api import check
from trainlint.estimate.memory.capacity import LARGEST_SEARCHED, largest_within, safe_batch
from trainlint.shipped.resource_paths import resource

LINE = st.tuples(st.integers(0, 10**9), st.integers(0, 10**6))
ROUNDED = 512


def over(lines, room):
    """Return by how much the highest of some lines is over the room; each is (at 0, per sample), rounded."""

    def asked(at):
        return max(-(-(const + slope * at) // ROUNDED) * ROUNDED for const, slope in lines) - room

    return asked


@given(st.lists(LINE, min_size=1, max_size=4), st.integers(0, 2 * 10**9))
@example([(0, 1)], 10**12)
@example([(0, 1000), (10**6, 1)], 10**7)
def test_the_largest_number_within_the_room_is_found_in_few_questions(lines, room):
    ask, asked = over(lines, room), []
    found = largest_within(lambda at: (asked.append(at), ask(at))[1])
    assert found == 0 or ask(found) <= 0
    assert found == 2 * LARGEST_SEARCHED - 1 or ask(found + 1) > 0
    assert len(asked) <= 60
    assert max(asked) < 2 * LARGEST_SEARCHED


def test_a_step_that_grows_evenly_takes_a_handful():
    asked = []
    assert (
        largest_within(lambda at: (asked.append(at), 3_000 + 7_001 * at - 10**7)[1])
        == (10**7 - 3_000) // 7_001
    )
    assert len(asked) <= 8


@given(st.integers(0, 40), st.integers(1, 40), st.integers(-5, 60))
def test_the_safe_batch_is_found_from_any_guess(answer, limit, guess):
    asked = []
    largest = min(answer, limit)
    tape = SimpleNamespace(batches=())
    assert safe_batch(tape, limit, lambda: guess, lambda at: (asked.append(at), at <= answer)[1]) == largest
    assert len(asked) == len(set(asked))
    if abs(largest - guess) <= 1:
        assert len(asked) <= 3
    assert safe_batch(SimpleNamespace(batches=(2, 4, 8)), 6, lambda: 1, lambda at: at <= answer) == max(
        (batch for batch in (2, 4) if batch <= answer), default=0
    )


@pytest.mark.rest
@pytest.mark.parametrize("name", ["realesrgan_x4.yml", "msrresnet_x4.yml"])
def test_the_safe_batch_is_the_largest_that_is_not_tight(name, tmp_path, monkeypatch):
    """One more warns that memory is tight, as all do up to the limit, above which it fails."""
    example = resource("rules").parent / "examples" / name
    if not example.is_file():
        pytest.skip("the examples are in a checkout alone")
    monkeypatch.setenv("XDG_CACHE_HOME", str(warm(tmp_path)))

    def judged(batch: int | None):
        text = example.read_text("utf-8")
        if batch is not None:
            text = re.sub(r"(batch_size_per_gpu:) \d+", rf"\1 {batch}", text)
        path = tmp_path / "a.yml"
        path.write_text(text, "utf-8")
        (result,) = check(path, targets=["rtx-4090"], trace=False).results
        return result.facts.memory, {finding.rule for finding in result.findings} & {
            "vram-tight",
            "vram-budget",
        }

    memory, _ = judged(None)
    assert 0 < memory.safe.value < memory.batch.value
    assert judged(memory.safe.value)[1] == set()
    assert judged(memory.safe.value + 1)[1] == {"vram-tight"}
    assert judged(memory.batch.value)[1] == {"vram-tight"}
    assert judged(memory.batch.value + 1)[1] == {"vram-budget"}
    assert {judged(batch)[0].safe.value for batch in (1, memory.batch.value + 1)} == {memory.safe.value}
