# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a tape says of itself, held against its step."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from trainlint.estimate.tapes.stored_profiles import Store, shipped_store
from trainlint.shipped.resource_paths import PACKAGE
from trainlint.tape.claims import contradiction
from trainlint.tape.encoding import decode
from trainlint.tape.tape import Size, Tape

SHIPPED = sorted((PACKAGE / "profiles").glob("*.tape"))


@pytest.mark.parametrize("path", SHIPPED[::45], ids=lambda path: path.stem)
def test_shipped_tapes_say_nothing_that_they_are_not(path: Path) -> None:
    assert contradiction(decode(path.read_bytes(), checked=True)) is None


def tape() -> Tape:
    return decode(SHIPPED[0].read_bytes(), checked=True)


def test_a_tape_without_a_batch_axis_is_made_up() -> None:
    real = tape()
    flat = [block._replace(size=Size(block.size.at(1, 1, 1))) for block in real.blocks]
    assert "no input on it holds a sample" in (contradiction(replace(real, blocks=flat)) or "")


def test_a_tape_of_fewer_parameters_is_made_up() -> None:
    real = tape()
    small = [
        block._replace(size=Size(block.size.const // 100)) if block.kind == "parameters" else block
        for block in real.blocks
    ]
    assert "the parameters of its generator take" in (contradiction(replace(real, blocks=small)) or "")


def test_other_crops_of_a_project_are_held_against_their_own_steps(tmp_path: Path) -> None:
    path = min((PACKAGE / "profiles").glob("*.sides"), key=lambda path: path.stat().st_size)
    key = json.loads(path.read_bytes().partition(b"\n")[0])["key"]
    real = shipped_store().find_crops(key, 7)
    assert real is not None
    store = Store(tmp_path)
    stored = store.save_crops(real, key)
    assert store.find_crops(key, 7) is not None
    small = [
        (*row[:-1], row[-1]._replace(size=Size(row[-1].size.const // 100)))
        if row[-1].kind == "parameters"
        else row
        for row in real.blocks
    ]
    assert small != list(real.blocks)
    store.save_crops(replace(real, blocks=small), key)
    assert store.find_crops(key, 7) is None
    assert "the parameters of its generator take" in store.refused[stored]
