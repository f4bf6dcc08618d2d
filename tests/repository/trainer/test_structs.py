# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Options declared as structs, read without running them."""

from __future__ import annotations

import pytest

from trainlint.files.syntax_tree import parsed
from trainlint.repository.survey.annotated_classes import classes_in
from trainlint.repository.trainer.option_classes import Field, structs_of

OPTIONS = """
from typing import Annotated, Any, Literal, Optional
from msgspec import Meta, Struct, field

class Strict(Struct, forbid_unknown_fields=True):
    pass

class Data(Strict):
    name: str
    batch: int | None = None
    workers: int = 4
    clean: Annotated[bool, Meta(description="no noise")] = True

class Common(Strict):
    seed: Optional[int] = None

class Train(Common):
    steps: int
    mode: Literal["slow", "fast"] = "slow"
    optim: dict[str, Any] = field(default_factory=dict)
    ranges: list[float] = []

class Options(Strict):
    data: dict[str, Data]
    train: Train | None = None
    free: dict = {}

class Loose(Struct):
    name: str = ""
"""


def in_text(text, root):
    tree = parsed(text)
    return structs_of(None if tree is None else classes_in(tree), root)


@pytest.fixture
def structs():
    return in_text(OPTIONS, "Options")


@pytest.mark.parametrize(
    ("path", "known"),
    [
        (("data", "train", "batch"), True),
        (("data", "anything", "batches"), False),
        (("train", "steps"), True),
        (("train", "seed"), True),
        (("train", "sed"), False),
        (("extra",), False),
        (("train", "optim", "lr"), True),
        (("free", "x"), None),
        (("train", "steps", "x"), None),
    ],
)
def test_a_key_is_known_refused_or_nobody_can_say(structs, path, known):
    found = structs.field(path)
    assert (isinstance(found, Field) or found) == (True if known else known)


def test_a_class_that_refuses_nothing_decides_nothing():
    assert in_text(OPTIONS, "Loose").field(("nam",)) is None
    assert in_text(OPTIONS, "Missing") is None
    assert in_text("class Options(:\n", "Options") is None
    assert in_text("x = " + "(" * 5000, "Options") is None


def test_a_default_is_a_value_and_not_none(structs):
    assert structs.field(("data", "a", "workers")).optional
    assert structs.field(("train", "optim")).optional
    assert not structs.field(("data", "a", "batch")).optional
    assert not structs.field(("data", "a", "name")).optional


@pytest.mark.parametrize(
    ("path", "value", "taken"),
    [
        (("train", "steps"), 5, True),
        (("train", "steps"), 5.0, False),
        (("train", "steps"), "5e3", False),
        (("train", "mode"), "fast", True),
        (("train", "mode"), "faster", False),
        (("train", "ranges"), [1, 2.5], True),
        (("train", "ranges"), ["a"], False),
        (("train", "seed"), None, True),
        (("data", "a", "clean"), 1, False),
        (("data", "a", "clean"), True, True),
        (("train", "optim", "lr"), "1e-4", None),
    ],
)
def test_what_a_field_takes(structs, path, value, taken):
    assert structs.admits(path, value) is taken


def test_structs_that_are_their_own_base_end():
    assert in_text("class Options(Options):\n    a: int\n", "Options").field(("b",)) is None


PYDANTIC = """
from pydantic import BaseModel, ConfigDict, Field

class Data(BaseModel):
    model_config = ConfigDict(extra="forbid")
    workers: int = Field(4, alias="num_worker_per_gpu")
    seed: int = Field(...)

class Old(BaseModel):
    class Config:
        extra = "forbid"
    name: str = ""

class Loose(BaseModel):
    name: str = ""

class Renamed(BaseModel):
    model_config = {"extra": "forbid", "alias_generator": camel}
    name: str = ""

class Elsewhere(Imported, extra="forbid"):
    name: str = ""

class Options(BaseModel, extra="forbid"):
    data: Data
    old: Old = Old()
    loose: Loose = Loose()
    renamed: Renamed = Renamed()
    elsewhere: Elsewhere = Elsewhere()
"""


@pytest.mark.parametrize(
    ("path", "known"),
    [
        (("data", "workers"), True),
        (("data", "num_worker_per_gpu"), True),
        (("data", "worker"), False),
        (("old", "nam"), False),
        (("loose", "nam"), None),
        (("renamed", "nam"), None),
        (("elsewhere", "nam"), None),
        (("nothing",), False),
    ],
)
def test_pydantic_s_models(path, known):
    found = in_text(PYDANTIC, "Options").field(path)
    assert (True if isinstance(found, Field) else found) == known


def test_pydantic_converts_so_that_types_are_not_judged():
    structs = in_text(PYDANTIC, "Options")
    assert structs.admits(("data", "workers"), "4") is None
    required, optional = structs.field(("data", "seed")), structs.field(("data", "workers"))
    assert (required.optional, optional.optional) == (False, True)
