# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The torch-free reading of a network's arguments."""

from __future__ import annotations

import subprocess
import sys

import pytest

from trainlint.catalogue.signature import locate, signature
from trainlint.catalogue.zoo import builders
from trainlint.catalogue.zoo.packages import NETWORKS, files
from trainlint.errors import UsageError

SOURCE = '''
"""A made-up network."""
import no_such_module
from typing import Literal
BUILDERS = {"Made": "Made", "kair:made": "build", "Child": "Child", "Ghost": "Gone",
            "Small": ("Made", {"channels": 3, "width": 8}, ["act", "weird"])}
WIDTH = 48
class Made(no_such_module.Module):
    def __init__(self, channels: Positive, width: Positive = WIDTH, scale: Literal[2, 4] = 4,
                 ratio: float = 2, depths: list[int] = (6, 6), act: str | None = None,
                 fast: bool = False, weird=object()):
        pass
class Child(Made):
    def forward(self): pass
def build(scale: int, **kwargs): pass
'''


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "made.py").write_text(SOURCE)
    return tmp_path


def test_reads_names_defaults_and_requirement_without_importing(folder):
    made = signature("basicsr", "Made", [folder])
    assert list(made.params) == ["channels", "width", "scale", "ratio", "depths", "act", "fast", "weird"]
    assert made.params["channels"].required
    assert made.defaults == {
        "width": 48, "scale": 4, "ratio": 2, "depths": (6, 6), "act": None, "fast": False,
    }  # fmt: skip
    assert not made.params["weird"].readable
    assert not made.open


def test_a_preset_has_its_own_defaults_and_lacks_arguments(folder):
    small = signature("basicsr", "Small", [folder])
    assert list(small.params) == ["channels", "width", "scale", "ratio", "depths", "fast"]
    assert not small.params["channels"].required
    assert (small.defaults["channels"], small.defaults["width"], small.defaults["scale"]) == (3, 8, 4)
    assert small.problems({"width": 16}) == []
    assert small.problems({"act": "relu"}) == [("act", 'Small takes no argument "act"')]
    assert small.problems({"width": -1}) == [("width", "width must be a positive integer, is -1")]
    assert signature("basicsr", "Made", [folder]).params["channels"].required


def test_good_arguments_have_no_problem(folder):
    args = {"channels": 3, "scale": 2, "ratio": 1.5, "depths": [1, 2], "act": "relu", "fast": 1, "weird": "x"}
    assert signature("basicsr", "Made", [folder]).problems(args) == []


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        ({"channels": -1}, ("channels", "channels must be a positive integer, is -1")),
        ({"channels": "64"}, ("channels", 'channels must be a positive integer, is "64"')),
        ({"channels": 64.0}, ("channels", "channels must be a positive integer, is 64.0")),
        ({"channels": True}, ("channels", "channels must be a positive integer, is true")),
        ({"channels": 3, "scale": 3}, ("scale", "scale must be 2 or 4, is 3")),
        ({"channels": 3, "ratio": "2"}, ("ratio", 'ratio must be a number, is "2"')),
        ({"channels": 3, "depths": [6, "6"]}, ("depths", 'depths must be a list of integers, is [6, "6"]')),
        ({"channels": 3, "act": 5}, ("act", "act must be a string or null, is 5")),
        ({"channels": 3, "fast": "False"}, ("fast", 'fast must be true or false, is "False"')),
        ({"channels": 3, "widht": 4}, ("widht", 'Made takes no argument "widht"; did you mean "width"?')),
        ({"channels": 3, "foo": 4}, ("foo", 'Made takes no argument "foo"')),
        ({}, ("channels", 'Made needs the argument "channels" (a positive integer)')),
    ],
)
def test_each_mistake_is_named(folder, args, problem):
    assert signature("basicsr", "Made", [folder]).problems(args) == [problem]


def test_a_dialects_own_spelling_is_found_and_kwargs_take_anything(folder):
    made = signature("kair", "made", [folder])
    assert made.open
    assert made.problems({"scale": 2, "anything": object()}) == []
    assert signature("basicsr", "made", [folder]) is None


def test_an_inherited_constructor_is_read(folder):
    assert signature("basicsr", "Child", [folder / "made.py"]).params["channels"].required


def test_unknown_and_broken_files(folder):
    assert signature("basicsr", "NobodyKnowsNet") is None
    with pytest.raises(UsageError, match='names "Gone"'):
        signature("basicsr", "Ghost", [folder])
    (folder / "broken.py").write_text('"Broken" = (')
    with pytest.raises(UsageError, match=r"broken\.py"):
        signature("basicsr", "Broken", [folder / "broken.py"])


def test_torch_is_never_imported():
    code = "import sys; from trainlint.catalogue import signature as s; s.signature('basicsr', 'RRDBNet')"
    code += "; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_shipped_networks_are_all_readable():
    for file in files(NETWORKS):
        for name in builders.constants(file).get("BUILDERS", {}):
            dialect, _, arch = name.rpartition(":")
            assert locate(dialect or "basicsr", arch) is not None
            assert signature(dialect or "basicsr", arch) is not None
