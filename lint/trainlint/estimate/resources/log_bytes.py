# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Bytes of a run's text log and of TensorBoard's files: a range, as neither is counted value by value."""

from __future__ import annotations

from typing import Final

from trainlint.estimate.run.duration import iterations
from trainlint.model.spec import TrainSpec

HEAD: Final = (2_000, 2_000_000)
"""Bytes before the first line: the options, and the networks as torch prints them."""

LINE: Final = (120, 220)
VALUE: Final = (16, 30)
"""Bytes of a line of BasicSR's logger without its values, and of one of these with its name."""

SCALAR: Final = (45, 65)
"""Bytes of one scalar in TensorBoard's files: 40 and its tag's, as torch.utils.tensorboard writes it
(tensorboard 2.21: 52.0 for losses/l_pix, 53.5 on average for the seven of Real-ESRGAN)."""

LOGGING: Final = frozenset({"basicsr", "trainner-redux", "neosr"})
"""Dialects whose trainer logs so (basicsr/utils/logger.py; traiNNer-redux and neosr took it over)."""


def log_bytes(spec: TrainSpec) -> tuple[int, int] | None:
    """Return the least and the most bytes of a run's logs; None where their number is not known.

    A line has at least one value. At most each loss has two, and a discriminator adds six. wandb's folder is
    not in it.
    Raises CannotTraceError where the run's length is unknown.
    """
    every = int(spec.get("log.every") or 0)
    if every < 1 or spec.get("dialect") not in LOGGING:
        return None
    lines = iterations(spec) // every
    values = (1, 2 * len(spec.get("losses") or ()) + 6)
    scalars = bool(spec.get("log.scalars"))
    least, most = (
        head + lines * (line + count * (value + scalars * scalar))
        for head, line, count, value, scalar in zip(HEAD, LINE, values, VALUE, SCALAR, strict=True)
    )
    return least, most
