# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a tape was traced from: a digest that prose leaves alone and code changes, and libraries' versions."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from tests.estimate.toy_tapes import ARCH, stored, two_steps
from trainlint.estimate.replay.gpu_ledger import check_closed
from trainlint.estimate.tapes.stored_profiles import KEY_DIGITS, Store, shipped_folder
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.tape import EVERY_BATCH, provenance
from trainlint.tape.crops.sides_file import decode_sides
from trainlint.tape.encoding import decode
from trainlint.tape.provenance import digest, made_with, outdated
from trainlint.tape.step import built, key_of

STEP = built({"recipe": "basicsr.SRModel", "dialect": "basicsr", "networks.generator.arch": ARCH})
OLD = {"torch": "0", "sources": "0" * 16}


def tape_of(step=STEP, **more):
    made = {"key": key_of(step), "step": step, "made_with": made_with(step, torch="0")}
    return stored(two_steps()).tape(**(made | more))


@pytest.fixture
def sources(monkeypatch, tmp_path):
    """A tracer of three files; returns what writes one of them."""
    folder = tmp_path / "trainlint" / "trace"
    folder.mkdir(parents=True)

    def write(name, text):
        (folder / name).write_text(text)
        for cached in (provenance._read, provenance._digest):
            cached.cache_clear()

    write(
        "trace.py", "from trainlint.trace.stage import (\n    Stage,\n)\nfrom trainlint.trace import merge\n"
    )
    write("stage.py", '"""Holds."""\n\n# why\nx = 1\n')
    write("merge.py", "y = 1\n")
    write("alone.py", "z = 1\n")
    monkeypatch.setattr(provenance, "IMPORT_ROOT", tmp_path)
    monkeypatch.setattr(provenance, "_kept", dict)  # else what is said of these is kept for later runs
    yield write
    for cached in (provenance._read, provenance._digest):
        cached.cache_clear()


def test_the_digest_is_of_what_the_tracer_imports_and_not_of_prose(sources):
    before = digest({})
    sources("stage.py", '"""Keeps\nwhat is.\n"""\nx = 1\n# because\n')
    sources("alone.py", "z = 2\n")
    assert digest({}) == before
    sources("merge.py", "y = 2\n")
    changed = digest({})
    assert changed != before
    sources("stage.py", "x = 2\n")
    assert digest({}) not in (before, changed)


def test_the_digest_is_of_the_steps_own_recipe_and_networks():
    digests = {
        digest(STEP),
        digest(STEP | {"networks.generator.arch": "EDSR"}),
        digest(STEP | {"recipe": "basicsr.SRGANModel"}),
        digest(STEP | {"networks.discriminator.arch": "VGGStyleDiscriminator"}),
    }
    assert len(digests) == 4


class Heading(NamedTuple):
    """What the first line of a profile says of how it was traced."""

    step: dict[str, Any]
    made_with: dict[str, str]


def heading(path):
    header = json.loads(path.read_bytes().partition(b"\n")[0])
    return Heading(header["step"], header["made_with"])


@pytest.mark.rest
def test_every_shipped_profile_was_traced_from_these_sources():
    """`python -m bench profiles` traces again what is not, in a few minutes."""
    shipped = {path.name: heading(path) for path in shipped_folder().glob("*.tape")}
    assert len(shipped) > 1000
    assert [name for name, profile in shipped.items() if outdated(profile)] == []
    assert all({"torch", "trainlint", "sources"} <= profile.made_with.keys() for profile in shipped.values())


@pytest.mark.slow
def test_every_shipped_profile_is_as_one_of_somebody_else_has_to_be():
    """A wheel's are believed for it."""
    for number, path in enumerate(sorted(shipped_folder().glob("*.tape"))):
        tape = decode(path.read_bytes())
        check_closed(tape)
        assert path.name.startswith(tape.key[:KEY_DIGITS])
        assert heading(path) == (tape.step, tape.made_with)
        assert number % 16 or decode(path.read_bytes(), checked=True) == tape, path.name


@pytest.mark.rest
def test_every_shipped_file_of_crops_goes_with_its_tape_and_all_fit_into_a_small_wheel():
    """`python -m bench crops` writes what does not, where `bench profiles` traced tapes again."""
    folder = shipped_folder()
    digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.tape")}
    sides = sorted(folder.glob("*.sides"))
    for path in sides:
        header = json.loads(path.read_bytes().partition(b"\n")[0])
        assert digests[header["tape"]] == header["digest"], path.name
        assert path.name.startswith(header["key"][:KEY_DIGITS])
    store = Store(folder, "shipped")
    for path in sides[::32]:
        key, crops = decode_sides(path.read_bytes(), lambda name: (folder / name).read_bytes())
        assert store.find_crops(key, EVERY_BATCH, strict=True).sides == crops.sides
        check_closed(crops.at(crops.sides[0] + crops.period))
    for path in folder.glob("*.crops"):
        header = json.loads(path.read_bytes().partition(b"\n")[0])
        assert header["made_with"]["sources"] == digest(header["step"]), path.name
    assert store.refused == {}
    assert len(sides) > 80
    total = sum(path.stat().st_size for path in folder.iterdir())
    assert total < 28_000_000  # a wheel has 2 MB of other files, and is to stay under 30 MB (.ci/wheels)


def test_a_tape_of_another_timm_is_outdated_where_it_is_of_a_timm_network(monkeypatch):
    step = {"recipe": "timm.train", "dialect": "timm", "networks.generator.arch": "resnet50"}
    monkeypatch.setattr(provenance, "version", {"timm": "1.0.9"}.get)
    old, other = tape_of(step), tape_of()
    assert old.made_with["timm"] == "1.0.9"
    assert outdated(old) is None
    monkeypatch.setattr(provenance, "version", {"timm": "1.0.31"}.get)
    assert outdated(old) == "it was traced with timm 1.0.9, installed is 1.0.31"
    assert outdated(other) is None
    monkeypatch.setattr(provenance, "version", {}.get)
    assert outdated(old) is None


@pytest.mark.parametrize("kind", ["project", "cache", "shipped"])
def test_a_tape_of_other_sources_is_traced_again_where_torch_is_and_else_used(tmp_path, kind):
    store = Store(tmp_path, kind)
    path = store.save(tape_of(made_with=OLD))
    without = TapeSource([store], may_trace=False)
    assert without.tape(STEP, 2).source == kind
    said = f"it was traced from other sources than this trainlint's: {path}"
    used = f"stored profile used, as torch is not installed, though {said}"
    assert without.refused() == (used,)
    asked = []

    def trace(step, **options):
        asked.append(step)
        return tape_of(step)

    tapes = TapeSource([Store(tmp_path, kind)], trace=trace)
    assert tapes.tape(STEP, 2).source == "traced"
    assert asked == [STEP]
    assert tapes.refused() == (() if kind == "shipped" else (f"profile not used, {said}",))


def test_own_code_is_traced_as_it_is_written():
    asked = []

    def trace(step, **options):
        asked.append(step)
        return tape_of(step)

    step = {name: value for name, value in STEP.items() if not name.endswith(".args")}
    TapeSource(trace=trace, own_code=True).tape(step, 2)
    TapeSource(trace=trace).tape(step, 2)
    assert asked == [step, STEP]


def test_where_a_tape_is_from_is_no_part_of_it(tmp_path):
    tape = tape_of()
    Store(tmp_path).save(replace(tape, source="shipped"))
    found = Store(tmp_path, "cache").find(tape.key, 2)
    assert found == tape
    assert (tape.source, found.source) == ("traced", "cache")
