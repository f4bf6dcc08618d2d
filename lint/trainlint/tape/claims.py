# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a stored tape says of itself, held against the step that it is for: anybody may have written it.

The step's networks, a sample's bytes and the batch have to be on it. A tape that was made up with care is
believed all the same: what is said with its figures is that they are the project's own.
"""

from __future__ import annotations

from math import prod
from typing import Final

from trainlint.tape.tape import Size, Tape

BYTES_PER_PARAMETER: Final = (2, 4.2)
"""In half and in single precision; padding adds up to a twentieth."""
ROLES: Final = ("generator", "discriminator")
CROP_FIELDS: Final = ("crop.lq", "crop.hr")


def contradiction(tape: Tape) -> str | None:
    """Say what on a tape contradicts its step, whose key the reader checks; None where nothing does."""
    return _networks(tape) or _inputs(tape)


def _networks(tape: Tape) -> str | None:
    roles = {network.role for network in tape.networks}
    for role in ROLES:
        if role not in roles and tape.step.get(f"networks.{role}.arch") is not None:
            return f"it lacks the {role} of its step"
    for network in tape.networks:
        if network.role not in ROLES:
            continue
        arch = tape.step.get(f"networks.{network.role}.arch")
        if arch is not None and network.arch != arch:
            return f"its {network.role} is not the step's"
        held = sum(
            block.size.const
            for block in tape.blocks
            if block.kind == "parameters"
            and block.device == 0
            and block.owner.partition(":")[0] == network.role
        )
        least, most = (network.parameters * size for size in BYTES_PER_PARAMETER)
        if not least <= held <= most:
            said = f"{network.parameters:,}"
            return f"the parameters of its {network.role} take {held:,} bytes and are said to be {said}"
    return None


def _inputs(tape: Tape) -> str | None:
    """Hold the largest input of the training against one sample of the step."""
    crops = [
        (tape.step[name], tape.step.get(f"{name}_width", tape.step[name]))
        for name in CROP_FIELDS
        if name in tape.step
    ]
    if not crops or any(not isinstance(side, int) for crop in crops for side in crop):
        return None
    values = prod(
        (min(map(prod, crops)), int(tape.step.get("channels", 1)), int(tape.step.get("frames") or 1))
    )
    count = tape.batches[0] if tape.batches else 1
    sizes = [block.size for block in tape.blocks if block.kind in ("inputs", "queue")]
    if all(_of_samples(size, count, single=bool(tape.batches)) < values * count for size in sizes):
        return f"no input on it holds {'a sample' if count == 1 else f'{count} samples'} of the step's crop"
    return None


def _of_samples(size: Size, count: int, *, single: bool) -> int:
    """Return the bytes of a block that grow with the samples; all of them where a tape is of one batch."""
    grown = size.batch + size.total + size.pool
    return size.at(count, count, count) if single else grown
