# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a stored tape says of itself, held against the step that it is for: anybody may have written it.

The step's networks, a sample's bytes and the batch have to be on it, and room for what each of its
convolutions makes. A tape that was made up with care is believed all the same: what is said with its figures
is that they are the project's own.
"""

from __future__ import annotations

from collections import Counter
from itertools import zip_longest
from math import prod
from typing import Final

from trainlint.tape.profile_inspection import CONVOLUTION_KEY
from trainlint.tape.tape import EVERY_BATCH, Event, Op, Size, Tape

BYTES_PER_PARAMETER: Final = (2, 4.2)
"""In half and in single precision; padding adds up to a twentieth."""
ROLES: Final = ("generator", "discriminator")
CROP_FIELDS: Final = ("crop.lq", "crop.hr")
ITEM_BYTES: Final = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2}


def contradiction(tape: Tape) -> str | None:
    """Say what on a tape contradicts its step, whose key the reader checks; None where nothing does."""
    return _networks(tape) or _inputs(tape) or _outputs(tape)


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


def _outputs(tape: Tape) -> str | None:
    """Hold the storages that are born against the outputs of convolutions: each is a storage of its own.

    What a convolution writes is the output for one sample, which its key says, as often as it has samples.
    """
    count = tape.batches[0] if tape.batches else EVERY_BATCH
    runs = Counter(index for kind, index in tape.events if kind == Event.OP)
    made = Counter[int]()
    for index, times in runs.items():
        of_sample, written = _output(tape.ops[index]), tape.ops[index].written.at(count, count, count)
        if of_sample and (written < of_sample or written % of_sample):
            return "what its convolutions write is not what their shapes make"
        made[written if of_sample else 0] += times
    del made[0]
    born = (
        tape.blocks[index].size.at(count, count, count) for kind, index in tape.events if kind == Event.ALLOC
    )
    held = sorted(born, reverse=True)
    outputs = sorted(made.elements(), reverse=True)
    if any(room < output for output, room in zip_longest(outputs, held[: len(outputs)], fillvalue=0)):
        return "its storages are too small for what its convolutions make"
    return None


def _output(op: Op) -> int:
    """Return the bytes that a convolution makes of one sample; 0 for any other operator."""
    match = CONVOLUTION_KEY.fullmatch(op.key) if op.key.startswith("forward k") else None
    if match is None:
        return 0
    sides = [int(side) for side in match["sides"].split("x")[1:]]
    kernel, stride, padding, dilation = (
        _numbers_of_sides(match[name], len(sides)) for name in ("kernel", "stride", "padding", "dilation")
    )
    out = [
        (side + 2 * pad - apart * (width - 1) - 1) // step + 1
        for side, width, step, pad, apart in zip(sides, kernel, stride, padding, dilation, strict=True)
    ]
    channels = int(op.key.split()[2].removesuffix("o"))
    return max(channels * prod(out) * ITEM_BYTES.get(op.dtype, 1), 0)


def _numbers_of_sides(text: str, count: int) -> list[int]:
    """Return a number for each side: one that is written once is that of all."""
    numbers = [int(number) for number in text.split("x")]
    return numbers * count if len(numbers) == 1 else numbers
