# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a repository changes for all of its classes: no class of it is the published one then."""

from __future__ import annotations

import pytest

from tests.repository.trainer.test_steps import HEAD, own

PLAIN = HEAD + "class MiniModel(SRModel): pass\n"
LOOP = "def train(model):\n    for data in loader:\n        model.feed_data(data)\n"
CALL = "        model.optimize_parameters(1)\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "import torch\ntorch.nn.Conv2d = torch.nn.Linear\n",
            "torch.nn.Conv2d is changed in mini/train.py:2",
        ),
        ("from torch import nn\nif nn:\n    nn.GELU = 1\n", "torch.nn.GELU is changed in mini/train.py:3"),
        (
            "import torch.nn.functional as F\n\nF.interpolate = lambda x, **k: x\n",
            "torch.nn.functional.interpolate is changed in mini/train.py:3",
        ),
        (
            "from basicsr.utils.registry import ARCH_REGISTRY as R\nR._obj_map['RRDBNet'] = int\n",
            "a registry is changed in mini/train.py:2",
        ),
        (
            f"{LOOP}        with torch.autocast('cuda'):\n    {CALL}",
            "mini/train.py:4 sets the precision of the step",
        ),
        (
            f"torch.set_default_dtype(torch.half)\n{LOOP}{CALL}",
            "mini/train.py:1 sets the precision of the step",
        ),
        (
            f"{LOOP}{CALL}        teacher(model.lq.repeat(64, 1, 1, 1))\n",
            "mini/train.py:5 calls teacher, which no published loop does",
        ),
        (
            f"{LOOP}        code = {CALL.strip()}\n        model.sample_again(code)\n",
            "mini/train.py:5 calls sample_again, which no published loop does",
        ),
        ("def big(opt):\n    opt['gt_size'] = opt['gt_size'] * 2\n", "mini/train.py:2 changes gt_size"),
        ("def build_dataloader(opt):\n    batch_size = 16 * 8\n", "mini/train.py:2 changes batch_size"),
        ("def crop(opt):\n    opt['gt_size'] *= 2\n", "mini/train.py:2 changes gt_size"),
        ("def load(opt):\n    dataset_opt.update(opt['more'])\n", "mini/train.py:2 changes dataset_opt"),
        (
            'def loader(opt):\n    return opt["batch_size_per_gpu"] * 8\n',
            "mini/train.py:2 changes batch_size_per_gpu",
        ),
    ],
)
def test_a_change_for_all_classes_leaves_the_step_unknown(tmp_path, text, why):
    found = own(tmp_path, "MiniModel", mini_model=PLAIN, train=text)
    assert found.unknown_step() == why


@pytest.mark.parametrize(
    "text",
    [
        "import torch\ntorch.load = print\ntorch.backends.cudnn.benchmark = True\n",
        "def build_dataloader(opt):\n    batch_size = opt['batch_size_per_gpu']\n",
        "def create_dataloader(opt):\n    batch_size = 1\n    return dict(batch_size=8)\n",
        "from torch import nn\nnn.Module.add = print\n",
        "from torch import nn\ndef patch():\n    nn.BatchNorm2d = print\n",
        "class Registry:\n    def put(self, name, it):\n        self._obj_map[name] = it\n",
        "import nn\nnn.Conv2d = print\n",
        f"{LOOP}{CALL}        model.save_best(1)\n        save_images(model.output)\n",
        f"{LOOP}{CALL}        # with torch.autocast('cuda'):\n",
        "size = opt['gt_size'] // scale * opt['batch_size_per_gpu']\nif opt['gt_size'] == 2: pass\n",
    ],
)
def test_what_shapes_no_step_changes_none(tmp_path, text):
    assert own(tmp_path, "MiniModel", mini_model=PLAIN, train=text).unknown_step() is None


@pytest.mark.parametrize(
    "line",
    ["model.net_g = Wide()", "opt['network_g']['num_block'] = 300", "opt['network_d'].update(num_feat=9)"],
)
def test_a_loop_that_sets_a_network_leaves_the_step_unknown(tmp_path, line):
    loop = f"import torch\n{line}\nfor data in loader:\n    model.optimize_parameters(1)\n"
    why = own(tmp_path, "MiniModel", mini_model=PLAIN, train=loop).unknown_step()
    assert why == "mini/train.py:2 sets a network"
    shown = loop.replace(" = ", " == ").replace(".update(", ".get(")
    assert own(tmp_path / "b", "MiniModel", mini_model=PLAIN, train=shown).unknown_step() is None


@pytest.mark.parametrize(
    ("gpus", "why"), [("1", "mini/train.py:2 sets which GPUs are shown"), ("0", None), ("0,1", None)]
)
def test_a_loop_that_shows_another_gpu_is_not_judged(tmp_path, gpus, why):
    shows = f"import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '{gpus}'\n"
    loop = f"{shows}for data in loader:\n    model.optimize_parameters(1)\n"
    assert own(tmp_path, "MiniModel", mini_model=PLAIN, train=loop).unknown_step() == why


@pytest.mark.parametrize(("script", "why"), [("train", None), ("start", "mini/prune.py:5 calls prune,")])
def test_a_program_next_to_the_training_script_is_another(tmp_path, script, why):
    files = {script: f"{LOOP}{CALL}", "prune": f"{LOOP}{CALL}        prune(model.net_g)\n"}
    unknown = own(tmp_path, "MiniModel", mini_model=PLAIN, **files).unknown_step()
    assert (unknown is None) is (why is None)
    assert why is None or str(unknown).startswith(why)


LAYER = "import torch.nn.functional as F\nF.grid_sample = print\n"


@pytest.mark.parametrize(
    ("others", "counts"),
    [
        ({}, False),
        ({"arch_util": "from mini.layer_fix import it\n"}, True),
        ({"arch_util": "import importlib\nimportlib.import_module('mini.' + 'layer' + '_fix')\n"}, True),
        (
            {"__init__": "import os\nfor name in os.listdir(): importlib.import_module(name)\n"},
            True,
        ),
        ({"layer_fix": f"{LAYER}if __name__ == '__main__': train()\n"}, True),
        ({"layer_fix": f"{LAYER}loss.backward()\n"}, True),
        ({"__init__": "import glob\n__all__ = [path[:-3] for path in glob.glob('*.py')]\n"}, True),
        ({"arch_util": "for _, name, _ in pkgutil.iter_modules(path): import_module(name)\n"}, True),
        ({"arch_util": "import_module(f'{package}.{name}')\n"}, True),
        ({"arch_util": "import_module(f'mini.{name}')\nimport_module('torch.nn')\n"}, True),
        ({"arch_util": "import_module(f'mini.archs.{name}')\nimport_module('torch.nn')\n"}, False),
    ],
)
def test_a_change_in_a_file_that_nothing_imports_is_none(tmp_path, others, counts):
    files = {"__init__": "", "mini_model": PLAIN, "layer_fix": LAYER} | others
    why = own(tmp_path, "MiniModel", **files).unknown_step()
    assert why == ("torch.nn.functional.grid_sample is changed in mini/layer_fix.py:2" if counts else None)


@pytest.mark.parametrize("again", ["class MiniModel(SRModel): pass\n", "MiniModel = print\n"])
def test_a_class_that_its_file_defines_twice_is_unknown(tmp_path, again):
    found = own(tmp_path, "MiniModel", mini_model=f"{PLAIN}\n\n{again}")
    assert found.unknown_step() == "MiniModel (mini/mini_model.py:9) is not defined by one class statement"


def test_a_function_in_place_of_a_class_is_unknown(tmp_path):
    found = own(tmp_path, "MiniModel", mini_model=f"{HEAD}def MiniModel(opt): pass\n")
    assert found.step.recipe is None


def test_a_script_that_tests_a_data_set_changes_nothing(tmp_path):
    found = own(tmp_path, "MiniModel", mini_model=PLAIN, test_sets="opt['gt_size'] = 128\n")
    assert found.unknown_step() is None
