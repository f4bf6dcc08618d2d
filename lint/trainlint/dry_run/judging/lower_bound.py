# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What is too large for a card whatever a step takes: known as soon as networks and optimizers are there.

A program that stops before its first step, for want of data or of a package, has most often built them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from trainlint.dry_run.rehearsing.run_record import Standing
from trainlint.model.job import Problem
from trainlint.model.target import Gpu
from trainlint.model.units import gib

RULE: Final = "vram-standing"


def beyond_the_card(standing: Standing | None, gpu: Gpu) -> Iterator[Problem]:
    """Yield that weights are too large, alone or (a warning) with the gradients and states of a training."""
    if standing is None:
        return
    room = gpu.memory - gpu.context
    names = f" ({', '.join(standing.networks)})" if standing.networks else ""
    sees = f"of the {gib(room)} that a process has of the {gpu.title}{names}"
    if standing.weights > room:
        yield Problem(RULE, f"the weights alone take {gib(standing.weights)} GiB {sees}", ())
    elif standing.trained > room:
        said = (
            f"weights, gradients and the optimizer's states take {gib(standing.trained)} GiB {sees}, before "
            "anything of a step"
        )
        yield Problem(RULE, said, (), harmless=True)
