# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How many weights a model has and trains, and how large its files are, by the bytes of its tensors.

Weights follow to the last one. A file has a few words a tensor besides, which are taken for as many as
they are on the tapes that a blueprint is drawn from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import product
from typing import Final, NamedTuple

from trainlint.tape import File, Network, Tape
from trainlint.tape.blueprints.layer_loops import NotRepeatedError

PARAMETERS: Final = "parameters"
GROUPS: Final = ("lora_", "bias", "norm", "embed", "lm_head")
"""Parts of names by which tensors are stored in one precision; the rest is a group of its own, the last
one."""
WORDS: Final = GROUPS.index("embed")
"""The group of the tables of words, whose optimizer states may be in another precision."""
STATE_BYTES: Final = (None, 8.0, 4.0)
"""Bytes that a file has of a weight of these tables: as of the others, or two states in fp32, or one."""
PER_BYTE: Final = (Fraction(1, 2), Fraction(1, 4), Fraction(2), Fraction(1))
"""Weights of a byte in half and single precision, in four bits, in bytes."""
TOLERANCE: Final = 0.01
"""Share of a file by which its size may be off."""

Held = Sequence[tuple[int, int]]
"""Bytes and tensors of each group."""


class WeightCounts(NamedTuple):
    """`all`, `trained`: a fraction a group; `files`: bytes a weight, a tensor and a word's weight.

    Those of a file are of the trained weights, or of all.
    """

    all: tuple[Fraction, ...]
    trained: tuple[Fraction, ...]
    files: tuple[tuple[bool, float, float, float], ...]

    def networks(self, network: Network, held: Held) -> tuple[Network, ...]:
        """Return the network with its counts."""
        return (Network(network.role, network.arch, _weights(self.all, held), _weights(self.trained, held)),)

    def sized(self, files: Sequence[File], held: Held) -> tuple[File, ...]:
        """Return the files with their sizes."""
        return tuple(
            File(file.name, round(weight * count + tensor * tensors + word * words))
            for file, (trained, weight, tensor, word) in zip(files, self.files, strict=True)
            for count, tensors, words in [_counted(self.trained if trained else self.all, held)]
        )


def held_by(rows: Iterable[tuple[str, str, int, int]]) -> Held:
    """Return what groups hold of tensors: (kind, owner, bytes, how many there are)."""
    held = [[0, 0] for _ in range(len(GROUPS) + 1)]
    for kind, owner, size, count in rows:
        if kind == PARAMETERS:
            group = next((index for index, part in enumerate(GROUPS) if part in owner), len(GROUPS))
            held[group][0] += size * count
            held[group][1] += count
    return [(size, count) for size, count in held]


def counts_of(tapes: Sequence[Tape]) -> WeightCounts:
    """Return the counts that hold on all tapes; NotRepeatedError where there are none."""
    held = [
        held_by((block.kind, block.owner, block.size.const, 1) for block in tape.blocks) for tape in tapes
    ]
    networks = [tape.networks[0] for tape in tapes]
    there = [any(own[group][0] for own in held) for group in range(len(GROUPS) + 1)]
    every = _fractions(
        [network.parameters for network in networks], held, [PER_BYTE if own else () for own in there]
    )
    some = [(Fraction(0), fraction) if own else () for own, fraction in zip(there, every, strict=True)]
    trained = _fractions([network.trainable for network in networks], held, some)
    names = [file.name for file in tapes[0].files]
    files = tuple(
        _file([tape.files[index].size for tape in tapes], held, trained, every) for index in range(len(names))
    )
    return WeightCounts(every, trained, files)


def _weights(fractions: Sequence[Fraction], held: Held) -> int:
    return int(sum(fraction * size for fraction, (size, _) in zip(fractions, held, strict=True)))


def _counted(fractions: Sequence[Fraction], held: Held) -> tuple[int, int, int]:
    """Return how many weights that are no words', tensors, and words' weights there are."""
    tensors = sum(count for fraction, (_, count) in zip(fractions, held, strict=True) if fraction)
    words = int(fractions[WORDS] * held[WORDS][0])
    return _weights(fractions, held) - words, tensors, words


def _fractions(
    counts: Sequence[int], held: Sequence[Held], choices: Sequence[Sequence[Fraction]]
) -> tuple[Fraction, ...]:
    for chosen in product(*(choice or (Fraction(0),) for choice in choices)):
        if all(
            sum(fraction * size for fraction, (size, _) in zip(chosen, own, strict=True)) == count
            for count, own in zip(counts, held, strict=True)
        ):
            return chosen
    raise NotRepeatedError("how many weights a byte holds is not known")


def _file(
    sizes: Sequence[int], held: Sequence[Held], trained: Sequence[Fraction], every: Sequence[Fraction]
) -> tuple[bool, float, float, float]:
    for state, own in product(STATE_BYTES, (True, False)):
        counted = [_counted(trained if own else every, groups) for groups in held]
        words = [0.0 if state is None else state * many for _, _, many in counted]
        points = [(count + (many if state is None else 0), tensors) for count, tensors, many in counted]
        rest = [size - taken for size, taken in zip(sizes, words, strict=True)]
        weight, tensor = _fitted(points, rest)
        close = (
            abs(weight * count + tensor * tensors - left) <= TOLERANCE * size
            for (count, tensors), left, size in zip(points, rest, sizes, strict=True)
        )
        if weight >= 0 and all(close):
            return own, weight, tensor, weight if state is None else state
    raise NotRepeatedError("how large a file is does not follow from its weights")


def _fitted(points: Sequence[tuple[int, int]], sizes: Sequence[float]) -> tuple[float, float]:
    """Return bytes a weight and a tensor, by least squares."""
    a = sum(count * count for count, _ in points)
    b = sum(count * tensors for count, tensors in points)
    c = sum(tensors * tensors for _, tensors in points)
    u = sum(count * size for (count, _), size in zip(points, sizes, strict=True))
    v = sum(tensors * size for (_, tensors), size in zip(points, sizes, strict=True))
    below = a * c - b * b
    return ((u * c - v * b) / below, (a * v - b * u) / below) if below else (0.0, 0.0)
