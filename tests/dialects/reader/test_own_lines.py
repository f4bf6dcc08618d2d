# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A repository's own lines may change what a config says: then a wrong value is no fail."""

from __future__ import annotations

import json

import pytest

from trainlint.api import check

KAIR = {
    "task": "x4", "model": "plain", "gpu_ids": [0], "dist": False, "scale": 4, "n_channels": 3,
    "path": {"root": "superresolution"},
    "datasets": {
        "train": {
            "name": "train", "dataset_type": "sr", "dataroot_H": "H", "H_size": 96,
            "dataloader_shuffle": True, "dataloader_num_workers": 4, "dataloader_batch_size": 16,
        },
    },
    "netG": {"net_type": "msrresnet0"},
    "train": {"G_lossfn_type": "1*Charbonnier", "G_lossfn_weight": 1.0},
}  # fmt: skip
OF_KAIR = {
    "utils/utils_option.py": "def parse(path):\n    return json.loads(path)\n",
    "models/model_base.py": "class ModelBase:\n    pass\n",
    "models/model_plain.py": """
class ModelPlain:
    def define_loss(self):
        G_lossfn_type = self.opt_train['G_lossfn_type']
        if G_lossfn_type == 'l1':
            self.G_lossfn = nn.L1Loss().to(self.device)
        else:
            raise NotImplementedError('Loss type [{:s}] is not found.'.format(G_lossfn_type))
""",
}
LEGACY = """\
name: own
model: Unet4
gpu_ids: [0]
datasets:
  train: {name: train, mode: LQGT, dataroot_GT: gt, n_workers: 4, batch_size: 16, GT_size: 128}
network_G: {in_nc: 3, out_nc: 3}
path: {pretrain_model_G: ~}
train: {lr_G: 0.0002, niter: 1000, lr_scheme: MultiStepLR, lr_steps: [500, 200], lr_gamma: 0.5}
logger: {print_freq: 100, save_checkpoint_freq: 500}
"""
OF_LEGACY = {
    "codes/options/options.py": "def parse(path):\n    return yaml.load(path)\n",
    "codes/models/networks.py": "def define_G(opt):\n    return opt['network_G']['which_model_G']\n",
    "codes/models/sr_model.py": "def build(opt):\n    return define_G(opt)\n",
    "codes/models/__init__.py": """
def create_model(opt):
    model = opt['model']
    if model == 'Unet':
        from .unet_model import UnetModel as M
    elif model == 'sr':
        from .sr_model import SRModel as M
    else:
        raise NotImplementedError('Model [{:s}] not recognized.'.format(model))
    return M(opt)
""",
    "codes/train.py": """
def main():
    opt = option.parse(args.opt)
    model = create_model(opt)
    while step < opt['train']['niter']:
        model.optimize_parameters(step)
main()
""",
}
PUBLISHED = """\
for phase, dataset_opt in opt['datasets'].items():
        if phase == 'train':
            total_iters = int(opt['train']['niter'])
    while step < total_iters:"""
SETTING = """
def main():
    opt = option.parse(args.opt)
    opt['model'] = 'Unet'
    opt['scale'] = 2
"""

BASICSR = """\
name: own
model_target: own.Model
num_gpu: 1
datasets: {train: {name: a, type: PairedImageDataset, dataroot_gt: gt, dataroot_lq: lq}}
network_g: {target: own.Net, params: {num_feat: 64}}
path: {}
train:
  pixel_opt: {type: L1Loss}
  total_iter: 1000
  optim_g: {type: Adam}
  scheduler: {type: MultiStepLR, milestones: [500]}
logger: {print_freq: 10, save_checkpoint_freq: 500}
"""
OF_BASICSR = {
    "basicsr/utils/options.py": "def parse(path):\n    return yaml.load(path)\n",
    "basicsr/losses/__init__.py": "def build_loss(opt):\n    loss_type = opt.pop('type')\n",
    "basicsr/losses/basic_loss.py": "class L1Loss(nn.Module):\n    pass\n",
    "basicsr/archs/__init__.py": "def build_network(opt):\n    network_type = opt.pop('type')\n",
    "basicsr/models/sr_model.py": """
class SRModel(BaseModel):
    def __init__(self, opt):
        self.net_g = build_network(opt['network_g'])
        self.cri_pix = build_loss(self.opt['train']['pixel_opt'])
""",
}
BY_TARGET = "def build_network(opt):\n    return get_obj_from_str(opt['target'])(**opt['params'])\n"

OF_LLAMAFACTORY = """\
stage: sft
do_train: true
model_name_or_path: m
dataset: d
template: qwen
output_dir: out
own_pref: false
"""


@pytest.fixture
def found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def levels(files, name, text):
        for path, content in {**files, name: text}.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(content, "utf-8")
        report = check(name, "t4", trace=False)
        return {
            finding.rule: (str(finding.level), finding.message)
            for result in report.results
            for finding in result.findings
        }

    return levels


def test_a_model_that_takes_a_value_apart_may_take_another(found):
    def level(files, **changed):
        seen = found(files, "options/own.json", json.dumps({**KAIR, **changed}))
        return seen.get("wrong-value", ("", ""))

    assert level(OF_KAIR)[0] == "fail"
    own = (
        "class ModelOwn:\n    def define_loss(self):\n        ways = parts(self.opt_train['G_lossfn_type'])\n"
    )
    assert level({"models/model_own.py": own})[0] == "fail"  # the config has the published one
    assert "lossfn" not in level({}, model="own")[1]
    setting = "def define(self):\n    self.opt_train['G_lossfn_type'] = 'l1'\n"
    found_level, message = level({"models/model_own.py": setting})
    assert found_level == "warn"
    assert "models/model_own.py:2 may change that" in message


def test_a_data_set_that_asks_whether_a_size_is_there_takes_none(found):
    text = LEGACY.replace("mode: LQGT,", "mode: Own,").replace("GT_size: 128", "GT_size: ~")
    own = "class Own(data.Dataset):\n    def __init__(self, opt):\n        self.size = opt['GT_size']\n"
    files = {**OF_LEGACY, "codes/data/own.py": own}
    assert "wrong-type" in found(files, "codes/options/train/own.yml", text)
    asked = f"{own}        if opt['GT_size'] is not None:\n            crop()\n"
    assert "wrong-type" not in found({"codes/data/own.py": asked}, "codes/options/train/own.yml", text)
    got = own.replace("opt['GT_size']", "opt.get('GT_size', {})")
    assert "wrong-type" not in found(
        {"codes/data/own.py": got.format(None)}, "codes/options/train/own.yml", text
    )
    assert "wrong-type" in found({"codes/data/own.py": got.format(9)}, "codes/options/train/own.yml", text)


def test_a_choice_with_a_branch_for_none_takes_it(found):
    text = json.dumps({**KAIR, "netD": {"net_type": None}})
    choice = """
def define_D(opt):
    net_type = opt['netD']['net_type']
    if net_type == 'discriminator_unet':
        from models.network_discriminator import Discriminator_UNet as D
    {}else:
        raise NotImplementedError(net_type)
"""
    none = "elif net_type is None:\n        D = None\n    "
    files = {**OF_KAIR, "models/select_network.py": choice.format("")}
    assert (
        "netD.net_type"
        in found(files, "options/own.json", text.replace("1*Charbonnier", "l1"))["wrong-value"][1]
    )
    files = {"models/select_network.py": choice.format(none)}
    assert "wrong-value" not in found(files, "options/own.json", text.replace("1*Charbonnier", "l1"))


def test_a_script_that_sets_a_value_settles_it(found):
    text = LEGACY.replace("GT_size: 128", "GT_size: 126").replace("gpu_ids:", "scale: 4\ngpu_ids:")
    before = found(OF_LEGACY, "codes/options/train/own.yml", text)
    assert {rule: before[rule][0] for rule in ("misspelt-name", "crop-scale")} == {
        "misspelt-name": "fail",
        "crop-scale": "fail",
    }
    after = found({"codes/train_own.py": SETTING}, "codes/options/train/own.yml", text)
    assert {rule: after[rule][0] for rule in ("misspelt-name", "crop-scale")} == {
        "misspelt-name": "warn",
        "crop-scale": "warn",
    }
    assert "its own train_own.py:5 may change that" in after["crop-scale"][1]


def test_a_mapping_that_an_own_line_builds_by_another_key_may_do_without_one(found):
    name = "options/own.yml"
    assert found(OF_BASICSR, name, BASICSR)["missing-key"][0] == "fail"  # no line reads a target
    by_target = {"basicsr/archs/__init__.py": BY_TARGET}
    assert "missing-key" not in found(by_target, name, BASICSR)
    misspelt = BASICSR.replace("target: own.Net, params", "tpye: Net, width")
    assert found(by_target, name, misspelt)["missing-key"][0] == "fail"


def test_a_text_is_no_wrong_size_where_the_code_takes_texts(found):
    text = LEGACY.replace("GT_size: 128", "GT_size: '192, 64'").replace("Unet4", "sr")
    own = "class LQGT:\n    def __init__(self, opt):\n        self.GT_size = opt['GT_size']\n"
    split = (
        f"{own}        if isinstance(self.GT_size, str):\n            self.GT_size = parts(self.GT_size)\n"
    )
    files = {".git/HEAD": "", "codes/data/own.py": own}
    assert (
        found({".git/HEAD": "", "tests/test_own.py": own}, "config/own.yml", text)["wrong-type"][0] == "fail"
    )
    level, message = found(files, "config/own.yml", text)["wrong-type"]  # no trainer is identified
    assert level == "warn"
    assert "codes/data/own.py:3 may take that" in message
    assert "wrong-type" not in found({"codes/data/own.py": split}, "config/own.yml", text)
    files = {**OF_LEGACY, "codes/data/own.py": own}
    assert found(files, "codes/options/train/own.yml", text)["wrong-type"][0] == "warn"
    assert "wrong-type" not in found({"codes/data/own.py": split}, "codes/options/train/own.yml", text)


def test_what_an_unknown_model_reads_is_not_known(found):
    named = LEGACY.replace("Unet4", "sr")
    assert found(OF_LEGACY, "codes/options/train/own.yml", named)["missing-key"][0] == "fail"
    level, message = found(OF_LEGACY, "codes/options/train/own.yml", LEGACY)["missing-key"]
    assert level == "warn"
    assert "what its own Unet4 reads was not followed" in message
    endless = LEGACY.replace("niter: 1000, ", "").replace("{in_nc", "{which_model_G: own, in_nc")
    script = OF_LEGACY["codes/train.py"].replace("while step < opt['train']['niter']:", PUBLISHED)
    seen = found({"codes/train.py": script}, "codes/options/train/own.yml", endless)
    assert seen["missing-key"][0] == "fail"  # the script reads it, whatever the model is


def test_a_script_that_reads_the_file_itself_decides(found):
    files = {
        "src/llamafactory/__init__.py": "",
        "src/llamafactory/hparams/parser.py": "class ModelArguments:\n    model_name_or_path: str\n",
        "src/llamafactory/hparams/finetuning_args.py": "class FinetuningArguments:\n    stage: str = 'sft'\n",
        "src/train.py": "from llamafactory.train.tuner import run_exp\n",
    }
    level, _ = found(files, "demo/own_test.yaml", OF_LLAMAFACTORY)["unknown-key"]
    assert level == "fail"
    own = "add_argument('--config', default='demo/own_test.yaml')\nyaml.safe_load(open(args.config))\n"
    elsewhere = own.replace("demo/", "")
    level, _ = found({"tools/run_own.py": elsewhere}, "demo/own_test.yaml", OF_LLAMAFACTORY)["unknown-key"]
    assert level == "fail"  # there are many of that name
    level, message = found({"demo/run_own.py": own}, "demo/own_test.yaml", OF_LLAMAFACTORY)["unknown-key"]
    assert level == "warn"
    assert "demo/run_own.py reads this file itself" in message


OF_OWN_GAN = """
class OwnModel(BaseModel):
    def init_training_settings(self):
        # self.net_d_iters = train_opt.get('net_d_iters', 1)
        self.cri_pix = build_loss(self.opt['train']['pixel_opt'])

    def optimize_parameters(self, current_iter):
        self.optimizer_g.step()
"""


def test_what_an_own_model_never_reads_is_not_wrong(found):
    text = BASICSR.replace("model_target: own.Model", "model_type: OwnModel")
    text = text.replace("{target: own.Net, params: {num_feat: 64}}", "{type: MSRResNet, num_feat: 64}")
    text = (
        text.replace("  total_iter", "  net_d_iters: 0\n  total_iter")
        + "network_d: {type: VGGStyleDiscriminator}\n"
    )
    reads = OF_OWN_GAN.replace("# self", "self")
    base = {"basicsr/models/base_model.py": "class BaseModel:\n    pass\n"}
    files = {
        **OF_BASICSR,
        **base,
        ".git/HEAD": "",
        "basicsr/models/__init__.py": "MODEL_REGISTRY.get(opt['model_type'])\n",
    }
    assert "wrong-value" in found({**files, "basicsr/models/own_model.py": reads}, "options/own.yml", text)
    assert "wrong-value" not in found({"basicsr/models/own_model.py": OF_OWN_GAN}, "options/own.yml", text)


HANDED_ON = """
class OwnModel(BaseModel):
    def __init__(self, opt):
        self.net_g = Net(**opt['network_g']['own'])
"""


def test_a_mapping_that_an_unlisted_model_hands_on_may_be_read_otherwise(found):
    text = BASICSR.replace("model_target: own.Model", "model_type: OwnModel")
    text = text.replace("{target: own.Net, params: {num_feat: 64}}", "{own: {num_feat: 64}}")
    assert found({**OF_BASICSR, ".git/HEAD": ""}, "options/own.yml", text)["missing-key"][0] == "fail"
    own = {"basicsr/models/own_model.py": HANDED_ON}
    assert found(own, "options/own.yml", text).get("missing-key", ("warn",))[0] == "warn"


OF_OWN_DATA = """
def main(json_path='options/own.json'):
    opt = option.parse(parser.parse_args().opt)
    for phase, dataset_opt in opt['datasets'].items():
        train_set = {chooser}(dataset_opt)
    model = define_Model(opt)
"""


@pytest.mark.parametrize(("chooser", "level"), [("define_Dataset", "fail"), ("manager.init_data", "warn")])
def test_what_a_script_without_the_choice_of_data_sets_reads_is_not_known(found, chooser, level):
    config = {**KAIR, "scale": 3, "datasets": {"train": {**KAIR["datasets"]["train"], "H_size": 128}}}
    files = {**OF_KAIR, ".git/HEAD": "", "main_train_own.py": OF_OWN_DATA.format(chooser=chooser)}
    seen = found(files, "options/own.json", json.dumps(config))["crop-scale"]
    assert seen[0] == level
    assert level == "fail" or "its own main_train_own.py:4 reads that" in seen[1]


OF_PATCHES = """
class DatasetOwn:
    def __init__(self, opt):
        self.patch_size = self.opt['H_size'] if self.opt['H_size'] else 96
"""
CHOICE = """
def define_Dataset(dataset_opt):
    if dataset_opt['dataset_type'] in ['own']:
        from data.dataset_own import DatasetOwn as D
    elif dataset_opt['dataset_type'] in ['sr']:
        from data.dataset_sr import DatasetSR as D
"""


@pytest.mark.parametrize(("read", "level"), [("H_size", "fail"), ("size", "warn")])
def test_what_an_own_data_set_crops_is_known_by_published_lines_alone(found, read, level):
    own = {**KAIR["datasets"]["train"], "dataset_type": "own", "H_size": 128}
    config = {**KAIR, "scale": 3, "datasets": {"train": own}}
    files = {
        **OF_KAIR,
        ".git/HEAD": "",
        "main_train_own.py": OF_OWN_DATA.format(chooser="define_Dataset"),
        "data/select_dataset.py": CHOICE,
        "data/dataset_own.py": OF_PATCHES.replace("H_size", read),
    }
    seen = found(files, "options/own.json", json.dumps(config))["crop-scale"]
    assert seen[0] == level
    assert level == "fail" or 'what its own data set "own" reads was not followed' in seen[1]


READS = """
def parse(path, args):
    options = yaml.load(path)
    for name, value in args.items():
        {}[name] = value
"""


@pytest.mark.parametrize(
    ("file", "sets", "level"),
    [
        ("basicsr/utils/own.py", "opt", "warn"),
        ("basicsr/utils/own.py", "seen", "fail"),
        ("facelib/own.py", "opt", "fail"),
    ],
)
def test_a_reader_of_the_trainers_own_that_sets_any_key_may_set_it(found, file, sets, level):
    seen = found({**OF_BASICSR, ".git/HEAD": "", file: READS.format(sets)}, "options/own.yml", BASICSR)
    assert seen["missing-key"][0] == level
    assert level == "fail" or f"its own {file}:5 may set that" in seen["missing-key"][1]
