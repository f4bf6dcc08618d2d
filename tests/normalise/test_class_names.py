# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which names are slips of a registered class's name, and which are a fork's own."""

from __future__ import annotations

import pytest

from trainlint.job import Doubt
from trainlint.normalise.class_names import slip_of_name

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
