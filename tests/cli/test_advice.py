# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What --fix writes was shown, shortens nothing, and leaves documentation alone."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from trainlint.cli.documentation import is_documentation
from trainlint.model.document import Span
from trainlint.model.finding import Edit
from trainlint.report.change_lines import changed_lines

EXAMPLES = Path(__file__).parents[2] / "examples"
LINT = ("-t", "kaggle-t4x2", "--no-trace", "--format", "json")


def lines(text: str, key: str) -> list[str]:
    return [line for line in text.splitlines() if key in line]


def test_every_edit_that_is_written_was_listed_is_said_and_is_in_json(trainlint) -> None:
    text = (EXAMPLES / "realesrgan_x4.yml").read_text(encoding="utf-8")
    config = trainlint.write("a.yml", text)
    listed = json.loads(trainlint("a.yml", *LINT).stdout)["results"]
    offered = {fix["summary"] for one in listed for found in one["findings"] for fix in found["fixes"]}
    done = trainlint("a.yml", *LINT, "--fix", "--unsafe-fixes")
    written = json.loads(done.stdout)["fixes"]
    after = config.read_text(encoding="utf-8")
    changed = [
        (old, new) for old, new in zip(text.splitlines(), after.splitlines(), strict=True) if old != new
    ]
    assert changed
    assert {fix["summary"] for fix in written} <= offered
    assert len(changed) == sum(len(fix["edits"]) for fix in written)
    said = done.stderr
    for fix in written:
        assert f"fixed a.yml:{fix['edits'][0]['line']}: {fix['summary']}" in said
    for key in ("total_iter", "milestones"):
        assert lines(after, key) == lines(text, key)
    assert re.search(r"[\d,]+ of 2,400,000 samples fewer", said)


def test_a_second_look_says_which_keys_changed_and_how_many_samples_fewer_are_seen(trainlint) -> None:
    text = (EXAMPLES / "realesrgan_x4.yml").read_text(encoding="utf-8")
    trainlint.write("a.yml", text)
    trainlint.write("b.yml", text.replace("batch_size_per_gpu: 12", "batch_size_per_gpu: 6"))
    shown = trainlint("diff", "a.yml", "b.yml", "-t", "kaggle-t4x2", "--no-trace").stdout
    assert "changed datasets.train.batch_size_per_gpu: 12 -> 6" in shown
    assert "learns  1,200,000 of 2,400,000 samples fewer" in shown


def test_where_a_session_is_too_short_saving_more_often_is_advised(trainlint) -> None:
    """It takes 6 sessions instead of 10 then, and what is learned stays as it is."""
    trainlint.write("a.yml", (EXAMPLES / "realesrnet_x2.yml").read_text(encoding="utf-8"))
    (result,) = json.loads(trainlint("a.yml", *LINT).stdout)["results"]
    advice = result["recommended"]
    assert [(edit["old"], edit["new"]) for edit in advice["edits"]] == [("!!float 2e4", "!!float 5000")]
    assert (result["facts"]["time"]["sessions"][1], advice["after"]["sessions"][1]) == (10, 6)
    assert not advice["changes_training"]


def test_a_job_has_one_recommended_edit_with_what_follows_from_it(trainlint) -> None:
    trainlint.write("a.yml", (EXAMPLES / "realesrgan_x4.yml").read_text(encoding="utf-8"))
    results = json.loads(trainlint("a.yml", *LINT).stdout)["results"]
    assert len({one["recommended"]["summary"] for one in results}) == 1
    advice = results[0]["recommended"]
    assert (advice["edits"][0]["line"], advice["edits"][0]["new"]) == (64, "6")
    assert advice["also_fixes"] == ["queue-not-divisible"]
    assert advice["after"]["sessions"][1] == 10
    assert max(advice["after"]["memory"]) < 14.56 * 2**30
    shown = trainlint("a.yml", "-t", "kaggle-t4x2", "--no-trace").stdout
    assert advice["summary"] in next(line for line in shown.splitlines() if line.startswith("first:"))


def test_an_edit_is_shown_where_it_is_in_a_long_line() -> None:
    text = "x" * 500 + " batch=8 " + "y" * 500
    at = text.index("8")
    lines = [line for _, _, line in changed_lines(text, (Edit(Span(at, at + 1), "3"),), 60)]
    assert [("batch=8" in line, "batch=3" in line, len(line) <= 60) for line in lines] == [
        (True, False, True),
        (False, True, True),
    ]


def test_documentation_is_edited_only_where_its_file_is_named(trainlint, config) -> None:
    wrong = config.replace("use_hflip: true", "use_hflipp: true")
    page = f"# How to train\n\n```yaml\n{wrong}```\n"
    paths = [trainlint.write(name, page) for name in ("README.md", "guide.md")]
    paths.append(trainlint.write("docs/a.yml", wrong))
    own = trainlint.write("own.yml", wrong)
    trainlint(".", "--fix", "--unsafe-fixes", "--no-trace")
    assert "use_hflip: true" in own.read_text(encoding="utf-8")
    assert all("use_hflipp: true" in path.read_text(encoding="utf-8") for path in paths)
    trainlint("docs/a.yml", "guide.md", "--fix", "--unsafe-fixes", "--no-trace")
    assert ["use_hflipp" in path.read_text(encoding="utf-8") for path in paths] == [True, False, False]


@pytest.mark.parametrize(
    ("path", "named", "is_one"),
    [
        ("docs/a.yml", (), True),
        ("Docs/deep/a.sh", (), True),
        ("a/guide.md", (), True),
        ("README.txt", (), True),
        ("configs/train.yml", (), False),
        ("documents/train.yml", (), False),
        ("train_docs.yml", (), False),
        ("/home/me/docs/project/train.yml", ("/home/me/docs/project",), False),
        ("/home/me/docs/project/docs/train.yml", ("/home/me/docs/project",), True),
        ("docs/train.yml", ("docs",), True),
    ],
)
def test_what_is_documentation(path, named, is_one) -> None:
    assert is_documentation(path, named) is is_one
