# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How large files are, by the weights of a model."""

from __future__ import annotations

from fractions import Fraction

import pytest

from trainlint.tape import Block, File, Network, Size, Tape
from trainlint.tape.blueprints.layer_loops import NotRepeatedError
from trainlint.tape.blueprints.weight_counts import counts_of, held_by

SHAPES = ((4096, 512, 2), (4096, 512, 3), (8192, 512, 3), (4096, 1024, 2))
"""Words, weights of a layer, layers."""


def tape(words, weights, layers, of_word):
    blocks = [
        Block(Size(2 * words), "parameters", "model:embed_tokens.weight"),
        *(Block(Size(2 * weights), "parameters", f"model:layers.{layer}.weight") for layer in range(layers)),
    ]
    count = words + weights * layers
    saved = File("optimizer.pt", of_word * words + 2 * weights * layers + 100 * (layers + 1))
    return Tape(
        key="", step={}, batches=(), devices=1, affine="", notes=(), made_with={}, marks=(), ops=(),
        events=(), blocks=tuple(blocks), networks=(Network("model", "llama", count, count),), files=(saved,),
    )  # fmt: skip


@pytest.mark.parametrize("of_word", [2, 4, 8])
def test_the_states_of_words_may_be_of_another_precision(of_word):
    made = [tape(*shape, of_word) for shape in SHAPES]
    counts = counts_of(made)
    assert counts.all == (0, 0, 0, Fraction(1, 2), 0, Fraction(1, 2))
    other = tape(32768, 2048, 8, of_word)
    held = held_by((block.kind, block.owner, block.size.const, 1) for block in other.blocks)
    (sized,) = counts.sized(other.files, held)
    assert sized.size == pytest.approx(other.files[0].size, rel=0.01)


def test_a_file_that_follows_from_no_weights_is_refused():
    broken = [tape(*shape, 3 + number) for number, shape in enumerate(SHAPES)]
    with pytest.raises(NotRepeatedError, match="how large a file is"):
        counts_of(broken)
