# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A repository that wants to be run, or to take for ever: nothing runs, and it is unknown in time."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from trainlint.repository.trainer.survey_client import ask

MODEL = "class Toy(Base):\n    def optimize_parameters(self, step):\n        return step\n"


def asked(folder: Path):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    survey = ask(folder, ("Toy",))
    from trainlint.repository.trainer.survey_client import _asked  # noqa: PLC0415 - its process has to end before it is counted

    _asked(folder, "").close()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert seconds < 20  # on a busy machine, too; without its bound each takes minutes, or all memory
    return survey


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, "utf-8")
    return folder


def test_nothing_runs(tmp_path):
    mark = tmp_path / "ran"
    code = f"open({str(mark)!r}, 'w').write('x')\n"
    meta = f"class Meta(type):\n    def __new__(*a):\n        {code}\nclass Base(metaclass=Meta): pass\n"
    write(
        tmp_path,
        toy_model=code + meta + MODEL,
        conftest=code, ast=code, json=code, sitecustomize=code, trainlint=code,
    )  # fmt: skip
    survey = asked(tmp_path)
    assert survey.places["Toy"] == ["toy_model.py::Toy"]
    assert survey.nodes["toy_model.py::Base"]["strange"] == ["metaclass"]
    assert not mark.exists()


@pytest.mark.parametrize(
    "text",
    [
        "x = [" + "a," * 5_000_000 + "]\n",
        "\n".join(f"class A{number}: pass" for number in range(100_000)) + "\nclass Base: pass\n",
        "x = " + "(" * 100_000 + ")" * 100_000 + "\n",
        "x = " + "-" * 200_000 + "1\n",
        "x = a" + ".b" * 100_000 + "\nclass Base:\n    y = x\n",
    ],
    ids=["long", "classes", "nested", "signs", "chain"],
)
def test_long_and_deep_files_are_unknown(tmp_path, text):
    write(tmp_path, toy_model=text + MODEL)
    survey = asked(tmp_path)
    assert survey.error or not survey.places or survey.nodes


def test_classes_that_inherit_from_each_other(tmp_path):
    write(tmp_path, toy_model="class Toy(Other): pass\nclass Other(Toy): pass\n")
    assert asked(tmp_path).error is None


def test_no_link_is_followed(tmp_path):
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    write(outside, toy_model="class Toy: pass\n")
    (inside / "models").symlink_to(outside)
    (inside / "toy_model.py").symlink_to(outside / "toy_model.py")
    assert not asked(inside).places
    os.mkfifo(inside / "pipe_model.py")
    assert not ask(inside, ("Toy", "Pipe")).places


@pytest.mark.parametrize(("script", "there"), [("train.py", False), ("run.py", True)])
def test_an_older_program_beside_the_package_is_another_trainer(tmp_path, script, there):
    for folder in ("basicsr", "old/codes/data", "old/codes/models", "old/codes/options"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "old" / "codes" / script).write_text("", "utf-8")
    (tmp_path / "old" / "codes" / "models" / "toy.py").write_text("class Toy: pass\n", "utf-8")
    assert bool(ask(tmp_path, ("Toy",), "basicsr").places.get("Toy")) is there


def test_another_repository_inside_is_left_out(tmp_path):
    (tmp_path / "other" / ".git").mkdir(parents=True)
    write(tmp_path / "other", toy_model="class Toy: pass\n")
    assert not asked(tmp_path).places


@pytest.mark.rest
def test_what_leads_everywhere_ends_by_a_count_on_every_machine(tmp_path):
    toy = "from m0 import z\nclass Toy:\n    def f(self):\n        z()\n"
    either = "try:\n    from m{0} import z\nexcept E:\n    from m{0} import z\n"
    other = "try:\n    from m{0} import z as y\nexcept E:\n    from m{1} import z\n"
    chain = either + other
    many = "def z(): g()\n" + "def g(): pass\n" * 9_000 + "g = g\n" * 10_000
    fork = {f"m{at}": chain.format(at + 1, at + 2) for at in range(20)}
    for name, files in (("fork", fork), ("many", {"m0": many})):
        (tmp_path / name).mkdir()
        survey = asked(write(tmp_path / name, toy_model=toy, **files))
        assert survey.error == "more than 200,000 steps to find out what its names mean"


def test_a_question_about_very_many_classes_is_not_searched_for(tmp_path):
    write(tmp_path, toy_model=MODEL)
    names = tuple(f"Toy{at}" for at in range(201))
    assert ask(tmp_path, names).error == "more than 200 classes are asked for"
