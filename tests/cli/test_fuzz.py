# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Inputs that nobody wrote through the whole house: a few of `python -m bench fuzz`, and what it once found.

No tape is traced; the examples' own are stored, so that estimates, rules and fixes run as well.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from bench.fuzz import judge, meter, run
from bench.fuzz.judge import complaints, obeyed
from bench.fuzz.meter import JUDGING, Meter
from bench.hostile.case import Case
from bench.hostile.damage import EVIL
from bench.hostile.inputs import cases
from bench.hostile.texts import EXAMPLES, SETTINGS, own_texts
from bench.hostile.trees import FAILING, JSON, RAN_MARKER, UNKNOWN
from trainlint.dialects.unknown_values import Unknown
from trainlint.pipeline import not_judged

GAN = (EXAMPLES / "realesrgan_x4.yml").read_text("utf-8")
CONFIG = (EXAMPLES / "msrresnet_x4.yml").read_text("utf-8")
LINT = (".", "--no-trace", "-t", "rtx-4090")


def tree(words: tuple[str, ...] = LINT, **files: str) -> Case:
    """Return a tree with a config and other files, whose names have _ for what a keyword cannot hold."""
    names = {"settings": "trainlint.toml", "ignored": ".gitignore", "gpus": "gpus.toml"}
    found = [("c.yml", CONFIG), *((names[key], text) for key, text in files.items())]
    return Case(tuple((name, text.encode()) for name, text in found), words)


def one(text: str, old: str, new: str) -> Case:
    """Return a config in which one thing is changed."""
    assert old in text
    return Case((("c.yml", text.replace(old, new).encode()),))


KEPT = {
    "settings of commands": tree(settings="".join(f'"{sign!r}" = 1\n' for sign in EVIL)),
    "settings that are no TOML": tree(settings=f"{SETTINGS}\x1b[2J"),
    "a .gitignore with many stars": tree(ignored="*" * 40 + "a\n" + "a*" * 30 + "b\n" + "**/" * 30 + "x"),
    "a .gitignore that ends in a backslash": tree(ignored="\\"),
    "a pool of a thousand million": one(GAN, "queue_size: 180", "queue_size: 1000000000"),
    "a crop of four thousand million": one(CONFIG, "gt_size: 128", "gt_size: 4000000000"),
    "a crop of 400 digits": one(CONFIG, "gt_size: 128", f"gt_size: {'9' * 400}"),
    "a batch of a hundred million": one(CONFIG, "batch_size_per_gpu: 16", "batch_size_per_gpu: 100000000"),
    "a rule with no words": tree(("rules",), settings='rules = "rules"\n'),
}
"""What was found once, written again in as few words as it takes."""


def wrong(case: Case, folder: Path) -> list[str]:
    """Return the complaints that do not depend on the machine; time and memory are the bench's matter."""
    found = complaints(case, folder)
    return [words for words in found if not words.startswith(("slow", "memory"))]


@pytest.mark.rest
@settings(max_examples=60, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=cases(own_texts()))
def test_no_input_breaks_the_house_or_its_output(case, tmp_path_factory) -> None:
    assert wrong(case, tmp_path_factory.getbasetemp()) == []


@pytest.mark.rest
@pytest.mark.parametrize("case", KEPT.values(), ids=KEPT)
def test_what_was_found_once_is_fixed(case, tmp_path) -> None:
    assert wrong(case, tmp_path) == []


def started(script: str, *words: str, **more: str) -> Case:
    """Return a tree whose script starts the config."""
    files = {"c.yml": CONFIG, "train.sh": script, "basicsr/train.py": "", **more}
    return Case(tuple((name, text.encode()) for name, text in files.items()), (*JSON, *words, *LINT))


def forgetful(monkeypatch) -> None:
    monkeypatch.setattr(Unknown, "of", classmethod(lambda cls, _document: cls(())))


def careless(monkeypatch) -> None:
    monkeypatch.setattr(not_judged, "failures", lambda *, forget=False: ())


def obedient(monkeypatch) -> None:
    monkeypatch.setattr(judge, "refuse_named_files", lambda _words: None)


def importing(monkeypatch) -> None:
    """Plant an import from the working folder, which is the tree."""
    run_command = judge.run

    def run_with_imports(words: list[str]) -> None:
        monkeypatch.syspath_prepend(Path.cwd())
        importlib.import_module("sitecustomize")
        run_command(words)

    monkeypatch.setattr(judge, "run", run_with_imports)


FAULTS = {
    "pass: of a batch that only the shell knows": (forgetful, started(UNKNOWN[0])),
    "pass: of what a script starts that could not be read": (
        careless, started("python basicsr/train.py -opt c.yml", **{FAILING: "5 train.sh"}),
    ),
    "option: --output=o.json was obeyed": (
        obedient, Case((("c.yml", CONFIG.encode()), ("--output=o.json", b"")), ("--output=o.json", "c.yml")),
    ),
    "code of the tree ran": (importing, tree(settings="")),
}  # fmt: skip
"""A planted fault of each kind, and a case by which the judge sees it."""


@pytest.mark.parametrize("said", FAULTS)
def test_a_planted_fault_is_found(monkeypatch, tmp_path, said: str) -> None:
    plant, case = FAULTS[said]
    if plant is importing:
        case = Case((*case.files, ("sitecustomize.py", f"open({RAN_MARKER!r}, 'w')".encode())), case.words)
        monkeypatch.delitem(sys.modules, "sitecustomize", raising=False)
    monkeypatch.setattr(judge, "loaded", lambda: 0)  # who asks for no memory judges no examples first
    assert wrong(case, tmp_path) == []
    plant(monkeypatch)
    assert said in wrong(case, tmp_path)


@pytest.mark.parametrize(("more", "said"), [(400, []), (600, ["memory: 1300 MB"])])
def test_memory_that_earlier_inputs_left_is_not_held_against_one(monkeypatch, tmp_path, more, said) -> None:
    sizes = {"VmRSS": 700 * 2**20, "VmHWM": (700 + more) * 2**20}
    monkeypatch.setattr(judge, "resident", sizes.__getitem__)
    monkeypatch.setattr(judge, "loaded", lambda: 100 * 2**20)
    found = complaints(tree(ignored=""), tmp_path)
    assert [words for words in found if words.startswith("memory")] == said


def test_a_case_is_the_same_when_it_is_read_again() -> None:
    case = tree(settings="x\udcff".encode("utf-8", "surrogateescape").decode("latin-1"))
    assert Case.decoded(case.encoded()) == case


@pytest.mark.parametrize(
    "text", ["a\x1b[2J", "\u202e", "##[error]x", "  ::add-mask::x", "a\n::error file=x::y"]
)
def test_the_judge_sees_what_a_terminal_or_a_ci_would_obey(text) -> None:
    assert list(obeyed(text, "text"))
    assert not list(obeyed("::error file=x::y", "github"))


def test_time_is_that_of_judging_and_the_slowest_format(monkeypatch) -> None:
    clock = iter([0.0, 1.5, 1.5, 1.7, 2.0, 2.6])
    monkeypatch.setattr(meter, "spent", clock.__next__)
    timed = Meter()
    for part in (JUDGING, "json", "html"):
        with timed.of(part):
            pass
    assert timed.slow() == ["slow: 2.1 s of CPU (1.5 s judging, 0.6 s html)"]


def test_what_was_slow_is_run_once_more_alone(monkeypatch, tmp_path) -> None:
    folder = tmp_path / "1-0"
    folder.mkdir()
    for name, said in (("a", "slow: 3 s"), ("b", "slow: 3 s"), ("c", "traceback: x")):
        run.keep(Case(((name, b""),)), [said], folder)
    still = ["slow: 4 s"]
    monkeypatch.setattr(run, "pipeline", lambda: None)  # which judges all examples first
    monkeypatch.setattr(run, "complaints", lambda case, scratch: still * (case.files[0][0] == "b"))
    assert run.slow_again(tmp_path, 1) == 1
    assert [path.read_text() for path in folder.glob("*.once")] == ["slow: 3 s"]
    assert sorted(path.read_text() for path in folder.glob("*.txt")) == [
        "slow: 4 s\nbefore: slow: 3 s", "traceback: x",
    ]  # fmt: skip
