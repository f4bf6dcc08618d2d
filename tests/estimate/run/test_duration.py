# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How many steps a run has."""

from __future__ import annotations

import pytest

from trainlint.errors import CannotTraceError
from trainlint.estimate.run.duration import iterations, samples_seen
from trainlint.model.spec import TrainSpec, Value


def spec(**fields: object) -> TrainSpec:
    known = {"duration.epochs": 3, "data.images": 100, "batch.total": 8, **fields}
    return TrainSpec({name: Value(value, ()) for name, value in known.items() if value is not None})


def test_epochs_of_samples_are_steps() -> None:
    assert (iterations(spec()), samples_seen(spec())) == (3 * 13, 300)


def test_how_many_rows_packed_samples_fill_is_not_known() -> None:
    """52,002 samples of 120 tokens are 1,500 rows of 4,096: a run of an hour was said to take 41 to 100."""
    packed = spec(**{"sequence.packing": True})
    with pytest.raises(CannotTraceError, match="max_steps says how long the run is"):
        iterations(packed)
    assert samples_seen(packed) is None
    assert iterations(spec(**{"sequence.packing": True, "duration.iterations": 60})) == 60
