# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a repository does that is not followed proves nothing of what its published lines would refuse."""

from __future__ import annotations

import pytest

from tests.sampling import sampled
from trainlint.api import check

CONFIG = """\
name: own
model_type: SRModel
scale: 4
num_gpu: 1
datasets:
  train:
    name: train
    type: PairedImageDataset
    dataroot_gt: gt
    dataroot_lq: lq
    io_backend: {type: disk}
    gt_size: 128
    num_worker_per_gpu: 4
    batch_size_per_gpu: 4
network_g: {type: MineNet, num_feat: 64}
path: {pretrain_network_g: ~}
train:
  optim_g: {type: Adam, lr: 0.0002}
  scheduler: {type: MultiStepLR, milestones: [100]}
  total_iter: 1000
  pixel_opt: {type: L1Loss}
logger: {print_freq: 100, save_checkpoint_freq: 100}
"""
MINE = "class MineNet:\n    def __init__(self, num_feat):\n        pass\n"
ENTERED = f"@ARCH_REGISTRY.register()\n{MINE}"
BUILT = "    net = ARCH_REGISTRY.get(network_type)(**opt)\n"
PARSED = "    opt = yaml_load(args.opt)\n"
FILES = {
    "basicsr/train.py": """
def train_pipeline(root_path):
    opt, args = parse_options(root_path)
    opt['root_path'] = root_path
    train_set = build_dataset(opt['datasets']['train'])
    model = build_model(opt)
    for phase, dataset_opt in opt['datasets'].items():
        if phase == 'train':
            total_iters = int(opt['train']['total_iter'])


if __name__ == '__main__':
    train_pipeline(root_path)
""",
    "basicsr/utils/options.py": f"def parse_options(root_path):\n{PARSED}    return opt, args\n",
    "basicsr/utils/registry.py": """
class Registry():
    def _do_register(self, name, obj):
        self._obj_map[name] = obj

    def get(self, name):
        ret = self._obj_map.get(name)
        if ret is None:
            raise KeyError(f"No object named '{name}' found in '{self._name}' registry!")
        return ret


ARCH_REGISTRY = Registry('arch')
""",
    "basicsr/archs/__init__.py": f"""
from basicsr.utils.registry import ARCH_REGISTRY
names = [osp.splitext(osp.basename(v))[0] for v in scandir(arch_folder) if v.endswith('_arch.py')]
_modules = [importlib.import_module(f'basicsr.archs.{{name}}') for name in names]

def build_network(opt):
    opt = deepcopy(opt)
    network_type = opt.pop('type')
{BUILT}    logger.info(f'Network [{{net.__class__.__name__}}] is created.')
    return net
""",
    "basicsr/archs/edsr_arch.py": "@ARCH_REGISTRY.register()\nclass EDSR: ...\n",
    "basicsr/models/__init__.py": "def build_model(opt): return MODEL_REGISTRY.get(opt['model_type'])(opt)\n",
    "basicsr/models/sr_model.py": "@MODEL_REGISTRY.register()\nclass SRModel: ...\n",
    "basicsr/losses/__init__.py": "def build_loss(opt): return LOSS_REGISTRY.get(opt.pop('type'))(**opt)\n",
    "basicsr/losses/basic_loss.py": "@LOSS_REGISTRY.register()\nclass L1Loss: ...\n",
    "basicsr/data/__init__.py": "def build_dataset(opt): return DATASET_REGISTRY.get(opt['type'])(opt)\n",
    "basicsr/data/paired_image_dataset.py": """
@DATASET_REGISTRY.register()
class PairedImageDataset:
    def __getitem__(self, index):
        scale = self.opt['scale']
        if self.opt['phase'] == 'train':
            gt_size = self.opt['gt_size']
""",
}


@pytest.fixture
def found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def levels(config, **changed):
        (tmp_path / ".git").mkdir()
        for path, content in {**FILES, **changed, "own.yml": config}.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(content, "utf-8")
        report = check("own.yml", "t4", trace=False)
        return {
            finding.rule: (str(finding.level), finding.message)
            for result in report.results
            for finding in result.findings
        }

    return levels


def test_a_registry_that_can_be_followed_lacks_a_name(found):
    level, message = found(CONFIG)["misspelt-name"]
    assert (level, "MineNet" in message) == ("fail", True)


@pytest.mark.parametrize(
    ("path", "text"),
    sampled(
        [
            ("basicsr/archs/m_arch.py", "for n in kinds:\n    ARCH_REGISTRY._do_register(n + 'Net', Net)\n"),
            ("basicsr/archs/m_arch.py", "for n in kinds:\n    ARCH_REGISTRY.register(type(n, (Net,), {}))\n"),
            ("basicsr/archs/m_arch.py", "Net.__name__ = called\nARCH_REGISTRY.register(Net)\n"),
            ("basicsr/archs/__init__.py", f"from somenets import *\n{FILES['basicsr/archs/__init__.py']}"),
            (
                "basicsr/archs/__init__.py",
                f"{FILES['basicsr/archs/__init__.py']}\nexec(open('nets').read())\n",
            ),
            ("basicsr/train.py", f"import somenets  # enters its own\n{FILES['basicsr/train.py']}"),
            (
                "basicsr/archs/__init__.py",
                FILES["basicsr/archs/__init__.py"].replace("opt.pop('type')", "opt.pop('type') + 'Net'"),
            ),
            (
                "basicsr/archs/__init__.py",
                FILES["basicsr/archs/__init__.py"].replace(
                    BUILT, f"    try:\n    {BUILT}    except KeyError:\n        net = other(network_type)\n"
                ),
            ),
            (
                "basicsr/utils/registry.py",
                FILES["basicsr/utils/registry.py"].replace("._obj_map.get(name)", "._of(name.lower())"),
            ),
        ],
        quick=3,
    ),
)
def test_one_that_cannot_may_have_it(found, path, text):
    level, message = found(CONFIG, **{path: text})["misspelt-name"]
    assert level == "warn"
    assert f"its own {path}:" in message


def test_a_network_is_held_to_its_arguments_where_it_gets_all_keys(found):
    arch = {"basicsr/archs/mine_arch.py": ENTERED}
    level, _ = found(CONFIG.replace("num_feat: 64", "num_feat: 64, depth: 3"), **arch)["network-arguments"]
    assert level == "fail"


@pytest.mark.parametrize(
    "built",
    [
        "    for key in extra:\n        opt.pop(key, None)\n" + BUILT,
        BUILT.replace("**opt", "**{k: opt[k] for k in taken(network_type)}"),
        "    kind = ARCH_REGISTRY.get(network_type)\n    net = kind.of(opt)\n",
    ],
)
def test_not_where_some_may_be_left_out(found, built):
    archs = FILES["basicsr/archs/__init__.py"].replace(BUILT, built)
    files = {"basicsr/archs/mine_arch.py": ENTERED, "basicsr/archs/__init__.py": archs}
    level, _ = found(CONFIG.replace("num_feat: 64", "num_feat: 64, depth: 3"), **files)["network-arguments"]
    assert level == "warn"


SHORT = CONFIG.replace("  total_iter: 1000\n", "").replace("MineNet", "EDSR")


def test_a_key_that_the_loop_reads_is_missing(found):
    assert found(SHORT)["missing-key"][0] == "fail"


@pytest.mark.parametrize(
    "made",
    sampled(
        [
            "    opt = {**DEFAULTS, **opt}\n",
            "    opt = DEFAULTS | opt\n",
            "    opt = merge(yaml_load('base.yml'), opt)\n",
            "    opt = OmegaConf.to_container(OmegaConf.merge(OmegaConf.load('base.yml'), opt))\n",
            "    opt = Options(**opt).as_dict()\n",
            "    opt = {key: value_of(item) for key, item in opt.items()}\n",
            "    opt['train'] = complete(opt['train'])\n",
            "    for key, value in DEFAULTS.items():\n        opt['train'].setdefault(key, value)\n",
            "    for key, value in DEFAULTS.items():\n        opt['train'][key] = value\n",
            "    complete(opt)\n",
        ],
        quick=3,
    ),
)
@pytest.mark.parametrize("path", ["basicsr/utils/options.py", "basicsr/train.py"])
def test_options_that_are_made_anew_may_have_it(found, made, path):
    line = PARSED if path.endswith("options.py") else "    opt['root_path'] = root_path\n"
    filling = "def complete(opt):\n    for key, value in DEFAULTS.items():\n        opt[key] = value\n"
    files = {path: FILES[path].replace(line, line + made), "basicsr/utils/filling.py": filling}
    level, message = found(SHORT, **files)["missing-key"]
    assert level == "warn"
    assert "may set that" in message


def test_a_copy_has_what_was_read(found):
    line = "    opt['root_path'] = root_path\n"
    copied = "    opt = deepcopy(opt)\n    opt = dict(opt)\n    opt['path']['train'] = fill(opt['name'])\n"
    script = FILES["basicsr/train.py"].replace(line, line + copied)
    assert found(SHORT, **{"basicsr/train.py": script})["missing-key"][0] == "fail"


def test_a_data_set_that_rounds_its_crop_takes_any(found):
    config = CONFIG.replace("MineNet", "EDSR").replace("gt_size: 128", "gt_size: 130")
    assert found(config)["crop-scale"][0] == "fail"


def test_one_that_rounds_it_itself_may_take_it(found):
    path = "basicsr/data/paired_image_dataset.py"
    own = FILES[path].replace("self.opt['gt_size']\n", "self.opt['gt_size'] // scale * scale\n")
    config = CONFIG.replace("MineNet", "EDSR").replace("gt_size: 128", "gt_size: 130")
    assert found(config, **{path: own})["crop-scale"][0] == "warn"


def test_a_data_set_that_reads_its_size_as_published_needs_one(found):
    path = "basicsr/data/paired_image_dataset.py"
    config = CONFIG.replace("MineNet", "EDSR").replace("gt_size: 128", "gt_size: ~")
    others = {"basicsr/data/more.py": FILES[path].replace("Paired", "Other")}
    assert found(config, **others)["wrong-type"][0] == "fail"


def test_one_that_asks_may_take_none(found):
    path = "basicsr/data/paired_image_dataset.py"
    own = FILES[path].replace("self.opt['gt_size']\n", "pick(self.opt.get('gt_size', 0))\n")
    config = CONFIG.replace("MineNet", "EDSR").replace("gt_size: 128", "gt_size: ~")
    others = {"basicsr/data/more.py": FILES[path].replace("Paired", "Other"), path: own}
    level, message = found(config, **others)["wrong-type"]
    assert level == "warn"
    assert f"its own {path}:7 may do something else with that" in message


AXOLOTL = """\
base_model: Qwen/Qwen3-4B
datasets: [{path: data.jsonl, type: alpaca}]
eval_datasets: [{path: held.jsonl}]
sequence_len: 2048
micro_batch_size: 2
gradient_accumulation_steps: 4
learning_rate: 0.0002
val_set_size: 0
eval_steps: 10
"""
REFUSAL = """
def validate_config(cfg):
    if cfg.val_set_size == 0 and cfg.eval_steps{}:
        raise ValueError("{}")
"""
SAYS = "eval_steps and evaluation_strategy are not supported with val_set_size == 0"


@pytest.mark.parametrize(
    ("asks", "says", "level"),
    [("", SAYS, "fail"), (" and not cfg.eval_datasets", SAYS, "warn"), ("", "no evaluation", None)],
)
def test_a_refusal_is_that_of_the_source_around(found, asks, says, level):
    files = {"src/axolotl/utils/config.py": REFUSAL.format(asks, says)}
    assert found(AXOLOTL, **files).get("evaluation-without-data", (None,))[0] == level
