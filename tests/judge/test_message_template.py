# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A message that was made before is taken for equal values alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from trainlint.judge.message_template import compile_template

TEXT = "{spec.batch.per_gpu} and {target.disk}: {spec.batch.per_gpu > 1 ? 'many' : 'few'}"
MESSAGE = compile_template(TEXT, {"spec.batch.per_gpu": "integer", "target.disk": "any"})
PLAIN = st.one_of(
    st.booleans(), st.integers(-1, 2), st.sampled_from([0.0, -0.0, 1.0, 2.0**70, "", "1", "a", "{}"])
)
VALUES = st.one_of(
    PLAIN, st.lists(PLAIN, max_size=2), st.dictionaries(st.sampled_from(["", "a", "b"]), PLAIN, max_size=2)
)


@given(st.one_of(st.integers(-1, 2), st.just(2**70)), VALUES, st.booleans())
def test_a_message_is_what_it_would_be_without_those_before(batch, disk, default):
    values = {"spec.batch.per_gpu": batch, "target.disk": disk}
    assert MESSAGE.format(values, lambda _: default) == MESSAGE._filled(values, lambda _: default)
