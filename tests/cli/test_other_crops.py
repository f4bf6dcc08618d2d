# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Crops at which nothing is stored, answered without torch from the shipped ones around them."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

REAL = (Path(__file__).parents[2] / "examples" / "realesrgan_x4.yml").read_text(encoding="utf-8")


def memory(trainlint, side):
    """Return the result for a crop, where torch does not import."""
    trainlint.write("path/torch/__init__.py", "raise ImportError('no torch')\n")
    trainlint.env["PYTHONPATH"] = os.pathsep.join([str(trainlint.folder / "path"), *sys.path[1:]])
    trainlint.write("a.yml", REAL.replace("gt_size: 256", f"gt_size: {side}"))
    done = trainlint("a.yml", "-t", "rtx-4090", "--format", "json")
    (result,) = json.loads(done.stdout)["results"]
    return result


def test_a_larger_crop_takes_more_at_every_step_of_the_way(trainlint):
    results = [memory(trainlint, side) for side in (160, 256, 320)]
    found = [result["facts"]["memory"]["gpus"][0]["least"] for result in results]
    assert found == sorted(set(found))
    assert {result["verdicts"]["memory"] for result in results} <= {"pass", "warn", "fail"}


@pytest.mark.parametrize("side", [200, 1024])
def test_a_crop_that_is_not_between_is_not_judged(trainlint, side):
    result = memory(trainlint, side)
    assert result["verdicts"]["memory"] == "not-judged"
    assert "cannot be imported: ImportError: no torch" in result["facts"]["missing"]["memory"]


def test_the_largest_crop_needs_no_torch_either(trainlint):
    memory(trainlint, 256)
    done = trainlint("fit", "a.yml", "--solve", "crop", "-t", "rtx-4090", "-t", "t4", "--format", "json")
    large, small = json.loads(done.stdout)["jobs"][0]["targets"]
    assert large["value"] > small["value"] > 160
