# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Classes that the repository has and its registry does not: passed over, not entered, or no Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainlint.model.finding import Level
from trainlint.session import toolbox
from trainlint.session.chosen_tapes import tapes_for
from trainlint.settings.settings import Settings

pytestmark = [pytest.mark.process]

EXAMPLE = Path(__file__).parents[3] / "examples" / "edsr_x2.yml"
ARCHS = """\
arch_folder = osp.dirname(osp.abspath(__file__))
names = [osp.splitext(osp.basename(v))[0] for v in scandir(arch_folder) if v.endswith('_arch.py')]
_modules = [importlib.import_module(f'basicsr.archs.{name}') for name in names]

def build_network(opt):
    return ARCH_REGISTRY.get(opt.pop('type'))(**opt)
"""
ENTERED = "@ARCH_REGISTRY.register()\nclass MineNet:\n    def __init__(self):\n        pass\n"


FOLDERS = """
for item in os.scandir(arch_folder):
    if item.is_dir():
        importlib.import_module(f'basicsr.archs.{item.name}.{item.name}_arch')
"""


def _finding(folder, files):
    """Return what is said of a config that names MineNet, in a repository with these files."""
    trainer = {
        "basicsr/utils/options.py": "opt['network_g']\n",
        "basicsr/archs/__init__.py": ARCHS,
        "basicsr/archs/edsr_arch.py": "@ARCH_REGISTRY.register()\nclass EDSR: ...\n",
    }
    for name, text in {**trainer, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (folder / ".git").mkdir()
    config = folder / "options" / "train.yml"
    config.parent.mkdir()
    config.write_text(EXAMPLE.read_text().replace("  type: EDSR", "  type: MineNet"))
    settings = Settings()
    pipeline = toolbox.pipeline_for(settings, tapes_for(settings, progress=print, may_trace=False))
    found = [finding for result in pipeline.lint_path(str(config), named=True) for finding in result.findings]
    return next((one for one in found if one.rule in ("misspelt-name", "unreadable-source")), None)


@pytest.mark.parametrize(
    ("package", "level"), [("hat", Level.WARN), ("mine", Level.FAIL), ("basicsr", Level.FAIL)]
)
def test_a_package_that_is_not_here_may_have_it(tmp_path, package, level):
    """As in a copy of HAT whose folder has another name, and whose train.py imports hat still."""
    start = f"import {package}.archs\nfrom basicsr.train import train_pipeline\n"
    finding = _finding(tmp_path, {"mine/train.py": start, "mine/archs/wide.py": ENTERED})
    assert finding.level is level


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"basicsr/archs/mine.py": ENTERED}, "nothing imports basicsr/archs/mine.py:2"),
        ({"basicsr/archs/inner/mine_arch.py": ENTERED}, "nothing imports basicsr/archs/inner/mine_arch.py:2"),
        ({"basicsr/archs/mine_arch.py": "class MineNet: ...\n"}, "mine_arch.py:1 lacks @ARCH_REGISTRY"),
        ({"basicsr/archs/mine_arch.py": ENTERED + "print 'built'\n"}, "no Python 3 can read"),
        (
            {"basicsr/archs/mine.py": ENTERED + "print 'built'\n"},
            "(basicsr/archs takes files that end in _arch.py alone)",
        ),
        (
            {"basicsr/archs/mine_arch.py": f"<<<<<<< HEAD\n{ENTERED}=======\n>>>>>>> theirs\n"},
            "conflict marker",
        ),
        ({"basicsr/archs/mine_arch.py": f"{ENTERED}   x = 1\n"}, "mine_arch.py:5"),
    ],
)
def test_a_class_that_the_registry_cannot_have_is_a_fail(tmp_path, files, says):
    finding = _finding(tmp_path, files)
    assert says in finding.message
    assert finding.level is Level.FAIL


@pytest.mark.parametrize(
    "files",
    [
        {"basicsr/archs/mine_arch.py": ENTERED},
        {"basicsr/archs/mine_arch.py": f"\ufeff\n{ENTERED}"},  # as some editors begin a file
        {"basicsr/archs/mine.py": ENTERED, "train.py": "from basicsr.archs import mine\n"},
        {"basicsr/archs/mine.py": ENTERED, "train.py": "importlib.import_module(opt['also'])\n"},
        {"basicsr/archs/mine_arch.py": "class MineNet: ...\n\nARCH_REGISTRY.register(MineNet)\n"},
        {"basicsr/archs/mine.py": ENTERED, "basicsr/archs/__init__.py": ARCHS.replace("'_arch.py'", "'.py'")},
        {"basicsr/archs/mine/mine_arch.py": ENTERED, "basicsr/archs/__init__.py": ARCHS + FOLDERS},
        {
            "mine/archs/mine_arch.py": ENTERED,
            "mine/archs/__init__.py": ARCHS,
            "mine/train.py": "import mine.archs\n",
        },
    ],
)
def test_one_that_it_may_have_is_none(tmp_path, files):
    assert _finding(tmp_path, files) is None


def test_a_model_class_that_is_called_as_its_network_is_no_network(tmp_path):
    model = "@MODEL_REGISTRY.register()\nclass MineNet:\n    def __init__(self, opt):\n        pass\n"
    finding = _finding(tmp_path, {"basicsr/models/mine_model.py": model})
    assert finding.level is Level.WARN
    assert 'defines the network "MineNet"' in finding.message


@pytest.mark.parametrize(("least", "said"), [("3.99", False), ("3.8", True)])
def test_a_repository_that_asks_for_a_newer_python_is_not_told_of_it(tmp_path, least, said):
    project = f'[project]\nrequires-python = ">={least},<4"\n'
    broken = {"basicsr/archs/mine_arch.py": f"{ENTERED}        lazy import os\n", "pyproject.toml": project}
    assert (_finding(tmp_path, broken) is not None) is said


@pytest.mark.parametrize("line", ["        lazy import os\n", "        x = f'{a['b'}'\n"])
def test_what_a_newer_python_may_read_is_a_warning(tmp_path, line):
    finding = _finding(tmp_path, {"basicsr/archs/mine_arch.py": ENTERED + line})
    assert finding.level is Level.WARN
    assert "a newer Python may" in finding.message


@pytest.mark.parametrize(
    ("imports", "level"),
    [
        ("from basicsr.archs.mine_arch import MineNet\nnet = MineNet(3)\n", Level.FAIL),
        ("from basicsr.archs.mine_arch import (\n    EDSR,\n    MineNet,\n)\n", Level.FAIL),
        ("from mines import MineNet\nfrom basicsr.archs.mine_arch import MineNet\n", Level.WARN),
        ("from mines import (\n    MineNet,\n)\n", Level.WARN),
        ("from mines import Net as MineNet\nfrom basicsr.archs.mine_arch import MineNet\n", Level.WARN),
        (
            "from basicsr.archs.mine_arch import MineNet\nARCH_REGISTRY.register(mines.Net)\n",
            Level.WARN,
        ),
        ("from basicsr.archs.mine_arch import MineNet, minenet\n", Level.WARN),
    ],
)
def test_a_name_that_is_imported_from_the_package_that_lacks_it_is_a_fail(tmp_path, imports, level):
    """As in a checkout without rrdbnet_arch.py, whose inference imports RRDBNet from it."""
    finding = _finding(tmp_path, {"inference.py": imports})
    assert "no Python file of the repository defines the network" in finding.message
    assert finding.level is level


def test_a_name_in_another_case_is_the_nearest(tmp_path):
    """As in a fork whose class is called vapsr, next to many that are written with capitals."""
    finding = _finding(tmp_path, {"basicsr/archs/mine_arch.py": ENTERED.replace("MineNet", "minenet")})
    assert 'did you mean "minenet"?' in finding.message
