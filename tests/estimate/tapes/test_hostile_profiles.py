# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Profiles that are damaged or made to harm: a clear refusal, or a tape with which everything works."""

from __future__ import annotations

import lzma
import os
import tracemalloc

import pytest

from tests.estimate.mutants import VALUES, corrupted, forged, opened, seal
from tests.estimate.toy_tapes import stored, two_steps
from trainlint.estimate.explain.allocator_history import histories
from trainlint.estimate.explain.breakdown import breakdown
from trainlint.estimate.replay.course import has_validation
from trainlint.estimate.replay.footprint import footprint
from trainlint.estimate.replay.gpu_ledger import OpenTapeError, Samples, check_closed, ledger
from trainlint.estimate.replay.workspace import libraries
from trainlint.estimate.tapes.stored_profiles import MOST_PROFILE_BYTES, Store, shipped_folder
from trainlint.estimate.tensors.tensor_kind import kinds
from trainlint.report.memory.allocator_snapshot import snapshot
from trainlint.report.memory.moment_text import moment_words, tensor_words
from trainlint.tape.crops.crop_file import decode_crops, encode_crops
from trainlint.tape.crops.crop_side import NotPolynomialError, family_key
from trainlint.tape.crops.crop_tapes import merged
from trainlint.tape.encoding import MOST_BODY_BYTES, decode, encode
from trainlint.tape.profile_header import StaleError
from trainlint.tape.profile_inspection import check_events

from .test_crops import STEP as CROPS_STEP
from .test_crops import tape as tape_at

SHIPPED = min(shipped_folder().glob("*.tape"), key=lambda path: path.stat().st_size).read_bytes()
MADE = encode(stored(two_steps(layers=3)).tape())
SIZES = [lambda side: side * side, lambda side: 8 * side]
CROPS = encode_crops(
    merged(
        {side: tape_at(side, [lambda side: side * side, lambda side: 8 * side]) for side in (16, 96, 176)}, 8
    ),
    family_key(CROPS_STEP, 8),
)


def used(tape):
    """Do with a tape what the commands do."""
    check_closed(tape)
    for device in range(tape.devices):
        for validation in (False, True) if has_validation(tape) else (False,):
            book = ledger(tape, device, validation=validation)
            samples = Samples(tape.batches[0] if tape.batches else 3, 6, 9)
            footprint(book, samples, libraries(8.6, benchmark=True))
            kinds(book).parts(samples, book.peak(samples))
            found = breakdown(book, samples)
            moment_words(found.moment)
            for tensor in found.largest:
                tensor_words(tensor)
    snapshot(histories(tape, Samples(2, 2, 2)))


def outcome(read, data):
    """Return why a profile is refused; None where it is used, and nothing of it broke."""
    try:
        used(read(data))
    except StaleError as error:
        return str(error)
    except OpenTapeError:
        return "open"
    return None


def crops_of(data):
    found = decode_crops(data)[1]
    for side in (16, 32, 104):
        try:
            check_closed(found.at(side))
            used(found.at(side))
        except NotPolynomialError:
            continue
    return found.tape


@pytest.mark.parametrize("data", [MADE, SHIPPED, CROPS], ids=["made", "shipped", "crops"])
def test_nothing_is_believed_of_a_corrupted_file(data):
    read = crops_of if data is CROPS else decode
    assert outcome(read, data) is None
    for seed in range(400):
        spoiled = corrupted(data, seed)
        if spoiled != data:
            assert outcome(read, spoiled), seed


@pytest.mark.rest
@pytest.mark.parametrize("data", [MADE, CROPS], ids=["tape", "crops"])
def test_what_was_forged_and_sealed_again_is_refused_or_works(data):
    read = crops_of if data is CROPS else decode
    found = [outcome(read, forged(data, seed)) for seed in range(1500)]
    refused = [why for why in found if why]
    assert len(refused) > 900
    assert all(len(why) < 200 and why.isprintable() for why in refused)


LEGAL = {
    "batches": [[]], "devices": [1], "files": [{}, {"a": 1}], "key": [], "made_with": [{}], "networks": [[]],
    "notes": [[]], "step": [],
}  # fmt: skip
"""Of VALUES, what each field may hold."""


@pytest.mark.parametrize("name", LEGAL)
@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_every_field_of_the_header_has_its_type(name, value):
    header, body = opened(MADE)
    legal = any(type(value) is type(other) and value == other for other in LEGAL[name])
    assert (outcome(decode, seal({**header, name: value}, body)) is None) == legal


@pytest.mark.parametrize("name", LEGAL)
def test_no_field_of_the_header_may_be_missing(name):
    header, body = opened(MADE)
    del header[name]
    assert outcome(decode, seal(header, body))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda b: b["sizes"]["const"].__setitem__(0, -(2**40)), "a size is below 0"),
        (lambda b: b["sizes"]["batch"].__setitem__(0, -5), "a size is below 0"),
        (lambda b: b["sizes"]["const"].__setitem__(0, 2**61), "out of bounds"),
        (lambda b: b["sizes"]["const"].__setitem__(0, 1.0), "not a list of whole numbers"),
        (lambda b: b["sizes"]["const"].pop(), "ValueError"),
        (lambda b: b["blocks"]["device"].__setitem__(0, 1), "out of bounds"),
        (lambda b: b["blocks"]["device"].__setitem__(0, -1), "out of bounds"),
        (lambda b: b["blocks"]["owner"].__setitem__(0, 10**6), "out of bounds"),
        (lambda b: b["words"].__setitem__(0, "secrets"), "of an unknown kind"),
        (lambda b: b["births"].append(0), "more or fewer events"),
        (lambda b: b["births"].__setitem__(0, 10**6), "out of bounds"),
        (lambda b: b["ranks"].__setitem__(0, 0), "out of bounds"),
        (lambda b: b["ranks"].__setitem__(0, 9), "dies that was not alive"),
        (lambda b: b["allocs"].extend([0] * len(b["births"][1:]) + [-1]), "not born just once"),
        (lambda b: b["work"].__setitem__(0, 10**6), "out of bounds"),
        (lambda b: b.__setitem__("order", b["order"].replace("A", "X", 1)), "order of its events"),
        (lambda b: b.__setitem__("order", "F" + b["order"].replace("F", "", 1)), "dies that was not alive"),
        (lambda b: b.__setitem__("order", "A" * 2**21), "order of its events"),
        (lambda b: b["marks"].__setitem__(1, "step 2"), "no two steps"),
    ],
)
def test_every_index_count_and_life_is_checked(change, reason):
    header, body = opened(MADE)
    change(body)
    assert reason in str(outcome(decode, seal(header, body)))


@pytest.mark.parametrize(
    "key",
    [
        "forward k0x0 1o 1x1x1 s0 p0 d1 g1",
        "forward k1x1 1o 1x1x1 s1 p0 d1 g0",
        "",
        "k",
        "forward k3x3 64o 3x8 s1 p1 d1 g1",
    ],
)
def test_the_key_of_a_convolution_is_one(key):
    header, body = opened(MADE)
    body["words"] = [key if word.startswith("forward k") else word for word in body["words"]]
    assert outcome(decode, seal(header, body)) == "it is damaged (an operator's key is invalid)"


@pytest.mark.parametrize(
    "filling",
    [
        *(pytest.param(filling, marks=pytest.mark.slow) for filling in (b"0", b"[],", b"1,")),
        *(pytest.param(filling, marks=pytest.mark.rest) for filling in (b"[", b'{"a":')),
    ],
)
def test_a_bomb_is_not_unpacked(filling):
    line, _, _ = MADE.partition(b"\n")
    packed = lzma.compress(filling * (2**28 // len(filling)), preset=0)
    assert len(packed) < MOST_PROFILE_BYTES
    tracemalloc.start()
    refused = outcome(decode, line + b"\n" + packed)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert refused == "it is damaged (cut short, or longer than a tape is)"
    assert most < 4 * MOST_BODY_BYTES


@pytest.mark.parametrize(("name", "number"), [("ranks", 50_000), ("allocs", -50_000)])
def test_an_order_that_would_take_seconds_to_follow_is_refused(name, number):
    body = {"order": "", "marks": [], "moments": [], "work": [], "ranks": [], "allocs": []}
    with pytest.raises(StaleError, match="an order that no step has"):
        check_events(body | {name: [number] * 50_000}, births=50_000, ops=0)


def test_as_many_tables_as_a_file_may_hold_are_refused_before_they_are_made():
    line, _, _ = MADE.partition(b"\n")
    body = b'{"a":[' + b"[]," * (MOST_BODY_BYTES // 4) + b"[]]}"
    assert (
        outcome(decode, line + b"\n" + lzma.compress(body, preset=0))
        == "it is damaged (it has more tables than a tape has)"
    )


def test_a_dictionary_beyond_what_lzma_needs_is_not_given_room():
    line, _, _ = MADE.partition(b"\n")
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 2**28}]
    packed = lzma.compress(b"{}", format=lzma.FORMAT_XZ, filters=filters)
    assert outcome(decode, line + b"\n" + packed) == "it is damaged (not packed by lzma)"


def test_only_a_regular_file_of_some_size_is_read(tmp_path):
    tape = decode(MADE)
    store = Store(tmp_path)
    path = store.save(tape)
    assert store.find(tape.key, 2) == tape
    whole = path.read_bytes()
    spoilers = {
        "it is not a regular file": [
            lambda: os.mkfifo(path),
            lambda: path.symlink_to("/dev/zero"),
            path.mkdir,
        ],
        f"it is larger than {MOST_PROFILE_BYTES:,} bytes": [
            lambda: path.write_bytes(whole + bytes(MOST_PROFILE_BYTES))
        ],
    }
    for why, makers in spoilers.items():
        for make in makers:
            path.rmdir() if path.is_dir() else path.unlink()
            make()
            assert store.find(tape.key, 2) is None
            assert store.refused == {path: why}


def test_a_step_that_does_not_close_is_refused(tmp_path):
    writer = stored(two_steps())
    writer.alloc(0, 2**20)
    tape = writer.tape()
    store = Store(tmp_path)
    path = store.save(tape)
    assert store.find(tape.key, 2) is None
    assert store.refused == {path: "it is damaged (its memory grows with every step)"}
