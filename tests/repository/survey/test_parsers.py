# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A script's argparse parser, read and never run."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainlint.repository.survey.argparse_parsers import parser_of
from trainlint.repository.survey.python_files import Files


def read(folder: Path, text: str, **files: str):
    (folder / "train.py").write_text(text, "utf-8")
    for name, other in files.items():
        (folder / f"{name}.py").write_text(other, "utf-8")
    return parser_of(Files(str(folder)), "train.py")


ELSEWHERE = """\
import argparse

def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--boft_block_size", type=int)
    return parser.parse_args()
"""


def test_a_parser_that_only_another_module_has(tmp_path):
    script = "from arguments import parse_args\nargs = parse_args()\n"
    found = read(tmp_path, script, arguments=ELSEWHERE)
    assert [flag["dest"] for flag in found["flags"]] == ["boft_block_size"]
    assert not found["whole"]
    assert read(tmp_path, "import arguments\n", arguments=ELSEWHERE) is None


PLAIN = """\
import argparse
parser = argparse.ArgumentParser(description="trains")
group = parser.add_argument_group("data")
group.add_argument("-b", "--batch-size", type=int, default=8)
parser.add_argument("--arch", choices=["a", "b"], required=True)
parser.add_argument("--gpus", nargs="+", type=int)
parser.add_argument("data")
if True:
    parser.add_argument("--amp", action="store_true", required=False)
args = parser.parse_args()
"""


def test_flags_are_read_with_what_they_take(tmp_path):
    found = read(tmp_path, PLAIN)
    assert found["whole"]
    flags = {flag["dest"]: flag for flag in found["flags"]}
    assert list(flags) == ["batch_size", "arch", "gpus", "data", "amp"]
    assert (flags["batch_size"]["names"], flags["batch_size"]["type"]) == (["-b", "--batch-size"], "int")
    assert (flags["arch"]["choices"], flags["arch"]["required"]) == (["a", "b"], True)
    assert (flags["gpus"]["nargs"], flags["data"]["positional"]) == ("+", True)
    assert (flags["amp"]["action"], flags["amp"]["required"]) == ("store_true", False)


@pytest.mark.parametrize(
    "more",
    [
        "for name in ('a', 'b'):\n    parser.add_argument('--' + name)\n",
        "[parser.add_argument(name) for name in ('--a', '--b')]\n",
        "parser.add_argument(*names)\n",
        "parser.add_argument('--x', **options)\n",
        "add_more(parser)\n",
        "parser.parse_known_args()\n",
        "parser.add_subparsers()\n",
        "parser.add_argument('rest', nargs=argparse.REMAINDER)\n",
        "more = argparse.ArgumentParser(parents=[parser])\n",
        "take = parser._add_action\n",
        "def build():\n    return parser\n",
    ],
)
def test_a_parser_that_other_code_may_add_to_is_not_whole(tmp_path, more):
    assert read(tmp_path, PLAIN + more)["whole"] is False


RELAYED = """\
import argparse
first = argparse.ArgumentParser(add_help=False)
first.add_argument("-c", "--config", default="")
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
def parse():
    known, rest = first.parse_known_args()
    parser.set_defaults(**load(known.config))
    return parser.parse_args(rest)
"""


def test_a_second_parser_that_takes_what_the_first_leaves_makes_them_one(tmp_path):
    made = read(tmp_path, RELAYED)
    assert (made["whole"], [flag["dest"] for flag in made["flags"]]) == (True, ["config", "lr"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("parser.parse_args(rest)", "parser.parse_args()"),
        ("parser.parse_args(rest)", "parser.parse_known_args(rest)"),
        ("known, rest =", "both ="),
        ("return", "add_more(parser)\n    return"),
        ("return", "argparse.ArgumentParser()\n    return"),
    ],
)
def test_what_no_second_parser_takes_is_anything(tmp_path, old, new):
    assert read(tmp_path, RELAYED.replace(old, new))["whole"] is False


def test_flags_of_imported_modules_are_read_with_those_of_the_script(tmp_path):
    script = "import argparse\nimport options\nargs = options.init(argparse.ArgumentParser()).parse_args()\n"
    options = "def init(parser):\n    parser.add_argument('--lr', type=float)\n    return parser\n"
    found = read(tmp_path, script, options=options)
    assert (found["whole"], [flag["dest"] for flag in found["flags"]]) == (False, ["lr"])


GENERATE = """\
import argparse
def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--save_path", required=True)
    return parser.parse_args()
def resize(image):
    return image
"""
COMMON = """\
import argparse
from more import add_more
def setup():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, required=True)
    add_more(parser)
    return parser
"""
MORE = "def add_more(parser):\n    parser.add_argument('--dim', type=int, required=True)\n"


def test_of_an_imported_module_the_script_gets_the_flags_that_it_asks_for_alone(tmp_path):
    script = "from common import setup\nfrom generate import resize\nresize(setup().parse_args())\n"
    script = "def more(parser):\n    parser.add_argument('--task')\n" + script
    found = read(tmp_path, script, generate=GENERATE, common=COMMON, more=MORE)
    assert {flag["dest"]: flag["required"] for flag in found["flags"]} == {
        "task": False, "lr": True, "dim": True,
    }  # fmt: skip


@pytest.mark.parametrize(
    "script",
    [
        "from options import TrainOptions\nargs = TrainOptions().parse()\n",
        "import options\nargs = options.TrainOptions().parse()\n",
    ],
)
def test_classes_of_options_bring_those_of_the_class_that_they_are_made_from(tmp_path, script):
    base = "class Base:\n    def add(self, parser):\n        parser.add_argument('--name', required=True)\n"
    options = (
        "from base import Base\nclass TrainOptions(Base):\n    def add(self, parser):\n"
        "        super().add(parser)\n        parser.add_argument('--lr')\n"
    )
    own = "def more(parser):\n    parser.add_argument('--task')\n"
    found = read(tmp_path, script + own, options=options, base=base)
    assert {flag["dest"]: flag["required"] for flag in found["flags"]} == {
        "task": False, "lr": False, "name": True,
    }  # fmt: skip


def test_what_is_added_under_a_question_alone_is_not_required(tmp_path):
    script = (
        "from more import add_more\ndef setup(parser):\n    parser.add_argument('--task')\n"
        "    if some:\n        add_more(parser)\n"
    )
    found = read(tmp_path, script, more=MORE)
    assert {flag["dest"]: flag["required"] for flag in found["flags"]} == {"task": False, "dim": False}


def test_a_script_without_a_parser_has_none(tmp_path):
    assert read(tmp_path, "print('hello')\n") is None
    assert parser_of(Files(str(tmp_path)), "other.py") is None


@pytest.mark.parametrize(
    ("made", "required"),
    [("", True), ("prog='train'", True), ("fromfile_prefix_chars='@'", False), ("**more", False)],
)
def test_a_file_of_arguments_may_hold_what_is_required(tmp_path, made, required):
    found = read(tmp_path, PLAIN.replace('description="trains"', made))
    assert {flag["dest"]: flag["required"] for flag in found["flags"]}["arch"] is required
