# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What goes wrong when somebody writes a file of networks or recipes: one message with file and line."""

from __future__ import annotations

import json
import re

import pytest

from trainlint.catalogue import signature as signatures
from trainlint.catalogue.signature import locate
from trainlint.catalogue.zoo import builders, listed_names, recipes
from trainlint.catalogue.zoo import file_check as zoo_check
from trainlint.catalogue.zoo.file_check import check, check_package
from trainlint.catalogue.zoo.packages import NETWORKS, RECIPES, Package, own
from trainlint.errors import CannotTraceError, UsageError
from trainlint.shipped.resource_paths import resource

from .conftest import unfolded

pytestmark = pytest.mark.torch

NETWORK = """\
from torch import nn

from trainlint.catalogue.signature import Positive

BUILDERS = {"OwnNet": "OwnNet"}


class OwnNet(nn.Module):
    def __init__(self, width: Positive = 8, depth: "int | None" = None):
        super().__init__()
        self.body = nn.Conv2d(3, width, 3, padding=1)

    def forward(self, x):
        return self.body(x)
"""
RECIPE = 'RECIPES = {"own.Step": "Step"}\n\n\nclass Step:\n    pass\n'

SLIPS = {
    "no table": ('BUILDERS = {"OwnNet": "OwnNet"}\n', "", '"mine" brings no network and no recipe'),
    "annotation": ("width: Positive", "width: Poitive", '9: the annotation of "width" is "Poitive"'),
    "annotation in quotes": ('"int | None"', '"int | Nonw"', '9: the annotation of "depth" is "Nonw"'),
    "annotation that is no type": ('"int | None"', '"an int"', '9: the annotation of "depth" is not a type'),
    "class": ('"OwnNet"}', '"OwnNte"}', 'own.py:5: BUILDERS builds "OwnNet" from "OwnNte", which'),
    "class that is meant": ('"OwnNet"}', '"OwnNte"}', 'does not define; did you mean "OwnNet"?'),
    "twice": ('"OwnNet"}', '"OwnNet",\n"OwnNet": "OwnNet"}', ':6: "OwnNet" is in BUILDERS already, at mine'),
    "not a literal": ('{"OwnNet": "OwnNet"}', 'dict(OwnNet="OwnNet")', "own.py:5: BUILDERS is read without"),
    "the class itself": ('"OwnNet"}', "OwnNet}", 'own.py:5: BUILDERS builds "OwnNet" from OwnNet, expected'),
    "a key that is no text": ('{"OwnNet":', "{OwnNet:", "own.py:5: a key of BUILDERS is OwnNet"),
    "a preset's argument": ('"OwnNet"}', '("OwnNet", {"widht": 4})}', 'takes no argument "widht"'),
    "what a preset lacks": ('"OwnNet"}', '("OwnNet", {}, ["heads"])}', 'takes no argument "heads"'),
    "no constructor": ("def __init__", "def build", '8: "OwnNet" has no __init__ here'),
    "written twice": ("\nclass", '\nBUILDERS = {"A": "OwnNet"}\n\nclass', "8: BUILDERS is defined already"),
    "empty": ('{"OwnNet": "OwnNet"}', "{}", '"mine" brings no network and no recipe'),
    "no module": ("(nn.Module)", "", '8: "OwnNet" is not a torch module: expected class OwnNet(nn.Module)'),
    "the table's own name": ("BUILDERS =", "BUILDER =", 'does not read "BUILDER"; did you mean "BUILDERS"?'),
    "a null byte": ("self.body(x)", "self.body(x)\0", "own.py:14: not valid Python: source code string"),
    "not Python": ("BUILDERS = {", "BUILDERS = {{", "own.py:5: not valid Python: '{' was never closed"),
    "default": ("= 8", "= 0", '9: the default of "width" is 0, and its annotation asks for a positive'),
    "a preset's type": ('"OwnNet"}', '("OwnNet", {"width": "4"})}', "width must be a positive integer, is"),
    "no forward": ("def forward", "def forwards", 'own.py:8: "OwnNet" has no method "forward": torch calls'),
    "no constructor of torch's": (
        "        super().__init__()\n", "", 'own.py:9: "OwnNet" never calls super().__init__(): expected it'
    ),
    "not imported": ("import Positive\n", "import Positve\n", '"Positive", which nothing defines: from'),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), SLIPS.values(), ids=SLIPS)
def test_a_networks_slip_is_said_at_once(trainlint, config, old, new, message):
    assert old in NETWORK
    trainlint.write("a.yml", config)
    trainlint.write("mine/own.py", NETWORK.replace(old, new, 1))
    done = trainlint("a.yml", "-t", "rtx-3060", "--networks", "mine")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert message in done.stderr, done.stderr


def test_a_file_in_another_encoding_has_its_line(tmp_path):
    file = tmp_path / "own.py"
    file.write_bytes(f"{NETWORK}# caf\xe9\n".encode("latin-1"))
    with pytest.raises(UsageError, match=r"own\.py:15: is not UTF-8 text: save it as UTF-8"):
        check([file])
    file.write_text(NETWORK, encoding="utf-8-sig")
    check([file])


@pytest.mark.slow
@pytest.mark.parametrize("old", ["from torch", "        self.body ="], ids=["import", "constructor"])
def test_a_network_that_ends_the_process_is_named(trainlint, config, old):
    pytest.importorskip("torch")
    leaving = f"{old[: len(old) - len(old.lstrip())]}raise SystemExit(0)\n{old}"
    trainlint.write("a.yml", re.sub(r"network_g:\n(?:  .*\n)+", "network_g:\n  type: OwnNet\n", config))
    trainlint.write("mine/own.py", NETWORK.replace(old, leaving))
    done = trainlint("a.yml", "-t", "rtx-3060", "--networks", "mine")
    assert f"own.py:{1 if old == 'from torch' else 11} ends the process (SystemExit: 0)" in unfolded(
        done.stdout
    )


def test_what_a_network_prints_is_in_no_report(trainlint, config):
    pytest.importorskip("torch")
    trainlint.write("a.yml", re.sub(r"network_g:\n(?:  .*\n)+", "network_g:\n  type: OwnNet\n", config))
    loud = NETWORK.replace("        self.body =", "        print('built')\n        self.body =")
    trainlint.write("mine/own.py", f"print('imported')\n{loud}")
    done = trainlint("a.yml", "-t", "rtx-3060", "--networks", "mine", "--format", "json")
    assert json.loads(done.stdout)["results"]
    assert "imported" in done.stderr
    assert "built" in done.stderr


def test_a_file_of_recipes_that_raises_is_named_with_its_line(trainlint, config):
    pytest.importorskip("torch")
    trainlint.write("a.yml", config)
    trainlint.write("mine/step.py", f"raise ValueError('no weights')\n{WHOLE}")
    done = trainlint("a.yml", "-t", "rtx-3060", "--networks", "mine")
    assert "step.py:1 cannot be run: ValueError: no weights" in unfolded(done.stdout), (
        done.stdout + done.stderr
    )
    assert done.returncode == 0


OTHER = NETWORK.replace("def forward", "def other")
RIGHT = {
    "a forward of another class": OTHER.replace(
        "    def other", "    forward = nn.Identity.forward\n\n    def other"
    ),
    "a forward that is set": OTHER.replace("self.body =", "self.forward = self.other\n        self.body ="),
    "a forward of a base": OTHER.replace(
        "OwnNet(nn.Module):", "Base(nn.Module):\n    forward = None\n\n\nclass OwnNet(Base):"
    ),
    "a base that brings its own": OTHER.replace("nn.Module", "nn.Sequential"),
    "None where nothing is given": NETWORK.replace("width: Positive = 8", "width: Positive = None"),
}


@pytest.mark.parametrize("text", RIGHT.values(), ids=RIGHT)
def test_what_may_be_right_is_no_slip(tmp_path, text):
    file = tmp_path / "own.py"
    file.write_text(text)
    check([file])


def test_a_recipe_that_two_files_of_a_checkout_have(monkeypatch, tmp_path):
    folder = tmp_path / "zoo" / "recipes"
    folder.mkdir(parents=True)
    for name in ("one", "two"):
        table = RECIPE.replace("{", '{"own.NAME": "Step", '.replace("NAME", name))
        (folder / f"{name}.py").write_text(f"# {name}\n{table}")
    zoo = Package("zoo", tmp_path / "zoo")
    monkeypatch.setattr(recipes, "own", lambda: zoo)
    monkeypatch.setattr(recipes, "installed", lambda kind: tuple(zoo.files(kind)))
    with pytest.raises(UsageError, match=r'two\.py:2: "own\.Step" is in RECIPES already, at .*one\.py:2'):
        recipes.place("own.two")  # its file has a further one
    (folder / "two.py").unlink()
    assert recipes.place("own.Step") == (folder / "one.py", "Step")


def test_a_name_in_two_files(trainlint, config):
    trainlint.write("a.yml", config)
    trainlint.write("mine/one.py", NETWORK)
    trainlint.write("mine/two.py", f"# another\n{NETWORK}")
    done = trainlint("a.yml", "-t", "rtx-3060", "--networks", "mine")
    assert '/two.py:6: "OwnNet" is in BUILDERS already, at mine/one.py:5' in done.stderr


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"Step"}', '"Stpe"}', ":1: RECIPES builds \"own.Step\" from 'Stpe'"),
        (
            '"Step"}',
            "Step}",
            ':1: RECIPES builds "own.Step" from Step, expected "dialect.NameInConfigs": "ClassHere"',
        ),
        ('"Step"}', '"Step", "own.Step": "Step"}', '"own.Step" is in RECIPES already'),
    ],
)
def test_a_recipes_slip(trainlint, config, old, new, message):
    trainlint.write("a.yml", config)
    trainlint.write("mine/step.py", RECIPE.replace(old, new))
    done = trainlint("a.yml", "-t", "rtx-3060", "--networks", "mine/step.py")
    assert done.returncode == 2
    assert message in done.stderr


METHOD = "    def train_step(self, batch): ...\n"


@pytest.mark.parametrize(
    ("method", "said"),
    [
        ("    def train_step(self): ...\n", "Step.train_step takes (self), expected (self, batch)"),
        (
            "    def train_step(self, b, *, lr): ...\n",
            "takes (self, b, *, lr), expected (self, batch)",
        ),
        (
            "    def validate(self, size): ...\n",
            "takes (self, size), expected (self, height, width)",
        ),
        (
            "    def __init__(self, stage): ...\n",
            "takes (self, stage), expected (self, step, stage)",
        ),
        (METHOD, ""),
        ("    def train_step(self, batch, lr=1, **more): ...\n", ""),
        ("    def checkpoint(*args): ...\n", ""),
        ("    @staticmethod\n    def checkpoint(): ...\n", ""),
        ("    def checkpoint(self): self.saved = {}\n", "Step.checkpoint returns nothing, expected what the"),
        ("    def checkpoint(self): return\n", "Step.checkpoint returns nothing, expected what the"),
        ("    def checkpoint(self): return ['net.pth']\n", "Step.checkpoint returns ['net.pth'], expected"),
        ("    def checkpoint(self): return {}\n", ""),
        ("    def checkpoint(self): return (lambda: 1)() and self.files\n", ""),
        ("    def checkpoint(self): raise NotImplementedError\n", ""),
    ],
)
def test_a_recipes_methods_take_what_they_are_given(tmp_path, method, said):
    file = tmp_path / "step.py"
    file.write_text(RECIPE.replace("    pass\n", method))
    if not said:
        check([file])
        return
    with pytest.raises(UsageError) as caught:
        check([file])
    assert str(caught.value).startswith(f"{file}:5: ")
    assert said in str(caught.value)


def test_a_function_that_makes_no_recipe(tmp_path):
    file = tmp_path / "step.py"
    file.write_text(RECIPE.replace("class Step:", "def Step(step, stage):"))
    with pytest.raises(UsageError, match=r"step\.py:4: Step returns nothing, expected a class, or what one"):
        check([file])


def test_a_recipe_of_no_dialect(tmp_path):
    file = tmp_path / "recipes" / "step.py"
    file.parent.mkdir()
    file.write_text(RECIPE.replace("own.Step", "basicrs.Step"))
    with pytest.raises(UsageError, match=r'step\.py:1: "basicrs\.Step" is of .* did you mean "basicsr"\?'):
        check_package(Package("pack", tmp_path))
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "basicrs.json").write_text("{}")
    check_package(Package("pack", tmp_path))


def test_a_network_of_no_dialect(tmp_path, trainlint, config):
    text = NETWORK.replace('{"OwnNet"', '{"basicrs:OwnNet"')
    said = r'own\.py:5: "basicrs:OwnNet" is of .* did you mean "basicsr"\?'
    file = tmp_path / "pack" / "networks" / "own.py"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    with pytest.raises(UsageError, match=said):
        check_package(Package("pack", tmp_path / "pack"))
    trainlint.write("a.yml", config)
    trainlint.write("mine/own.py", text)
    done = trainlint("a.yml", "-t", "rtx-3060", "--networks", "mine")
    assert done.returncode == 2
    assert re.search(said, done.stderr)


def test_helpers_may_lie_next_to_networks(trainlint, config):
    trainlint.write("a.yml", config)
    trainlint.write("mine/own.py", NETWORK)
    trainlint.write("mine/helpers.py", "WIDTH = 3\n")
    assert trainlint("a.yml", "-t", "rtx-3060", "--networks", "mine").returncode == 0
    done = trainlint("a.yml", "-t", "rtx-3060", "--networks", "mine/helpers.py")
    assert '"mine/helpers.py" brings no network and no recipe: it has no BUILDERS' in done.stderr


@pytest.mark.rest
def test_the_zoo_has_no_slip():
    check([*own().files(NETWORKS), *own().files(RECIPES)])


def test_a_recipe_without_a_method(trainlint, config):
    pytest.importorskip("torch")
    trainlint.write("a.yml", config)
    methods = "".join(
        f"    def {name}(self, *args): pass\n" for name in ("__init__", "train_step", "chekpoint")
    )
    recipe = f'RECIPES = {{"basicsr.SRModel": "Step"}}\nclass Step:\n{methods}    validate = train_step\n'
    trainlint.write("mine/step.py", recipe)
    done = trainlint("a.yml", "-t", "rtx-3060", "--networks", "mine/step.py")
    assert 'mine/step.py:2: the recipe "Step" has no method "checkpoint"' in done.stderr
    assert "internal error" not in unfolded(done.stdout) + done.stderr


@pytest.mark.parametrize(
    ("file", "text", "line"),
    [
        ("networks/own.py", NETWORK.replace('BUILDERS = {"OwnNet": "OwnNet"}\n', ""), 1),
        ("networks/own.py", NETWORK.replace('{"OwnNet": "OwnNet"}', "dict()"), 5),
        ("recipes/own.py", "class Step:\n    def train_step(self, batch): ...\n", 1),
    ],
)
def test_a_file_of_a_package_has_its_table(tmp_path, file, text, line):
    path = tmp_path / "pack" / file
    path.parent.mkdir(parents=True)
    path.write_text(text)
    (path.parent / "__init__.py").write_text("")
    with pytest.raises(UsageError) as caught:
        check_package(Package("pack", tmp_path / "pack"))
    assert str(caught.value).startswith(f"{path}:{line}: ")


@pytest.fixture
def zoo(tmp_path, monkeypatch):
    """A zoo of its own, in a checkout: one file of networks and one of recipes."""
    for kind, text in ((NETWORKS, NETWORK), (RECIPES, STEP)):
        (tmp_path / "zoo" / kind).mkdir(parents=True)
        (tmp_path / "zoo" / kind / "own.py").write_text(text)
    package = Package("zoo", tmp_path / "zoo")
    for module in (zoo_check, recipes):
        monkeypatch.setattr(module, "packages", lambda: (package,))
        monkeypatch.setattr(module, "own", lambda: package)
    monkeypatch.setattr(zoo_check, "files", lambda kind: tuple(package.files(kind)))
    monkeypatch.setattr(listed_names, "own", lambda: package)
    monkeypatch.setattr(listed_names, "_known", listed_names.listed)  # nothing is kept of such a zoo
    held = (zoo_check.brought, zoo_check.check_all_tables, signatures._located)
    for each in held:
        each.cache_clear()
    yield package.folder
    for each in held:
        each.cache_clear()


def test_a_shipped_file_without_its_table_is_named_where_a_network_is_unknown(zoo, monkeypatch):
    assert locate("basicsr", "FooNet") is None
    file = zoo / NETWORKS / "own.py"
    held = (signatures._located, zoo_check.check_all_tables, builders.text_of, builders.tree)
    for text, said in (
        ("['OwnNet']", "5: BUILDERS is read without"),
        ("", "1: it has no BUILDERS: expected B"),
    ):
        table = f"BUILDERS = {text}" if text else ""
        file.write_text(NETWORK.replace('BUILDERS = {"OwnNet": "OwnNet"}', table))
        for each in held:
            each.cache_clear()
        with pytest.raises(UsageError, match=rf"{file}:{said}"):
            locate("basicsr", "FooNet")
    monkeypatch.setattr(zoo_check, "PACKAGE", resource("rules").parent)  # a wheel
    signatures._located.cache_clear(), zoo_check.check_all_tables.cache_clear()
    assert locate("basicsr", "FooNet") is None


@pytest.mark.parametrize("value", ["3", '("OwnNet", {}, [], 1)', "()", "(3,)"])
def test_a_shipped_table_that_names_no_class_is_refused_at_its_line(zoo, value):
    file = zoo / NETWORKS / "own.py"
    file.write_text(NETWORK.replace('"OwnNet"}', f"{value}}}"))
    for each in (builders.text_of, builders.tree, builders.listing, builders.constants):
        each.cache_clear()
    with pytest.raises(
        UsageError, match=rf'{file}:5: BUILDERS builds "OwnNet" from .*, expected "NameInConf'
    ):
        locate("basicsr", "OwnNet")


def test_so_it_is_where_a_recipe_is_unknown(zoo):
    with pytest.raises(CannotTraceError):
        recipes.place("own.Other")
    file = zoo / RECIPES / "own.py"
    file.write_text(STEP.replace("RECIPES = ", "KNOWN = "))
    builders.text_of.cache_clear(), builders.tree.cache_clear(), zoo_check.check_all_tables.cache_clear()
    with pytest.raises(UsageError, match=rf"{file}:1: it has no RECIPES: expected RECIPES = "):
        recipes.place("own.Other")


def test_so_is_a_recipe_of_no_dialect(zoo):
    file = zoo / RECIPES / "own.py"
    file.write_text(STEP.replace("basicsr.SRModel", "L1"))
    builders.text_of.cache_clear(), builders.tree.cache_clear(), zoo_check.check_all_tables.cache_clear()
    with pytest.raises(UsageError, match=rf'{file}:1: "L1" is of the dialect "L1", and there is none'):
        recipes.place("basicsr.Other")


STEP = """\
RECIPES = {"basicsr.SRModel": "Step"}


class Step:
    def __init__(self, step, stage):
        self.stage = stage

    def train_step(self, batch):
        self.lq = self.stage.inputs(batch, 3, 8, 8)

    def validate(self, height, width): ...

    def checkpoint(self):
        return {}
"""


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        (
            "mine/step.py",
            STEP,
            "AttributeError: 'Stage' object has no attribute 'inputs' (mine/step.py:9)",
        ),
        (
            "mine/own.py",
            NETWORK.replace("OwnNet", "MSRResNet")
            .replace(
                "width: Positive = 8",
                "width=8, num_in_ch=3, num_out_ch=3, num_feat=8, num_block=1, upscale=4",
            )
            .replace("super()", "num_fete; super()"),
            "name 'num_fete' is not defined (mine/own.py:10)",
        ),
    ],
)
def test_a_slip_that_only_running_shows_has_its_line(trainlint, config, file, text, said):
    pytest.importorskip("torch")
    trainlint.write("a.yml", config)
    trainlint.write(file, text)
    done = trainlint("a.yml", "-t", "rtx-3060", "--networks", file)
    assert said in unfolded(done.stdout) + done.stderr


def test_an_argument_that_the_recipe_passes_is_not_blamed_on_the_config(trainlint, config):
    pytest.importorskip("torch")
    trainlint.write("a.yml", config)
    passes = """\
from trainlint_zoo.basicsr.recipes.image import SRModel

RECIPES = {"basicsr.SRModel": "Step"}


class Step(SRModel):
    def __init__(self, step, stage):
        args = {**step["networks.generator.args"], "wdith": 8}
        super().__init__({**step, "networks.generator.args": args}, stage)
"""
    trainlint.write("mine/step.py", passes)
    done = trainlint("a.yml", "-t", "rtx-3060", "--networks", "mine/step.py")
    assert done.returncode == 0, done.stdout
    said = (
        'MSRResNet takes no argument "wdith": the recipe passes it at mine/step.py:9, not the config; what it'
    )
    assert f"{said} takes is at {own().folder}/basicsr/networks/msrresnet.py:" in unfolded(done.stdout)


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        (
            "from trainlint.trace.building.build import networks",
            2,
            "ImportError: cannot import name 'networks' from",
        ),
        ("WIDTH = widht", 2, "NameError: name 'widht' is not defined (mine/step.py:1)"),
        ("import no_such_package", 0, "No module named 'no_such_package' (mine/step.py:1)"),
    ],
)
def test_a_file_that_cannot_be_imported_is_named_with_its_line(trainlint, config, line, code, said):
    pytest.importorskip("torch")
    trainlint.write("a.yml", config)
    trainlint.write("mine/step.py", f"{line}\n{STEP}")
    done = trainlint("a.yml", "-t", "rtx-3060", "--networks", "mine/step.py")
    assert done.returncode == code
    assert said in unfolded(done.stdout) + done.stderr
    assert "(mine/step.py:1)" in unfolded(done.stdout) + done.stderr


def test_what_recipes_share_needs_no_table(tmp_path):
    path = tmp_path / "recipes" / "shared.py"
    path.parent.mkdir()
    path.write_text("def half(number): return number // 2\n")
    check_package(Package("pack", tmp_path))


BARE = NETWORK.replace("OwnNet", "MSRResNet").replace(
    "width: Positive = 8",
    "width: Positive = 8, num_in_ch=3, num_out_ch=3, num_feat=8, num_block=1, upscale=4",
)
WHOLE = """\
from torch import nn

from trainlint.trace.building.build import network

RECIPES = {"basicsr.SRModel": "Step"}


class Step:
    def __init__(self, step, stage):
        self.stage = stage
        self.net, arch = network(step, "generator")
        stage.register("generator", self.net, arch=arch)
        self.optimizer = stage.optimizer("generator", self.net.parameters(), "Adam", lr=1e-4)

    def train_step(self, batch):
        output = self.net(self.stage.input(batch, 3, 8, 8))
        output.sum().backward()
        self.optimizer.step()

    def validate(self, height, width): ...

    def checkpoint(self):
        return {}
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            '"Adam"',
            '"Adm"',
            'unknown optimizer "Adm": the recipe names it at mine/step.py:13, not the config',
        ),
        pytest.param(
            "lr=1e-4",
            "lr=1e-4, lrr=1",
            "unexpected keyword argument 'lrr': the recipe passes lrr at mine/step.py:13, not the config",
            marks=pytest.mark.slow,
        ),
        (
            "batch, 3, 8",
            "batch, 5, 8",
            "dimensions (given 2 x 5 x 8 x 8; mine/own.py:14, called at mine/step.py:16)",
        ),
        pytest.param(
            "def forward(self, x)",
            "def forward(self)",
            "positional argument but 2 were given (mine/step.py:16; its forward is at mine/own.py:13)",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "output.sum()",
            "output",
            "grad can be implicitly created only for scalar outputs (mine/step.py:17)",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_slip_of_a_step_has_its_line(trainlint, config, old, new, said):
    pytest.importorskip("torch")
    assert old in WHOLE + BARE
    trainlint.write("a.yml", config)
    trainlint.write("mine/step.py", WHOLE.replace(old, new))
    trainlint.write("mine/own.py", BARE.replace(old, new))
    done = trainlint("a.yml", "-t", "rtx-3060", "--networks", "mine")
    assert said in unfolded(done.stdout), done.stdout + done.stderr
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        pytest.param(
            "self.net.parameters()",
            "[]",
            "optimizer got an empty parameter list (mine/step.py:13)",
            marks=pytest.mark.slow,
        ),
        ("nn.Conv2d", "nn.Conv2D", "has no attribute 'Conv2D' (mine/own.py:11)"),
        pytest.param(
            "super()",
            "raise SystemExit(3); super()",
            "mine/own.py:10 ends the process (SystemExit: 3)",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_what_a_constructor_of_ones_own_refuses_has_its_line(trainlint, config, old, new, said):
    pytest.importorskip("torch")
    trainlint.write("a.yml", config)
    assert old in WHOLE + BARE
    trainlint.write("mine/step.py", WHOLE.replace(old, new))
    trainlint.write("mine/own.py", BARE.replace(old, new))
    done = trainlint("a.yml", "-t", "rtx-3060", "--networks", "mine")
    assert said in unfolded(done.stdout), done.stdout + done.stderr


@pytest.mark.slow
def test_a_name_that_is_listed_almost_so_is_named(trainlint, config):
    trainlint.write("a.yml", re.sub(r"network_g:\n(?:  .*\n)+", "network_g:\n  type: OwnNet\n", config))
    trainlint.write("mine/own.py", (NETWORK + TRAINING).replace('{"OwnNet":', '{"OwnNte":'))
    done = trainlint("a.yml", "-t", "rtx-3060", "--networks", "mine")
    said = 'unknown network "OwnNet"; did you mean "OwnNte", at mine/own.py:5?'
    assert said in unfolded(done.stdout), done.stdout + done.stderr


def test_a_network_in_a_folder_of_the_folder_is_named(trainlint, config):
    trainlint.write("a.yml", re.sub(r"network_g:\n(?:  .*\n)+", "network_g:\n  type: OwnNet\n", config))
    trainlint.write("mine/step.py", TRAINING.replace("OwnNet()", "None"))
    trainlint.write("mine/more/own.py", NETWORK)
    done = trainlint("a.yml", "-t", "rtx-3060", "--networks", "mine")
    assert 'unknown network "OwnNet"; mine/more/own.py:5: it is in a folder of "mine"' in unfolded(
        done.stdout
    )


def test_a_network_whose_own_layers_do_not_fit_has_its_line(trainlint, config):
    pytest.importorskip("torch")
    trainlint.write("a.yml", config)
    body = BARE.replace("return self.body(x)", "return self.body(self.body(x))")
    trainlint.write("mine/own.py", body)
    done = trainlint("a.yml", "-t", "rtx-3060", "--networks", "mine")
    assert '"generator:body" cannot be traced' in unfolded(done.stdout), done.stdout + done.stderr
    assert "(given 2 x 8 x 32 x 32; mine/own.py:14)" in unfolded(done.stdout)
    assert "trainlint_zoo" not in unfolded(done.stdout)  # the shipped recipe fits what it calls


TRAINING = """
RECIPES = {"basicsr.SRModel": "Step"}


class Step:
    def __init__(self, step, stage):
        self.stage, self.net = stage, stage.register("generator", OwnNet())
        self.optimizer = stage.optimizer("generator", self.net.parameters(), "SGD")

    def train_step(self, batch):
        self.optimizer.zero_grad()
        self.net(self.stage.input(batch, 3, 8, 8)).mean().backward()
        self.optimizer.step()

    def validate(self, height, width):
        self.net(self.stage.input(1, 3, height, width))

    def checkpoint(self):
        return {}
"""


NOT_STEPPED = "takes no optimizer step, so that its optimizer's state is not counted"
STEP_LINE = "        self.optimizer.step()\n"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("", "", ""),
        pytest.param(
            ".backward()", "", "trains nothing: no parameter gets a gradient", marks=pytest.mark.slow
        ),
        pytest.param('"SGD")', '"Adam"); self.all = [self.optimizer]', "", marks=pytest.mark.slow),
        ('stage.register("generator", OwnNet())', "OwnNet()", "trains what it does not register"),
        (STEP_LINE, "        self.optimizer.state\n", NOT_STEPPED),
        pytest.param(
            STEP_LINE,
            "        nn.utils.clip_grad_norm_(self.net.parameters(), 1)\n        self.optimizer\n",
            NOT_STEPPED,
            marks=pytest.mark.slow,
        ),
        pytest.param(
            STEP_LINE,
            "        self.optimizer.step if True else None\n",
            NOT_STEPPED,
            marks=pytest.mark.slow,
        ),
    ],
)
def test_half_a_step_is_no_pass(trainlint, config, old, new, said):
    pytest.importorskip("torch")
    trainlint.write("a.yml", re.sub(r"network_g:\n(?:  .*\n)+", "network_g:\n  type: OwnNet\n", config))
    assert old in TRAINING
    trainlint.write("mine/own.py", NETWORK + TRAINING.replace(old, new))
    done = trainlint("a.yml", "-t", "rtx-3060", "--networks", "mine")
    assert done.returncode == 0, done.stderr
    assert (" is safe" in done.stdout) != bool(said), done.stdout
    if said:
        assert f'the recipe "basicsr.SRModel" {said}' in unfolded(done.stdout)
        line = (NETWORK + TRAINING).partition("def train_step")[0].count("\n") + 1
        assert f"(mine/own.py:{line})" in unfolded(done.stdout)


@pytest.mark.slow
def test_replicas_of_what_is_not_registered_are_no_weights(trainlint, config):
    pytest.importorskip("torch")
    config = re.sub(r"network_g:\n(?:  .*\n)+", "network_g:\n  type: OwnNet\n", config)
    trainlint.write("a.yml", config.replace("num_gpu: 1", "num_gpu: 2"))
    text = TRAINING.replace('stage.register("generator", OwnNet())', 'stage.replicate("generator", OwnNet())')
    trainlint.write("mine/own.py", NETWORK + text)
    done = trainlint("a.yml", "-t", "kaggle-t4x2", "--networks", "mine", "--launcher", "none")
    assert "trains what it does not register (a network)" in unfolded(done.stdout), done.stdout + done.stderr


@pytest.mark.slow
def test_an_average_of_the_weights_is_no_optimizer_step(trainlint, config):
    pytest.importorskip("torch")
    trainlint.write("a.yml", re.sub(r"network_g:\n(?:  .*\n)+", "network_g:\n  type: OwnNet\n", config))
    averages = """\
        self.optimizer.state
        with torch.no_grad():
            for mine, other in zip(self.average.parameters(), self.net.parameters()):
                mine.mul_(0.999).add_(other, alpha=0.001)
"""
    text = TRAINING.replace(STEP_LINE, averages).replace(
        "        self.optimizer = ",
        "        self.average = stage.register('generator (EMA)', OwnNet(), kind='ema')\n"
        "        self.optimizer = ",
    )
    trainlint.write("mine/own.py", f"import torch\n{NETWORK}{text}")
    done = trainlint("a.yml", "-t", "rtx-3060", "--networks", "mine")
    assert NOT_STEPPED in unfolded(done.stdout), done.stdout + done.stderr
    trainlint.write(
        "mine/own.py", f"import torch\n{NETWORK}{text}".replace("optimizer.state", "optimizer.step()")
    )
    done = trainlint("a.yml", "-t", "rtx-3060", "--networks", "mine")
    assert done.returncode == 0
    assert NOT_STEPPED not in unfolded(done.stdout)


@pytest.mark.parametrize(
    ("old", "new", "at", "said"),
    [
        (
            STEP_LINE,
            "",
            "self.optimizer = ",
            "Step never steps self.optimizer: expected self.optimizer.step() in train_step",
        ),
        (
            "self.optimizer = stage",
            "stage",
            "stage.optimizer(",
            "the optimizer of stage.optimizer('generator', ",
        ),
        (
            STEP_LINE,
            STEP_LINE + "        self.stage.phase('end')\n",
            "self.stage.phase('end')",
            "self.stage.phase('end') does nothing by itself",
        ),
        (
            STEP_LINE,
            STEP_LINE + "        self.stage.label('ema')\n",
            "self.stage.label('ema')",
            "expected \"with self.stage.label('ema'):\"",
        ),
        (
            STEP_LINE,
            "        network(self.stage, 'genrator')\n        self.optimizer.step()\n",
            "network(",
            'no config has a network of the role "genrator": expected "generator" or "discriminator"',
        ),
        (STEP_LINE, "        finish(self)\n", "", ""),
        (STEP_LINE, "        [each.step() for each in (self.optimizer,)]\n", "", ""),
    ],
)
def test_what_a_recipe_forgets_of_its_stage_has_its_line(tmp_path, old, new, at, said):
    assert old in TRAINING
    file = tmp_path / "step.py"
    file.write_text("from own import OwnNet\n" + TRAINING.replace(old, new))
    if not said:
        check([file])
        return
    with pytest.raises(UsageError) as caught:
        check([file])
    number, text = (int(str(caught.value)[len(f"{file}:") :].partition(":")[0]), file.read_text())
    assert at in text.splitlines()[number - 1]
    assert said in str(caught.value)
