# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The quick dataclasses: made of any fields, they do what the library's do."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import re
from abc import ABC, abstractmethod
from dataclasses import field
from operator import ge, gt, le, lt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainlint import lean, lean_methods
from trainlint.lean_shapes import MOST
from trainlint.resources import PACKAGE

NAMES = ("a", "b", "c", "d", "e")
VALUES = st.sampled_from([0, 1, "x", (), None, [], float("nan"), ...])
DEFAULTS = st.sampled_from(
    [
        None,
        {"default": 0},
        {"default": 0, "compare": False},
        {"default": 0, "hash": False},
        {"default": None, "repr": False},
        {"default_factory": list},
        {"default_factory": dict, "compare": False, "repr": False},
    ]
)
OPTIONS = st.sampled_from(lean.OPTIONS)


@dataclasses.dataclass(frozen=True)
class Plan:
    """A class to be made: its fields in turn, and whether it looks at itself when it is made."""

    fields: tuple
    options: dict
    checks: bool

    def made(self, with_):
        """Make the class with the library's function or with ours."""
        body = {
            "__annotations__": dict.fromkeys(NAMES[: len(self.fields)], "int"),
            "__module__": __name__,
            "__qualname__": "Made",
            "__doc__": "Is made.",
            "said": [],
            **{name: field(**f) for name, f in zip(NAMES, self.fields, strict=False) if f is not None},
        }
        if self.checks:
            body["__post_init__"] = lambda self: self.said.append(
                [getattr(self, name) for name in self.__match_args__]
            )
        return with_(**self.options)(type("Made", (), body))


@st.composite
def plans(draw):
    fields = draw(st.lists(DEFAULTS, max_size=len(NAMES)))
    return Plan(
        tuple(sorted(fields, key=lambda one: one is not None)), draw(OPTIONS), checks=draw(st.booleans())
    )


ARGUMENTS = st.tuples(
    st.lists(VALUES, max_size=6), st.dictionaries(st.sampled_from([*NAMES, "z", "self"]), VALUES, max_size=4)
)


def outcome(do, *args, **values):
    """Return what a call returns, or what it raises."""
    try:
        return "returns", do(*args, **values)
    except (TypeError, AttributeError, ValueError) as error:
        return type(error).__name__, str(error)


def of(do):
    """Return an outcome in words: what instances of two classes have alike."""
    kind, found = do if isinstance(do, tuple) else outcome(do)
    return kind, repr(found)


@given(plans(), ARGUMENTS, ARGUMENTS)
def test_it_is_made_and_compared_as_the_librarys(plan, first, second):
    ours, theirs = plan.made(lean.dataclass), plan.made(dataclasses.dataclass)
    assert ours.__repr__ is lean_methods._repr
    taken = [
        [(one.name, one.kind) for one in inspect.signature(cls).parameters.values()] for cls in (ours, theirs)
    ]
    assert taken[0] == taken[1]
    noted = [cls.__dataclass_params__ for cls in (ours, theirs)]
    for name in ("init", "repr", "eq", "order", "frozen"):
        assert getattr(noted[0], name) == getattr(noted[1], name)
    assert ours.__match_args__ == theirs.__match_args__
    assert [f.name for f in dataclasses.fields(ours)] == [f.name for f in dataclasses.fields(theirs)]
    made = [[outcome(cls, *args, **values) for args, values in (first, second)] for cls in (ours, theirs)]
    assert [of(one) for one in made[0]] == [of(one) for one in made[1]]
    assert ours.said == theirs.said or repr(ours.said) == repr(theirs.said)
    all_ours, all_theirs = ([one for kind, one in each if kind == "returns"] for each in made)
    for one, other in zip(all_ours, all_theirs, strict=True):
        assert (one == all_ours[0], one != all_ours[0]) == (other == all_theirs[0], other != all_theirs[0])
        if plan.options.get("eq", True):
            assert of(lambda one=one: hash(one)) == of(lambda other=other: hash(other))
        else:
            assert hash(one) == object.__hash__(one)
        assert one.__eq__(other) is NotImplemented
        for compare in (lt, le, gt, ge):
            mine, reference = outcome(compare, one, all_ours[0]), outcome(compare, other, all_theirs[0])
            assert mine == reference
        assert repr(dataclasses.asdict(one)) == repr(dataclasses.asdict(other))
        assert repr(copy.copy(one)) == repr(copy.copy(other))
        assert hasattr(one, "__dict__") == hasattr(other, "__dict__")
        for name in (*NAMES, "z"):
            changes = [lambda it, name=name: setattr(it, name, 1)]
            if plan.options.get("frozen"):
                changes.append(lambda it, name=name: delattr(it, name))
            for do in changes:
                mine, reference = of(lambda one=one, do=do: do(one)), of(lambda it=other, do=do: do(it))
                if plan.options.get("slots") and name not in ours.__match_args__:
                    assert "returns" not in (mine[0], reference[0])  # the library's own words are of a slip
                else:
                    assert mine == reference
            change = {name: 7}
            for changed in (lean.replace, dataclasses.replace):
                assert of(lambda one=one, to=change, do=changed: do(one, **to)) == of(
                    lambda other=other, to=change: dataclasses.replace(other, **to)
                )


@lean.dataclass(frozen=True, slots=True)
class Kept:
    """One that travels between processes."""

    name: str
    items: tuple[Kept, ...] = ()
    noted: list[int] = field(default_factory=list, compare=False)


@lean.dataclass(frozen=True)
class Loose:
    """One with a dictionary."""

    name: str
    more: object = None


class Named(Loose):
    """One that inherits and has no fields of its own."""


@dataclasses.dataclass(frozen=True)
class Wider(Loose):
    """One that inherits by the library's own function."""

    size: int = 0


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_it_travels(protocol):
    for one in (Kept("a", (Kept("b"),), [1]), Loose("a", Kept("b")), Wider("a", None, 3)):
        again = pickle.loads(pickle.dumps(one, protocol))  # noqa: S301 - what was written a word ago
        assert again == one
        assert hash(again) == hash(one) if not isinstance(one, Kept) else again.noted == one.noted
        with pytest.raises(dataclasses.FrozenInstanceError):
            again.name = "c"


def test_a_list_is_made_for_each():
    assert Kept("a").noted is not Kept("a").noted


def test_one_that_is_in_itself_is_shown():
    one = Loose("a", [])
    one.more.append(one)
    assert repr(one) == "Loose(name='a', more=[...])"


def test_what_inherits_has_frozen_fields_and_may_have_others():
    one = Named("a")
    one.seen = True
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.name = "b"
    del one.seen
    assert Wider("a", size=2) == Wider("a", None, 2) != Wider("a")
    with pytest.raises(dataclasses.FrozenInstanceError):
        Wider("a").size = 1


def test_one_with_named_arguments_hands_them_on():
    for with_ in (lean.dataclass, dataclasses.dataclass):

        @with_(frozen=True, kw_only=True)
        class Base:
            name: str
            seen: list[str] = field(default_factory=list)

        @with_(frozen=True, kw_only=True)
        class More(Base):
            size: int
            name: str = "more"

        assert More(size=1) == More(name="more", size=1, seen=[]) != More(size=2)
        assert dataclasses.replace(More(size=1), size=3).size == 3
        assert [one.kind for one in inspect.signature(More).parameters.values()] == [
            inspect.Parameter.KEYWORD_ONLY
        ] * 3
        with pytest.raises(TypeError, match="positional"):
            More(1)
        with pytest.raises(TypeError, match="size"):
            More()
        with pytest.raises(dataclasses.FrozenInstanceError):
            More(size=1).name = "c"


def test_one_adds_its_fields_to_those_of_its_base():
    for with_ in (lean.dataclass, dataclasses.dataclass):

        @with_(frozen=True)
        class Base:
            name: str
            seen: list[str] = field(default_factory=list)

        @with_(frozen=True)
        class More(Base):
            size: int = 3
            name: bytes = b"more"

        assert repr(More(size=1)).endswith("More(name=b'more', seen=[], size=1)")
        assert [(f.name, f.type) for f in dataclasses.fields(More)] == [
            ("name", "bytes"),
            ("seen", "list[str]"),
            ("size", "int"),
        ]
        assert (More.__init__.__annotations__, More.__match_args__) == (
            {"name": "bytes", "seen": "list[str]", "size": "int", "return": None},
            ("name", "seen", "size"),
        )
        assert dataclasses.replace(More(b"a", ["b"]), size=4) == More(b"a", ["b"], 4) != Base(b"a", ["b"])
        with pytest.raises(dataclasses.FrozenInstanceError):
            More().size = 2
        with pytest.raises(TypeError, match="frozen"):
            with_()(type("Thawed", (Base,), {"__annotations__": {"size": "int"}}))


def test_an_abstract_one_stays_abstract():
    class Base(ABC):
        @abstractmethod
        def do(self): ...

    @lean.dataclass(frozen=True)
    class Half(Base):
        name: str

    with pytest.raises(TypeError, match="abstract"):
        Half("a")


@pytest.mark.parametrize(
    "body",
    [
        {"__annotations__": {"a": "ClassVar[int]"}, "a": 1},
        {"__annotations__": {"a": "int"}, "a": field(init=False, default=3)},
        {"__annotations__": {"a": "int"}, "a": field(kw_only=True)},
        {"__annotations__": {"a": "int"}, "__eq__": lambda *_: True},
        {"__annotations__": {"a": "int"}, "__repr__": lambda _: "own"},
    ],
)
def test_what_is_rarer_is_the_librarys(body):
    made = [
        with_(frozen=True)(type("Made", (), dict(body))) for with_ in (lean.dataclass, dataclasses.dataclass)
    ]
    assert str(inspect.signature(made[0])) == str(inspect.signature(made[1]))
    assert of(lambda: made[0](a=1) == made[0](a=2)) == of(lambda: made[1](a=1) == made[1](a=2))
    assert of(lambda: made[0](a=1)) == of(lambda: made[1](a=1))


def test_a_field_without_a_default_comes_first():
    body = {"__annotations__": {"a": "int", "b": "int"}, "a": 1}
    with pytest.raises(TypeError, match="default"):
        lean.dataclass(frozen=True)(type("Made", (), body))


LEFT = ("trace/", "report/page/", "lean.py")
"""What makes its classes by the library: the tracer's files are in profiles' digests."""


def test_frozen_classes_are_made_quickly():
    files = {path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8") for path in PACKAGE.rglob("*.py")}
    slow = re.compile(r"^from dataclasses import .*\bdataclass\b", re.MULTILINE)
    ours = {name for name, text in files.items() if "from trainlint.lean import dataclass" in text}
    assert len(ours) > 100
    assert [name for name, text in files.items() if slow.search(text) and not name.startswith(LEFT)] == [
        "survey/normal.py"  # runs in a process of its own, which has the standard library alone
    ]


def test_the_library_looks_at_a_class_when_it_is_asked():
    @lean.dataclass(frozen=True, slots=True)
    class Made:
        name: str
        noted: list[int] = field(default_factory=list, metadata={"a": 1})

    assert all(isinstance(vars(Made)[name], lean._Noted) for name in lean.NOTED)
    assert [(one.name, one.type) for one in dataclasses.fields(Made)] == [
        ("name", "str"),
        ("noted", "list[int]"),
    ]
    assert dataclasses.fields(Made)[1].metadata == {"a": 1}
    assert not any(isinstance(vars(Made)[name], lean._Noted) for name in lean.NOTED)


class Slotted:
    """One that has slots by itself."""

    __slots__ = ("a",)


@pytest.mark.parametrize("slots", [False, True])
@pytest.mark.parametrize(
    ("bases", "body"),
    [
        ((), {"__annotations__": {"a": "list"}, "a": []}),
        ((), {"__annotations__": {"a": "list"}, "a": field(default={})}),
        ((), {"__annotations__": {"a": "int"}, "b": field()}),
        ((), {"__annotations__": {"a": "int"}, "__slots__": ("b",)}),
        ((Slotted,), {"__annotations__": {"a": "int", "b": "int"}}),
        ((), {"__annotations__": {"a": "int"}, "__match_args__": ("b",)}),
        ((), {}),
    ],
)
def test_what_the_library_refuses_or_leaves_is_treated_as_it_does(bases, body, slots):
    def instance(with_):
        made = with_(frozen=True, slots=slots)(type("Made", bases, dict(body)))
        values = range(len(body.get("__annotations__", ())))
        return made(*values), made.__match_args__, vars(made).get("__slots__")

    mine, reference = of(lambda: instance(lean.dataclass)), of(lambda: instance(dataclasses.dataclass))
    assert mine == reference


@pytest.mark.parametrize("slots", [False, True])
def test_one_with_more_fields_than_are_written_ahead(slots):
    names = [f"a{at}" for at in range(MOST + 2)]
    body = {"__annotations__": dict.fromkeys(names, "int")}
    made = lean.dataclass(frozen=True, slots=slots)(type("Made", (), body))
    assert [*dataclasses.asdict(made(*range(MOST + 2))).items()] == [
        *zip(names, range(MOST + 2), strict=True)
    ]
