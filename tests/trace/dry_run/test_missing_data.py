# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""An error that comes of data that is not there says so, and no other one does."""

from __future__ import annotations

import sys
import traceback

import pytest

from trainlint.trace.dry_run.samples.missing_data import MissingData

PROGRAM = """\
class Images:
    def __init__(self, folder):
        self.files = look("{event}", {arguments})
        print('images')
        print('of', folder)
        print('before')
        print('training')
        print('begins')
        {last}

def main():
    checkpoints = look("os.listdir", ("checkpoints",))
    images = Images("data/mine")

main()
"""


def missing(tmp_path, last, event="glob.glob", arguments="('data/mine/**/*.png', True)"):
    """Return what is said to be missing where a program ends in an error."""
    file, data = tmp_path / "train.py", MissingData()
    file.write_text(PROGRAM.format(event=event, arguments=arguments, last=last), "utf-8")

    def look(event, arguments):
        data.look(event, arguments)
        return []

    try:
        exec(compile(file.read_text("utf-8"), file, "exec"), {"__name__": "train", "look": look})  # noqa: S102 - our own text
    except Exception as error:  # noqa: BLE001 - whatever it is
        return data.of(error, traceback.extract_tb(error.__traceback__))
    raise AssertionError("the program ended well")


@pytest.mark.parametrize(
    ("last", "said"),
    [
        ("assert len(self.files) > 0, 'no images'", "data/mine"),
        ("self.first = self.files[0]", "data/mine"),
        ("raise ValueError('got num_samples=0')", "data/mine"),
        ("raise ValueError('scale 3 is none of 2, 4')", ""),
        ("self.first = self.filess", ""),
        ("raise KeyError('no data/mine')", ""),
        ("raise ValueError('data/other does not exist')", "data/other"),
        ("raise ValueError('https://data/other does not exist')", "data/mine"),
    ],
)
def test_what_is_not_there_is_said_of_errors_that_may_come_of_it(tmp_path, monkeypatch, last, said):
    monkeypatch.chdir(tmp_path)
    assert missing(tmp_path, last) == said


@pytest.mark.parametrize(
    ("event", "arguments", "said"),
    [
        ("os.scandir", "('data/mine',)", "data/mine"),
        ("pathlib.Path.glob", "(__import__('pathlib').Path('data'), 'mine/*.png')", "data/mine"),
        ("os.scandir", "('there',)", ""),
        ("os.scandir", f"({sys.prefix + '/none'!r},)", ""),
        ("open", "('data/mine', 'r', 0)", ""),
    ],
)
def test_a_folder_is_looked_for_by_any_of_pythons_ways(tmp_path, monkeypatch, event, arguments, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()
    assert missing(tmp_path, "assert len(self.files) > 0", event, arguments) == said
