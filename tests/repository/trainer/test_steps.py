# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which training step a repository's own model class runs: miniature forks of the installed BasicSR."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sampling import sampled
from trainlint.repository.trainer import published_bodies as published
from trainlint.repository.trainer.definitions import Survey
from trainlint.repository.trainer.lineage import line_of
from trainlint.repository.trainer.own_classes import chosen, own_of
from trainlint.repository.trainer.survey_client import ask

HEAD = """\
import torch
from basicsr.models.sr_model import SRModel
from basicsr.utils.registry import MODEL_REGISTRY

@MODEL_REGISTRY.register()
"""


def own(folder: Path, name: str, **files: str):
    for stem, text in files.items():
        path = folder / f"mini/{stem}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
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


NETS = {"models/net.py": "class Net:\n    wide = 1\n", "models/net_old.py": "class Net:\n    wide = 2\n"}


@pytest.mark.parametrize(
    ("choice", "says"),
    [
        (
            "    from models.net import Net as net\n",
            "the network Net is the repository's own (models/net.py:1)",
        ),
        ("    net = net_old.Net()\n", "the network Net is the repository's own (models/net_old.py:1)"),
        (
            "    from models.net import Net as net\n    net = net_old.Net()\n",
            "Net is defined 2 times (models/net.py:1, models/net_old.py:1)",
        ),
        ("    return pick(opt)\n", "Net is defined 2 times (models/net.py:1, models/net_old.py:1)"),
    ],
)
def test_of_two_classes_the_one_is_meant_that_the_choice_imports(tmp_path, choice, says):
    chooser = f"import models.net_old as net_old\ndef define_G(opt):\n{choice}"
    for name, text in {**NETS, "models/select_network.py": chooser}.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    found = own_of(tmp_path, "models", "kair", ("", [("Net", {})], []), ())
    assert found.networks["Net"].differs == says


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
    publish(tmp_path, monkeypatch, PUBLISHED)


def publish(tmp_path, monkeypatch, text):
    folder = tmp_path / "published"
    folder.mkdir()
    (folder / "plain_model.py").write_text(text, "utf-8")
    (folder / "helpers.py").write_text(HELPERS, "utf-8")
    survey: Survey = ask(folder, ("PlainModel", "shrink"))
    line = line_of(survey, chosen(survey, "PlainModel") or "", {})
    parts = {
        name: {key: set(method["digests"]) for key, (_, method) in closure.items()}
        for name, closure in (("training", line.training), ("validation", line.validation))
    }
    shrink = chosen(survey, "shrink") or ""
    definitions = {"shrink": {survey.digest(survey.nodes[shrink])}}
    book = published.Bodies({}, {"basicsr.PlainModel": parts}, definitions, {})
    for module in ("training_steps", "own_classes"):
        monkeypatch.setattr(f"trainlint.repository.trainer.{module}.bodies", lambda: book)


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


KEEPS = "        self.only_last = opt['logger'].get('only_last')\n"


def mini(*changes: tuple[str, str]) -> str:
    text = PUBLISHED.replace("PlainModel", "MiniModel")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def keeping(lines: str) -> tuple[str, str]:
    return ("        self.opt = opt\n", f"        self.opt = opt\n{lines}")


@pytest.mark.parametrize(
    "lines",
    sampled(
        [
            KEEPS,
            "        self.only_last = None\n        if opt.get('logger', None):\n    " + KEEPS,
            "        self.first = self.second = len(opt['name']) > 3\n",
            "        self.kept: list = []\n",
        ],
        2,
    ),
    ids=["an option", "asked for first", "two of them", "annotated"],
)
def test_an_attribute_that_only_quiet_methods_read_is_not_the_step(tmp_path, known, lines):
    quiet = "    def save(self, epoch, it):\n        if self.only_last:\n            print(epoch)\n"
    found = own(tmp_path, "MiniModel", mini_model=mini(keeping(lines)) + quiet, helpers=HELPERS).step
    assert (found.recipe, found.why, found.unvalidated) == ("PlainModel", None, None)


def test_a_constructor_that_only_keeps_an_option_is_none_of_its_own(tmp_path):
    body = f"    def __init__(self, opt):\n        super().__init__(opt)\n{KEEPS}"
    assert step(tmp_path, body).recipe == "SRModel"


@pytest.mark.parametrize(
    ("lines", "more"),
    sampled([
        (KEEPS, "    def optimize_parameters(self, it):\n        self.net_g(self.lq[: self.only_last])\n"),
        (KEEPS, "    def __getattr__(self, name):\n        return self.opt[name]\n"),
        ("        self.teacher = shrink(opt)\n", ""),
        ("        self.teacher = shrink(opt.get('teacher'))\n", ""),
        ("        if self.make():\n    " + KEEPS, "    def make(self):\n        return 1\n"),
        ("        opt = shrink(opt)\n        self.kept = opt\n", ""),
        ("        self.grow = [opt, shrink(opt)]\n", ""),
        ("        setattr(self, 'only_last', 1)\n", ""),
        ("        self.feed_data = None\n", ""),
    ], 3),
    ids=["read", "found by name", "made", "made of an option", "a call", "bound again", "in a list",
         "by name", "a method"],
)  # fmt: skip
def test_what_the_step_reads_or_makes_is_its_own(tmp_path, known, lines, more):
    found = own(tmp_path, "MiniModel", mini_model=mini(keeping(lines)) + more, helpers=HELPERS).step
    assert found.recipe is None


@pytest.mark.parametrize(
    ("use", "read"),
    sampled(
        [
            ("self.only_last", True),
            ("getattr(self, 'only_last', None)", True),
            ("hasattr(self, 'only_last')", True),
            ("getattr(self, self.opt['name'])", True),
            ("self.__dict__", True),
            ("vars(self)", True),
            ("self", True),
            ("getattr(self, 'other', None)", False),
            ("self.other", False),
        ],
        5,
    ),
)
def test_an_attribute_that_the_published_step_reads_counts(tmp_path, monkeypatch, use, read):
    use_it = ("        total.backward()\n", f"        total.backward()\n        repr({use})\n")
    publish(tmp_path, monkeypatch, mini(use_it).replace("MiniModel", "PlainModel"))
    found = own(tmp_path, "MiniModel", mini_model=mini(use_it, keeping(KEEPS)), helpers=HELPERS).step
    assert (found.recipe is None) == read


def test_an_attribute_that_only_the_validation_reads_is_the_validation_s(tmp_path, monkeypatch):
    tiles = ("        self.test()\n", "        self.test(self.tile)\n"), keeping("        self.tile = 8\n")
    publish(tmp_path, monkeypatch, mini(*tiles).replace("MiniModel", "PlainModel"))
    same = own(tmp_path / "same", "MiniModel", mini_model=mini(*tiles), helpers=HELPERS).step
    assert (same.recipe, same.unvalidated) == ("PlainModel", None)
    other = mini(*tiles).replace("self.tile = 8", "self.tile = 9")
    found = own(tmp_path / "other", "MiniModel", mini_model=other, helpers=HELPERS).step
    assert found.recipe == "PlainModel"
    assert found.unvalidated == "MiniModel has its own __init__ (mini/mini_model.py:3)"


def test_an_attribute_that_lets_go_of_what_the_step_made_counts(tmp_path, monkeypatch):
    holds = ("        total.backward()\n", "        self.held = total\n        total.backward()\n")
    publish(tmp_path, monkeypatch, mini(holds).replace("MiniModel", "PlainModel"))
    lets_go = ("        total.backward()\n", "        total.backward()\n        self.held = None\n")
    found = own(tmp_path, "MiniModel", mini_model=mini(holds, lets_go), helpers=HELPERS).step
    assert found.recipe is None


def test_a_module_s_attributes_may_be_read_elsewhere(tmp_path, monkeypatch):
    module = ("class MiniModel:", "from torch import nn\nclass MiniModel(nn.Module):")
    publish(tmp_path, monkeypatch, mini(module).replace("MiniModel", "PlainModel"))
    text = mini(module, keeping("        self.training = False\n"))
    for folder, source, recipe in (("same", mini(module), "PlainModel"), ("other", text, None)):
        found = own(tmp_path / folder, "MiniModel", mini_model=source, helpers=HELPERS).step
        assert found.recipe == recipe


NETWORK = "class Net:\n    def __init__(self, upsampler=''):\n        self.up = WIDE\n"


@pytest.mark.parametrize(
    ("given", "same"),
    [({}, True), ({"upsampler": "nearest"}, True), ({"upsampler": "direct"}, False)],
)
def test_a_network_may_be_the_published_one_but_for_an_argument(tmp_path, monkeypatch, given, same):
    (tmp_path / "net_arch.py").write_text(NETWORK.replace("WIDE", "2"), "utf-8")
    survey: Survey = ask(tmp_path, ("Net",))
    digest = survey.digest(survey.nodes[chosen(survey, "Net") or ""])
    book = published.Bodies({}, {}, {}, {"Net": {"Net": [f"{digest}!upsampler=direct"]}})
    monkeypatch.setattr("trainlint.repository.trainer.own_classes.bodies", lambda: book)
    monkeypatch.setattr("trainlint.repository.trainer.training_steps.bodies", lambda: book)
    for networks in ([("Net", given)], [("Net", given), ("Net", {})], [("Net", {}), ("Net", given)]):
        found = own_of(tmp_path, "basicsr", "basicsr", ("", networks, []), ())
        assert (found.unknown_network(["Net"]) is None) == same


def test_a_class_in_a_file_that_cannot_be_parsed_is_not_the_published_one(tmp_path):
    found = own(tmp_path, "MiniModel", mini_model="class MiniModel(SRModel):\n    print 'old'\n")
    assert found.step is None
    assert found.unknown_step().startswith(
        "the trainer's own source is not known: mini/mini_model.py, which has MiniModel, is not Python"
    )
    both = {
        "mini_model": f"{HEAD}class MiniModel(SRModel): pass\n",
        "old": "class MiniModel:\n    print 'old'\n",
    }
    assert own(tmp_path / "both", "MiniModel", **both).step.recipe == "SRModel"
