# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Options reach a command as frozen objects: each field is an option that the command has."""

from __future__ import annotations

from collections import Counter
from typing import get_type_hints

import click
import pytest
from click.testing import CliRunner
from msgspec import Struct
from msgspec.structs import fields

from trainlint.cli.commands.check_command import check_command
from trainlint.cli.main import main
from trainlint.cli.options.check_options import CheckOptions
from trainlint.cli.options.gathered_options import gathered
from trainlint.cli.options.help_sections import SECTIONS
from trainlint.cli.options.number_range import NumberRange
from trainlint.cli.options.shared_options import SharedOptions, with_shared
from trainlint.errors import UsageError


class Size(Struct, frozen=True):
    width: int = 0
    height: int = 7


class Picture(Struct, frozen=True):
    size: Size
    title: str


def test_an_object_has_what_was_given_and_the_rest_stays_a_parameter() -> None:
    @click.command
    @click.argument("path")
    @click.option("--width", type=int)
    @click.option("--title")
    @gathered(picture=Picture)
    def draw(path: str, picture: Picture) -> tuple[str, Picture]:
        return path, picture

    words = ["a.png", "--width", "3", "--title", "sea"]
    assert draw.main(words, standalone_mode=False) == ("a.png", Picture(Size(3, 7), "sea"))


def leaves(kind: type[Struct]) -> set[str]:
    """Return the fields' names, with those of the objects in it in place of their own."""
    names: set[str] = set()
    for name, hint in get_type_hints(kind).items():
        inner = isinstance(hint, type) and issubclass(hint, Struct)
        names |= leaves(hint) if inner else {name}
    return names


def test_check_has_an_option_for_every_field_and_a_field_for_every_option() -> None:
    options = {parameter.name for parameter in check_command.params}
    assert options - {"paths"} == leaves(CheckOptions)


def test_the_shared_options_are_the_fields_of_their_object() -> None:
    command = click.command(with_shared(lambda: None))
    assert [option.name for option in command.params] == [field.name for field in fields(SharedOptions)]


def test_help_has_every_option_once_in_sections_and_no_bounds_in_brackets() -> None:
    text = CliRunner().invoke(check_command, ["--help"]).output
    titles = [line.removesuffix(":") for line in text.splitlines() if line.endswith(":") and line[0] != " "]
    assert titles == list(SECTIONS)
    listed = [line.split()[:2] for line in text.split("\n\n  Exit code")[0].splitlines() if line[:3] == "  -"]
    names = Counter(word.rstrip(",") for words in listed for word in words if word.startswith("--"))
    options = [option for option in check_command.params if isinstance(option, click.Option)]
    assert names == Counter({"--help": 1}) + Counter(
        name for option in options for name in option.opts if name.startswith("--")
    )
    assert "<=" not in text
    assert "RANGE" not in text


@pytest.mark.parametrize(
    ("kind", "word", "said"),
    [
        (NumberRange(above=0), "0", "0 is not above 0"),
        (NumberRange(above=0), "nan", "nan is not a number"),
        (NumberRange(2), "1", "1 is below 2"),
        (NumberRange(1, 64), "65", "65 is above 64"),
        (NumberRange(1), "1.5", "not a valid integer"),
    ],
)
def test_a_number_outside_its_bounds_is_refused_in_words(kind, word, said) -> None:
    with pytest.raises(click.BadParameter, match=said):
        kind.convert(word, None, None)
    assert kind.convert("7", None, None) == 7


def test_a_word_that_is_nearly_a_command_is_taken_for_one(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match='no command and no file is called "chekc"; did you mean "check"'):
        main.main(["chekc", "train.yml"], standalone_mode=False)
    with pytest.raises(UsageError, match='no such file or folder: "photos"'):
        main.main(["photos"], standalone_mode=False)
