# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Data that nobody looked at: said once for each job, and gone with --data."""

from __future__ import annotations

import struct

import pytest

from .conftest import CONFIG

BARE = CONFIG.replace("    dataroot_gt: photos/hr\n    dataroot_lq: photos/lr\n", "")


def png(side: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", side, side) + b"\x08\x02\0\0\0"


def said(trainlint, *arguments: str) -> list[str]:
    (result,) = trainlint.json("a.yml", "--no-trace", *arguments)["results"]
    return [skip["reason"] for skip in result["skipped"] if skip["rule"] == "data"]


@pytest.fixture
def pairs(trainlint):
    for folder, side in (("hr", 256), ("lr", 64)):
        path = trainlint.folder / "photos" / folder / "1.png"
        path.parent.mkdir(parents=True)
        path.write_bytes(png(side))
    return trainlint.write("a.yml", CONFIG)


@pytest.mark.usefixtures("pairs")
def test_data_that_was_not_looked_at_is_said_once(trainlint) -> None:
    assert said(trainlint) == ["not looked at; --data FOLDER reads the headers of what lies below it"]
    (trainlint.folder / "elsewhere").mkdir()
    (found,) = said(trainlint, "--data", "elsewhere")
    assert found.startswith(
        'none of the images and weights that it names was found below "elsewhere"; a folder'
    )
    assert said(trainlint, "--data", ".") == []


@pytest.mark.usefixtures("pairs")
def test_several_jobs_share_one_line(trainlint) -> None:
    for name in ("a.yml", "b.yml"):
        trainlint.write(name, CONFIG.replace("gt_size: 128", "gt_size: 126"))
    printed = trainlint("a.yml", "b.yml", "--no-trace").stdout
    assert printed.count("not looked at") == 1
    assert "not judged in 2 jobs: data: not looked at;" in printed


def test_a_job_that_names_no_data_has_nothing_to_look_at(trainlint) -> None:
    trainlint.write("a.yml", BARE)
    assert said(trainlint) == []
