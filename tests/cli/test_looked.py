# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Data that nobody looked at: said once for each job, and gone with --data."""

from __future__ import annotations

import json
import struct

import pytest
from click.testing import CliRunner

from trainlint.cli.main import main

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
    assert found == 'none of the images and weights that it names was found below "elsewhere"'
    assert said(trainlint, "--data", ".") == []


@pytest.mark.usefixtures("pairs")
@pytest.mark.parametrize("options", [(), ("--dataset-size", "1000")])
def test_the_samples_that_are_counted_fill_no_batch(trainlint, options) -> None:
    """One picture; what the user says of the data set's size is held against nothing."""
    (result,) = trainlint.json("a.yml", "--no-trace", "--data", ".", *options)["results"]
    found = [one["message"] for one in result["findings"] if one["rule"] == "loader-freeze"]
    assert [message.partition(" do not")[0] for message in found] == (
        [] if options else ["1 training images"]
    )


@pytest.mark.usefixtures("pairs")
def test_several_jobs_share_one_line(trainlint) -> None:
    for name in ("a.yml", "b.yml"):
        trainlint.write(name, CONFIG.replace("gt_size: 128", "gt_size: 126"))
    assert "not looked at" not in trainlint("a.yml", "b.yml", "--no-trace").stdout  # not on every run
    printed = trainlint("a.yml", "b.yml", "--no-trace", "-v").stdout
    assert printed.count("not looked at") == 1
    assert "not judged in 2 jobs: data: not looked at;" in printed


def test_a_job_that_names_no_data_has_nothing_to_look_at(trainlint) -> None:
    trainlint.write("a.yml", BARE)
    assert said(trainlint) == []


@pytest.fixture
def eight(trainlint, pairs, monkeypatch):
    """Say, in this process, what is not known of a folder of eight pictures."""
    for number in range(2, 9):
        (trainlint.folder / "photos" / "hr" / f"{number}.png").write_bytes(png(256))
    monkeypatch.chdir(trainlint.folder)

    def found() -> list[str]:
        words = (pairs.name, "--no-trace", "--format", "json", "--data", ".")
        printed = CliRunner().invoke(main, words, catch_exceptions=False)
        (result,) = json.loads(printed.output)["results"]
        return [skip["reason"] for skip in result["skipped"] if skip["rule"] == "data"]

    return found


def test_a_folder_of_more_files_than_are_listed_is_named(eight, monkeypatch) -> None:
    assert eight() == []
    monkeypatch.setattr("trainlint.data_headers.folder_listing.MOST_FILES", 7)
    assert eight() == ['not looked at: "photos/hr" has more than 7 files']


def test_a_folder_that_takes_too_long_is_left_and_said_so(eight, monkeypatch) -> None:
    """As over a slow network: two seconds pass with each name."""
    clock = iter(range(0, 1000, 2))
    monkeypatch.setattr("trainlint.data_headers.folder_listing.monotonic", lambda: next(clock))
    (reason,) = eight()
    assert reason == (
        'not looked at: "photos/hr": counted 2 files in 5 s and stopped, so what is in it is not known'
    )
