# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which names are slips of a registered class's name, and which are a fork's own."""

from __future__ import annotations

import pytest

from trainlint.dialects.check.class_names import misspelt_name, slip_of_name
from trainlint.model.job import Doubt

KNOWN = ("RRDBNet", "SwinIR", "SRModel", "ESRModel", "PairedImageDataset", "RealESRGANModel")


def meant(name: str):
    problem = slip_of_name(name, KNOWN, ("type",), "class", "It")
    return problem and (problem.suggestion, problem.doubt)


@pytest.mark.parametrize(
    ("name", "other"),
    [("RRDBnet", "RRDBNet"), ("rrdb_net", "RRDBNet"), ("Paired_Image_Dataset", "PairedImageDataset")],
)
def test_another_case_is_sure(name, other):
    assert meant(name) == (other, Doubt.SPELLING)


@pytest.mark.parametrize(
    ("name", "other"), [("PairedImageDatset", "PairedImageDataset"), ("RealESRGAMModel", "RealESRGANModel")]
)
def test_one_wrong_letter_may_be_a_forks(name, other):
    assert meant(name) == (other, Doubt.CLASS)


@pytest.mark.parametrize(
    "name",
    ["SwinIR", "_SwinIR", "SwinIR2", "SwinIRHM", "EQSRModel", "IRModel", "SRModelRS", "PairedImageDataset2"],
)
def test_a_name_of_ones_own_is_no_slip(name):
    assert meant(name) is None


NETWORK = {"what": "network", "names": "#/$defs/networks", "built": True}


def told(dialects, trainer: str, name: str, **more: bool):
    dialect = next(one for one in dialects if one.id == trainer)
    return [
        (problem.suggestion, problem.doubt)
        for problem in misspelt_name(NETWORK | more, ("type",), name, dialect)
    ]


def test_every_trainers_own_networks_are_held_against_its_own_registry(dialects):
    assert told(dialects, "neosr", "realplksrr_s") == [("realplksr_s", Doubt.CLASS)]
    assert told(dialects, "neosr", "RealPLKSR") == [("realplksr", Doubt.SPELLING)]
    assert told(dialects, "trainner-redux", "RealPLKSR", folded=True) == []
    assert told(dialects, "trainner-redux", "real_plksr", folded=True) == [("realplksr", Doubt.SPELLING)]
    assert told(dialects, "kair", "swin_ir") == [("swinir", Doubt.SPELLING)]
    assert told(dialects, "kair", "dunet") == []


def test_what_is_built_for_a_trainer_is_known_though_only_a_fork_has_it(dialects):
    assert told(dialects, "trainner-redux", "paragonsr2_nanoo", folded=True) == []
    assert told(dialects, "trainner-redux", "paragonsr2_stream", folded=True) == []
    assert told(dialects, "trainner-redux", "paragonsr2_strem", folded=True) == [
        ("paragonsr2_stream", Doubt.CLASS)
    ]


def said(dialects, name: str) -> list[str]:
    dialect = next(one for one in dialects if one.id == "trainner-redux")
    note = NETWORK | {"others": True, "folded": True}
    return [problem.message for problem in misspelt_name(note, ("type",), name, dialect)]


def test_a_network_that_a_fork_is_known_to_have_is_near_no_other(dialects):
    """What is estimated is that network: a name like it would mislead."""
    own = 'traiNNer-redux itself has no network "{}", which a fork has'
    assert said(dialects, "paragonsr2_nano") == [own.format("paragonsr2_nano")]
    assert said(dialects, "ParagonSR2_Nano") == [own.format("ParagonSR2_Nano")]
    (message,) = said(dialects, "paragonsr2_nan")
    assert message == 'traiNNer-redux knows no network "paragonsr2_nan"; "paragonsr2_nano" is near'


ANY = {"what": "loss", "names": "#/$defs/losses", "others": True}


@pytest.mark.parametrize(
    ("name", "other"), [("L1Los", "L1Loss"), ("L2Loss", "L1Loss"), ("CharbonierLoss", "CharbonnierLoss")]
)
def test_one_letter_gets_the_known_name_wherever_it_is(dialects, name, other):
    (dialect,) = (dialect for dialect in dialects if dialect.id == "basicsr")
    (problem,) = misspelt_name(ANY, ("type",), name, dialect)
    assert (problem.suggestion, problem.doubt) == (other, Doubt.CLASS)
    assert f'did you mean "{other}"?' in problem.message


def test_a_name_like_none_has_no_suggestion(dialects):
    (dialect,) = (dialect for dialect in dialects if dialect.id == "basicsr")
    (problem,) = misspelt_name(ANY, ("type",), "FocalFrequency", dialect)
    assert problem.suggestion is None
    assert problem.message == 'BasicSR knows no loss "FocalFrequency"'


@pytest.mark.parametrize(
    ("flag", "value", "right"),
    [
        ("model", "resnet5O", "resnet50"),
        ("model", "vit_base_patch16_244.augreg_in1k", "vit_base_patch16_224.augreg_in1k"),
        ("opt", "adawm", None),
        ("opt", "lookahead_radm", "lookahead_radam"),
        ("sched", "cosin", "cosine"),
        ("aa", "rnad-m9-mstd0.5", "rand-m9-mstd0.5"),
    ],
)
def test_names_of_timm_are_known(dialects, flag, value, right):
    (dialect,) = (dialect for dialect in dialects if dialect.id == "timm")
    (problem,) = misspelt_name(dialect.schema["properties"][flag]["x-names"], (flag,), value, dialect)
    assert problem.doubt is Doubt.CLASS
    assert problem.suggestion == right
    assert ("close names are" in problem.message) is (right is None)


@pytest.mark.parametrize(
    ("flag", "value"),
    [
        ("model", "resnet50.a1_in1k"),
        ("model", "hf-hub:timm/resnet5O"),
        ("opt", "lookahead_adamw"),
        ("opt", "AdamW"),
        ("sched", "cosine"),
        ("aa", "augmix-m5"),
        ("aa", "3a"),
    ],
)
def test_what_timm_takes_is_no_slip(dialects, flag, value):
    (dialect,) = (dialect for dialect in dialects if dialect.id == "timm")
    assert [*misspelt_name(dialect.schema["properties"][flag]["x-names"], (flag,), value, dialect)] == []
