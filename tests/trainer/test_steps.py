# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which training step a repository's own model class runs: miniature forks of the installed BasicSR."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainlint.trainer import bodies as published
from trainlint.trainer.ask import ask
from trainlint.trainer.lineage import Survey, line_of
from trainlint.trainer.own import chosen, own_of

HEAD = """\
import torch
from basicsr.models.sr_model import SRModel
from basicsr.utils.registry import MODEL_REGISTRY

@MODEL_REGISTRY.register()
"""


def own(folder: Path, name: str, **files: str):
    for stem, text in files.items():
        path = folder / f"mini/{stem}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    return own_of(folder, "basicsr", "basicsr", (name, [], []), {"ema"})


def step(folder: Path, body: str, **more: str):
    return own(folder, "MiniModel", mini_model=f"{HEAD}class MiniModel(SRModel):\n{body}", **more).step


@pytest.mark.parametrize(
    "body",
    [
        '    """Nothing of its own."""\n',
        "    def save(self, epoch, current_iter):\n        print(epoch)\n",
        "    def get_current_log(self):\n        return {}\n",
        "    def __init__(self, opt):\n        super(MiniModel, self).__init__(opt)\n",
        "    def of_no_use(self):\n        return torch.zeros(10**9).cuda()\n",
    ],
    ids=["nothing", "save", "log", "passes on", "unused"],
)
def test_what_does_not_shape_the_step_takes_the_base_s_recipe(tmp_path, body):
    found = step(tmp_path, body)
    assert (found.recipe, found.why, found.unvalidated) == ("SRModel", None, None)


def test_an_own_validation_is_not_judged(tmp_path):
    found = step(tmp_path, "    def test(self):\n        self.output = self.net_g(self.lq.half())\n")
    assert found.recipe == "SRModel"
    assert found.unvalidated == "MiniModel has its own test (mini/mini_model.py:7)"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (
            "    def optimize_parameters(self, it):\n        pass\n",
            "its own optimize_parameters (mini/mini_model.py:7)",
        ),
        (
            "    def feed_data(self, data):\n        self.lq = data\n",
            "its own feed_data (mini/mini_model.py:7)",
        ),
        (
            "    def model_ema(self, decay=0):\n        self.x = decay\n",
            "its own model_ema (mini/mini_model.py:7)",
        ),
        (
            "    def __getattr__(self, name):\n        return 1\n",
            "its own __getattr__ (mini/mini_model.py:7)",
        ),
        ("    for n in 'ab':\n        exec(n)\n", "its own * (mini/mini_model.py:7)"),
    ],
)
def test_an_own_step_is_named(tmp_path, body, why):
    found = step(tmp_path, body)
    assert (found.recipe, found.why) == (None, f"MiniModel has {why}")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (HEAD + "class MiniModel(SRModel, metaclass=Meta): pass\n", "MiniModel has metaclass on it"),
        (HEAD + "@patch\nclass MiniModel(SRModel): pass\n", "MiniModel has patch on it"),
        ("class MiniModel(MiniModel): pass\n", "it inherits from itself"),
        (
            "from lightning import Model\nclass MiniModel(Model): pass\n",
            "its base Model is not in the repository",
        ),
        (
            HEAD + "class MiniModel(SRModel): pass\nMiniModel.test = print\n",
            "MiniModel is changed in mini/mini_model.py:7",
        ),
    ],
)
def test_what_cannot_be_followed_is_unknown(tmp_path, text, why):
    found = own(tmp_path, "MiniModel", mini_model=text).step
    assert found.recipe is None
    assert found.why.endswith(why)


def test_a_class_between_is_followed(tmp_path):
    middle = f"{HEAD}class MiddleModel(SRModel):\n    def feed_data(self, data):\n        self.lq = data\n"
    found = own(
        tmp_path, "MiniModel",
        middle_model=middle,
        mini_model="from .middle_model import MiddleModel\nclass MiniModel(MiddleModel): pass\n",
    ).step  # fmt: skip
    assert found.why == "MiniModel has its own feed_data (mini/middle_model.py:7)"


def test_a_name_with_two_meanings_is_unknown(tmp_path):
    first = f"{HEAD}class MiniModel(SRModel): pass\n"
    second = f"{HEAD}class MiniModel(SRModel):\n    def save(self): pass\n    x = 1\n"
    found = own(tmp_path, "MiniModel", a_model=first, b_model=second).step
    assert found.why == "MiniModel is defined 2 times (mini/a_model.py:6, mini/b_model.py:6)"


PUBLISHED = """\
from helpers import shrink
class PlainModel:
    def __init__(self, opt):
        self.opt = opt
    def feed_data(self, data):
        self.lq = shrink(data)
    def optimize_parameters(self, it):
        total = self.net_g(self.lq).mean()
        total.backward()
    def validation(self, loader):
        self.test()
    def test(self):
        self.output = self.net_g(self.lq)
"""
HELPERS = "def shrink(x):\n    return x[..., ::2]\n"


@pytest.fixture
def known(tmp_path, monkeypatch):
    """Publish PlainModel."""
    folder = tmp_path / "published"
    folder.mkdir()
    (folder / "plain_model.py").write_text(PUBLISHED, "utf-8")
    (folder / "helpers.py").write_text(HELPERS, "utf-8")
    survey: Survey = ask(folder, ("PlainModel", "shrink"))
    line = line_of(survey, chosen(survey, "PlainModel") or "", {})
    parts = {
        part: {key: set(method["digests"]) for key, (_, method) in line.closure(roots).items()}
        for part, roots in (
            ("training", ("__init__", "feed_data", "optimize_parameters")),
            ("validation", ("validation",)),
        )
    }
    shrink = chosen(survey, "shrink") or ""
    definitions = {"shrink": {survey.digest(survey.nodes[shrink])}}
    book = published.Bodies({}, {"basicsr.PlainModel": parts}, definitions, {})
    for module in ("steps", "own"):
        monkeypatch.setattr(f"trainlint.trainer.{module}.bodies", lambda: book)


def test_an_equal_copy_under_another_name_counts_as_the_published_one(tmp_path, known):
    copy = PUBLISHED.replace("PlainModel", "MiniModel").replace("total", "loss")
    found = own(
        tmp_path, "MiniModel", mini_model=copy, helpers=HELPERS.replace("\n    ", "\n    # half\n    ")
    ).step
    assert (found.recipe, found.unvalidated) == ("PlainModel", None)


def test_a_different_helper_makes_it_another_step(tmp_path, known):
    copy = PUBLISHED.replace("PlainModel", "MiniModel")
    found = own(tmp_path, "MiniModel", mini_model=copy, helpers=HELPERS.replace("2", "4")).step
    assert found.why == "MiniModel has its own shrink (mini/helpers.py:1)"


def test_an_own_helper_of_the_validation_leaves_that_unknown(tmp_path, known):
    copy = PUBLISHED.replace("PlainModel", "MiniModel").replace(
        "self.output = self.net_g", "self.output = self.net_g.half()"
    )
    found = own(tmp_path, "MiniModel", mini_model=copy, helpers=HELPERS).step
    assert (found.recipe, found.unvalidated) == (
        "PlainModel",
        "MiniModel has its own test (mini/mini_model.py:12)",
    )
