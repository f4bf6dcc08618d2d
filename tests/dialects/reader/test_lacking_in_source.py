# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A repository's own source settles what no schema can: names, keys that it asks for or never reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sampling import sampled
from trainlint.api import check
from trainlint.model.finding import Level

SETTLED = ("misspelt-name", "missing-key", "unknown-key", "unknown-argument", "network-arguments")
OPTIONS = """\
name: own
model_type: OwnModel
scale: 4
num_gpu: 1
datasets:
  train:
    name: train
    type: OwnDataset
    dataroot_gt: gt
    io_backend: {type: disk}
    gt_size: 128
    use_rot: true
    num_worker_per_gpu: 4
    batch_size_per_gpu: 4
network_g: {type: OwnNetLocal, num_feat: 64}
path: {pretrain_network_g: ~}
train:
  optim_g: {type: AdamW, lr: 0.0002}
  scheduler: {type: OwnRestartLR, periods: [100]}
  total_iter: 1000
val:
  val_freq: 100
  metrics:
    psnr: {type: calculate_psnr, crop_border: 4}
logger: {print_freq: 100, save_checkpoint_freq: 100}
"""
FILES = {
    "basicsr/__init__.py": "",
    "basicsr/train.py": """
def train(opt):
    loader(opt['datasets']['train']['batch_size_per_gpu'], opt['datasets']['train']['num_worker_per_gpu'])
    while step < opt['train']['total_iter']:
        step % opt['logger']['print_freq'], step % opt['logger']['save_checkpoint_freq']
""",
    "basicsr/utils/options.py": "def parse(path): return yaml.load(path)\n",
    "basicsr/data/__init__.py": "def create_dataset(opt): return getattr(own_dataset, opt['type'])(opt)\n",
    "basicsr/data/own_dataset.py": """
class OwnDataset:
    def __init__(self, opt):
        self.size, self.rot, self.root = opt['gt_size'], opt['use_rot'], opt['dataroot_gt']
""",
    "basicsr/metrics/__init__.py": "def calculate_psnr(image, crop_border): pass\n",
    "basicsr/models/__init__.py": "",
    "basicsr/models/own_model.py": """
class OwnModel:
    def setup(self, opt):
        kind = opt['scheduler'].pop('type')
        if kind == 'MultiStepLR':
            return MultiStepLR()
        elif kind == 'OwnRestartLR':
            return OwnRestartLR()
        optim = opt['optim_g'].pop('type')
        if optim == 'Adam':
            return Adam()
        elif optim == 'AdamW':
            return AdamW()

    def measure(self, opt):
        for name, of in opt['metrics'].items():
            yield frechet(self) if name == 'fid' else globals()[of['type']](self)
""",
    "basicsr/models/archs/__init__.py": "def define_network(opt): return dynamic_instantiation(opt)\n",
    "basicsr/models/archs/own_arch.py": """
from torch import nn
class OwnNet(nn.Module):
    def __init__(self, num_feat=64, bias=True):
        super().__init__()
class OwnNetLocal(OwnNet):
    def __init__(self, *args, train_size=8, **kwargs):
        OwnNet.__init__(self, *args, **kwargs)
""",
}


@pytest.fixture
def found(tmp_path, monkeypatch):
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)

    def rules(old: str = "", new: str = "", *, alone: bool = False):
        if alone:
            (tmp_path / "basicsr").rename(tmp_path / "elsewhere")
        (tmp_path / "own.yml").write_text(OPTIONS.replace(old, new) if old else OPTIONS, "utf-8")
        report = check("own.yml", "t4", trace=False)
        return {
            (str(finding.level), finding.rule, finding.message)
            for result in report.results
            for finding in result.findings
            if finding.rule in SETTLED
        }

    return rules


def test_a_repository_has_all_that_it_names(found):
    assert found() == set()


def test_a_class_that_the_page_of_a_config_shows_is_not_lacking(found, tmp_path):
    config = OPTIONS.replace("model_type: OwnModel", "model_type: ShownModel")
    for text, lacks in (("", True), ("```python\nclass ShownModel(OwnModel):\n    pass\n```\n\n", False)):
        (tmp_path / "page.md").write_text(f"{text}```yaml\n{config}```\n", "utf-8")
        results = check("page.md", "t4", trace=False).results
        said = [one.message for result in results for one in result.findings if one.rule == "misspelt-name"]
        assert any("ShownModel" in message for message in said) is lacks


@pytest.mark.parametrize(
    ("old", "new", "what"),
    sampled(
        [
            ("OwnDataset", "OwnDatsaet", 'the dataset class "OwnDatsaet"; did you mean "OwnDataset"?'),
            ("OwnRestartLR", "OwnRestratLR", 'the scheduler "OwnRestratLR"; did you mean "OwnRestartLR"?'),
            ("AdamW", "AadmW", 'the optimizer "AadmW"; did you mean "AdamW"?'),
            (
                "calculate_psnr",
                "calculate_psrn",
                'the metric "calculate_psrn"; did you mean "calculate_psnr"?',
            ),
        ],
        2,
    ),
)
def test_a_slip_of_a_name_that_the_source_has_fails(found, old, new, what):
    assert found(old, new) == {("fail", "misspelt-name", f"no Python file of the repository has {what}")}


def test_a_name_that_is_like_none_may_be_an_installed_packages(found):
    ((level, rule, message),) = found("calculate_psnr", "musiq")
    assert (level, rule) == ("warn", "misspelt-name")
    assert message.endswith('has the metric "musiq"')


def test_a_metric_that_is_computed_by_its_entrys_name_needs_no_type(found):
    assert found("psnr: {type: calculate_psnr", "fid: {type: calculate_fid") == set()
    assert len(found("psnr: {type: calculate_psnr", "kid: {type: calculate_kid")) == 1


def test_a_name_that_may_be_taken_apart_is_not_judged(found):
    assert found("calculate_psnr", "psnr+musiq") == set()


def test_what_torch_has_needs_no_mention(found):
    assert found("AdamW", "RMSprop") == set()


@pytest.mark.parametrize(
    "key", sampled(["batch_size_per_gpu", "num_worker_per_gpu", "total_iter", "print_freq"], 1)
)
def test_a_key_that_the_source_reads_is_missed(found, key):
    said = {rule: message for _, rule, message in found(f"{key}: ", f"{key}s_: ")}
    assert f'"{key}" is missing' in said["missing-key"]
    assert "the source of this repository reads it" in said["missing-key"]


BRANCHES = """
def schedule(opt):
    kind = opt['scheduler']['type']
    if kind == 'OwnRestartLR':
        return OwnRestartLR()
    elif kind == 'LinearLR':
        return LinearLR(
            opt['train']['total_iter'])
schedule(parsed)
"""


@pytest.mark.parametrize(("kind", "missed"), [("OwnRestartLR", False), ("LinearLR", True)])
def test_a_key_that_only_another_choice_reads_is_not_missed(found, tmp_path, kind, missed):
    loop = FILES["basicsr/train.py"].replace("step < opt['train']['total_iter']", "True")
    (tmp_path / "basicsr/train.py").write_text(loop, "utf-8")
    (tmp_path / "basicsr/models/base_model.py").write_text(BRANCHES, "utf-8")
    said = found("type: OwnRestartLR, periods: [100]}\n  total_iter: 1000", f"type: {kind}}}")
    assert ("missing-key" in {rule for _, rule, _ in said}) is missed


OTHER_DATA = """
@DATASET_REGISTRY.register()
class {name}:
    def __init__(self, opt):
        self.rounds = opt['total_iter']
"""


@pytest.mark.parametrize(("name", "missed"), [("AnotherDataset", False), ("OwnDataset", True)])
def test_a_key_that_only_the_class_of_another_choice_reads_is_not_missed(found, tmp_path, name, missed):
    loop = FILES["basicsr/train.py"].replace("step < opt['train']['total_iter']", "True")
    (tmp_path / "basicsr/train.py").write_text(loop, "utf-8")
    (tmp_path / "basicsr/data/another_dataset.py").write_text(OTHER_DATA.format(name=name), "utf-8")
    said = found("\n  total_iter: 1000", "")
    assert ("missing-key" in {rule for _, rule, _ in said}) is missed


IMPORTED = """
def create(opt):
    if opt['type'].lower() in ['{kind}', 'another']:
        from data.another_dataset import AnotherDataset as D
"""


@pytest.mark.parametrize(("kind", "missed"), [("other", False), ("owndataset", True)])
def test_a_class_that_is_only_imported_for_another_choice_asks_for_nothing(found, tmp_path, kind, missed):
    loop = FILES["basicsr/train.py"].replace("step < opt['train']['total_iter']", "True")
    (tmp_path / "basicsr/train.py").write_text(loop, "utf-8")
    text = OTHER_DATA.format(name="AnotherDataset").replace("@DATASET_REGISTRY.register()", "")
    (tmp_path / "basicsr/data/another_dataset.py").write_text(text, "utf-8")
    (tmp_path / "basicsr/data/__init__.py").write_text(IMPORTED.format(kind=kind), "utf-8")
    said = found("\n  total_iter: 1000", "")
    assert ("missing-key" in {rule for _, rule, _ in said}) is missed


GUARDED = """
def resume(opt):
    if opt['path']['state']:
        return opt['train']['total_iter']
def regularize(opt):
    steps = opt['train']['steps'] if opt['train']['steps'] else 0
    if steps > 0 and step % opt['train']['total_iter'] == 0:
        return True
resume(opt), regularize(opt)
"""


@pytest.mark.parametrize(
    ("values", "code", "missed"),
    [
        ("~ ~", GUARDED, False),
        ("a.state ~", GUARDED, True),
        ("~ 5", GUARDED, True),
        ("~ ~", f"{GUARDED}opt['path']['state'] = args.state\n", True),
        ("~ ~", GUARDED.replace("if opt['path']['state']:", "if not opt['path']['state']:"), True),
        ("~ ~", GUARDED.replace(" and ", " or "), True),
    ],
)
def test_a_key_behind_one_that_is_empty_is_not_missed(found, tmp_path, values, code, missed):
    state, steps = values.split()
    loop = FILES["basicsr/train.py"].replace("step < opt['train']['total_iter']", "True")
    (tmp_path / "basicsr/train.py").write_text(loop, "utf-8")
    (tmp_path / "basicsr/models/base_model.py").write_text(code, "utf-8")
    options = OPTIONS.replace("pretrain_network_g: ~", f"pretrain_network_g: ~, state: {state}")
    said = found(OPTIONS, options.replace("total_iter: 1000", f"steps: {steps}"))
    assert ("missing-key" in {rule for _, rule, _ in said}) is missed


def test_a_key_that_it_never_mentions_is_nearly_one_that_it_reads(found):
    ((level, rule, message),) = found("use_rot", "ues_rot")
    assert (level, rule) == ("warn", "unknown-key")
    assert 'did you mean "use_rot"?' in message


def test_keywords_go_on_to_the_base(found):
    ((level, rule, message),) = found("num_feat: 64", "num_faet: 64")
    assert (level, rule) == ("fail", "network-arguments")
    assert 'takes no argument "num_faet"; did you mean "num_feat"?' in message
    assert found("num_feat: 64", "train_size: 9, bias: false") == set()


def test_a_number_in_quotes_is_a_warning(found):
    ((level, rule, message),) = found("num_feat: 64", 'num_feat: "64"')
    assert (level, rule) == ("warn", "network-arguments")
    assert message == 'num_feat must be a number without quotes, is "64"'


def test_without_the_source_none_of_it_is_said(found):
    said = found("OwnRestartLR", "OwnRestratLR", alone=True)
    assert not any("no Python file" in message for _, _, message in said)


STAGES = "gt_size: 128\n    gt_sizes: [64, 256]\n    mini_batch_sizes: [4, 2]\n    iters: [1000, 500]"


@pytest.mark.parametrize(("read", "said"), [("mini_batch_sizes", True), ("all_batch_sizes", False)])
def test_stages_that_no_line_of_the_source_reads_are_none(found, tmp_path, read, said):
    loop = (
        FILES["basicsr/train.py"]
        + f"\ndef stage(opt):\n    return opt['{read}'], opt['gt_sizes'], opt['iters']\n"
    )
    (tmp_path / "basicsr/train.py").write_text(loop, "utf-8")
    (tmp_path / "own.yml").write_text(OPTIONS.replace("gt_size: 128", STAGES), "utf-8")
    report = check("own.yml", "t4", trace=False)
    rules = {finding.rule for result in report.results for finding in result.findings}
    assert rules & {"stages-above-base", "stages-unreached"} == (
        {"stages-above-base", "stages-unreached"} if said else set()
    )


DREAMS = (
    "python train_dreambooth.py --pretrained_model_name_or_path m --output_dir o --concepts_list c.json\n"
)
PARSER = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--pretrained_model_name_or_path", type=str, required=True)
parser.add_argument("--output_dir", type=str)
parser.add_argument("--instance_data_dir", type=str{required})
parser.add_argument("--instance_prompt", type=str)
parser.add_argument("--concepts_list", type=str)
args = parser.parse_args()
"""


@pytest.mark.parametrize(("required", "missed"), [("", False), (", required=True", True)])
def test_a_script_of_its_own_asks_for_its_own_flags(tmp_path, monkeypatch, required, missed):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train_dreambooth.py").write_text(PARSER.replace("{required}", required), "utf-8")
    (tmp_path / "train.sh").write_text(DREAMS, "utf-8")
    messages = [
        one.message for result in check("train.sh", "t4", trace=False).results for one in result.findings
    ]
    assert any("--instance_data_dir" in message for message in messages) is missed
    assert not any("--instance_prompt" in message for message in messages)


def test_the_repository_beside_a_command_may_have_its_flags(tmp_path, monkeypatch):
    """As a fork of LLaMA-Factory in a folder that a script enters by a name that only the shell knows."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    script = 'cd "${ROOT}"\nllamafactory-cli train --stage sft --which_rope time --which_hope time\n'
    (tmp_path / "train.sh").write_text(script, "utf-8")
    own = tmp_path / "Factory" / "model_args.py"
    own.parent.mkdir()
    own.write_text('class ModelArguments:\n    which_rope: str = "time"\n', "utf-8")
    messages = [
        one.message for result in check("train.sh", "t4", trace=False).results for one in result.findings
    ]
    assert any("which_hope" in message for message in messages)
    assert not any("which_rope" in message for message in messages)


def test_a_loss_that_is_only_asked_for_has_no_class(found, tmp_path):
    loss = "  seq_opt: {type: Correlation}\n  total_iter: 1000"
    usual = "    def losses(self, opt):\n        return opt['pixel_opt']\n"
    model = FILES["basicsr/models/own_model.py"] + usual
    for line, said in (
        ("if opt.get('seq_opt'):\n            pass\n", False),
        ("build_loss(opt['seq_opt'])\n", True),
    ):
        (tmp_path / "basicsr/models/own_model.py").write_text(f"{model}        {line}", "utf-8")
        assert bool(found("  total_iter: 1000", loss)) is said


LEGACY = """
name: old
model: sr
scale: 4
gpu_ids: [0]
datasets:
  train: {name: D, mode: LQGT, dataroot_GT: gt, batch_size: 32, GT_size: 128}
network_G: {which_model_G: MSRResNet, in_nc: 3, out_nc: 3, nf: 64, nb: 16, upscale: 4}
path: {pretrain_model_G: ~, strict_load: true, resume_state: ~}
train: {lr_G: 2.0e-4, lr_scheme: MultiStepLR, lr_steps: [2000], niter: 9000, pixel_criterion: l1}
logger: {print_freq: 100, save_checkpoint_freq: 5000}
"""
BRANCH = """\
def main(opt):
    if opt['model'] == 'depth_recovery':
        return recover(opt)
    model, workers = create_model(opt), opt['datasets']['train']['n_workers']
main(parsed)
"""


@pytest.mark.parametrize(("model", "missed"), [("sr", True), ("depth_recovery", False)])
def test_a_program_that_a_script_starts_for_a_model_reads_its_own_keys(tmp_path, monkeypatch, model, missed):
    files = {
        "codes/options/options.py": "import os\n",
        "codes/models/__init__.py": "def create_model(opt):\n    return {'sr': SRModel}[opt['model']](opt)\n",
        "codes/train.py": BRANCH,
        "codes/options/train/a.yml": LEGACY.replace("model: sr", f"model: {model}"),
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path / "codes")
    found = [
        one for result in check("options/train/a.yml", "t4", trace=False).results for one in result.findings
    ]
    assert any(one.rule == "missing-key" and "n_workers" in one.message for one in found) is missed


SELECT = """\
def define_G(opt):
    net_type = opt['netG']['net_type']
    if net_type == 'rrdbnet':
        from models.network_rrdb import RRDB as net
    else:
        raise NotImplementedError(net_type)
    return net()
"""


@pytest.mark.parametrize(("name", "level"), [("rrdbnet", None), ("hat", "fail"), ("rrdbnett", "fail")])
def test_a_network_that_is_in_no_chain_of_a_checkout_fails(tmp_path, monkeypatch, name, level):
    files = {"utils/utils_option.py": "", "models/model_base.py": "", "models/select_network.py": SELECT}
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    example = Path(__file__).parents[3] / "examples" / "trainers" / "kair_rrdb_x4.json"
    config = example.read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.json").write_text(
        config.replace('"net_type": "rrdbnet"', f'"net_type": "{name}"'), "utf-8"
    )
    found = [one for result in check("a.json", "t4", trace=False).results for one in result.findings]
    said = {str(one.level) for one in found if one.rule == "misspelt-name"}
    assert said == ({level} if level else set())


def test_a_size_that_the_source_takes_apart_may_be_a_list(tmp_path, monkeypatch):
    reads = "def crop(opt):\n    height = opt['gt_size'][0]\n"
    (tmp_path / "basicsr" / "data").mkdir(parents=True)
    (tmp_path / "basicsr" / "utils").mkdir()
    (tmp_path / "basicsr" / "utils" / "options.py").write_text("opt['train']\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.yml").write_text(OPTIONS.replace("gt_size: 128", "gt_size: [64, 96]"), "utf-8")
    passes = "collate(size_list= opt['gt_size'])\n"
    pops = "sizes = opt['datasets']['train']['gt_size']\nfirst = sizes.pop(0)\n"
    for text, expected in (
        ("opt['gt_size'] * 2\n", {"wrong-type"}),
        (reads, set()),
        (passes, set()),
        (pops, set()),
        ("sizes = opt['datasets']['train'].get('gt_size', 1)\nisinstance(sizes, list)\n", set()),
    ):
        (tmp_path / "basicsr" / "data" / "own_dataset.py").write_text(text, "utf-8")

        results = check("own.yml", "t4", trace=False).results
        assert {
            one.rule for result in results for one in result.findings if one.rule == "wrong-type"
        } == expected


@pytest.mark.parametrize(
    ("reads", "missed"),
    [
        ("opt['dataroot_gt']", True),
        ("[v for k, v in opt.items() if k.startswith('dataroot_gt')]", False),
        ("[opt[f'dataroot_{kind}'] for kind in ('gt1', 'lq')]", False),
        ("opt['dataroot_' + kind]", False),
    ],
)
def test_keys_that_are_read_by_their_beginning_are_neither_missing_nor_unknown(
    found, tmp_path, reads, missed
):
    data = FILES["basicsr/data/own_dataset.py"].replace("opt['dataroot_gt']", reads)
    data = data.replace("OwnDataset", "PairedImageDataset")
    (tmp_path / "basicsr/data/paired_image_dataset.py").write_text(data, "utf-8")
    (tmp_path / "basicsr/data/own_dataset.py").unlink()
    options = OPTIONS.replace("dataroot_gt: gt", "dataroot_gt1: gt").replace(
        "OwnDataset", "PairedImageDataset"
    )
    said = {rule for _, rule, _ in found(OPTIONS, options)} & {"missing-key", "unknown-key"}
    assert bool(said) is missed


@pytest.mark.parametrize(
    ("loop", "found"),
    [("for one in part:\n        load(one)\n", set()), ("load(part)\n", {"wrong-type"})],
)
def test_a_phase_may_be_a_list_where_the_source_loops_over_it(tmp_path, monkeypatch, loop, found):
    (tmp_path / "basicsr" / "data").mkdir(parents=True)
    (tmp_path / "basicsr" / "utils").mkdir()
    (tmp_path / "basicsr" / "utils" / "options.py").write_text("opt['train']\n", "utf-8")
    (tmp_path / "basicsr" / "data" / "__init__.py").write_text(
        f"for phase, part in opt['datasets'].items():\n    if phase == 'val':\n      {loop}", "utf-8"
    )
    (tmp_path / "own.yml").write_text(
        OPTIONS.replace("\nnetwork_g:", "\n  val: [{name: a, type: B}]\nnetwork_g:"), "utf-8"
    )
    monkeypatch.chdir(tmp_path)

    results = check("own.yml", "t4", trace=False).results
    assert {one.rule for result in results for one in result.findings if one.rule == "wrong-type"} == found


@pytest.mark.parametrize(
    ("body", "fails"),
    [
        ("glob(opt['dataroot_gt'])", False),
        ("opt['dataroot_gt'] if opt['io_backend']['type'] == 'lmdb' else 0", True),
    ],
)
def test_a_data_set_of_a_published_name_may_take_any_folder(tmp_path, monkeypatch, body, fails):
    path = tmp_path / "basicsr" / "data" / "paired_image_dataset.py"
    path.parent.mkdir(parents=True)
    (tmp_path / "basicsr" / "utils").mkdir()
    (tmp_path / "basicsr" / "utils" / "options.py").write_text("opt['train']\n", "utf-8")
    path.write_text(
        f"class PairedImageDataset(Dataset):\n    def __init__(self, opt):\n        {body}\n", "utf-8"
    )
    monkeypatch.chdir(tmp_path)
    text = OPTIONS.replace("OwnDataset", "PairedImageDataset").replace("type: disk", "type: lmdb")
    (tmp_path / "own.yml").write_text(text, "utf-8")

    (result,) = check("own.yml", "t4", trace=False).results
    assert ("wrong-value" in {one.rule for one in result.findings}) is fails


@pytest.mark.parametrize(
    ("phase", "found"), [("test_1", set()), ("val_1", set()), ("train", {"wrong-value"})]
)
def test_what_only_training_reads_is_not_wrong_for_a_test(tmp_path, monkeypatch, phase, found):
    monkeypatch.chdir(tmp_path)
    head, _, rest = OPTIONS.partition("train:\n  optim_g")
    text = head.replace("  train:", f"  {phase}:") + rest[rest.index("val:") :]
    (tmp_path / "own.yml").write_text(
        text.replace("save_checkpoint_freq: 100", "save_checkpoint_freq: 0"), "utf-8"
    )

    results = check("own.yml", "t4", trace=False).results
    assert {one.rule for result in results for one in result.findings if one.rule == "wrong-value"} == found


def test_a_scale_that_the_source_makes_a_float_may_be_one(tmp_path, monkeypatch):
    path = tmp_path / "basicsr" / "data" / "own_dataset.py"
    path.parent.mkdir(parents=True)
    (tmp_path / "basicsr" / "utils").mkdir()
    (tmp_path / "basicsr" / "utils" / "options.py").write_text("opt['train']\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.yml").write_text(OPTIONS.replace("scale: 4", "scale: 1.5"), "utf-8")
    read = "def crop(opt):\n    scale = opt['scale']\n"
    for text, expected in (
        (f"{read}    scale = int(scale)\n", True),
        (f"{read}    scale = float(scale)\n", False),
    ):
        path.write_text(text, "utf-8")
        results = check("own.yml", "t4", trace=False).results
        rules = {one.rule for result in results for one in result.findings}
        assert ("wrong-type" in rules) is expected


SPLIT = """\
model_name_or_path: Qwen/Qwen3-4B
stage: sft
do_train: true
finetuning_type: lora
template: qwen3
dataset: identity
output_dir: out
eval_strategy: steps
"""


REFUSES = 'raise ValueError("Please specify dataset for evaluation.")\n'
"""What LLaMA-Factory's own check says."""


@pytest.mark.parametrize(("split", "fails"), [("val_size", True), ("train_size", False)])
def test_a_fork_may_hold_data_out_by_a_key_of_its_own(tmp_path, monkeypatch, split, fails):
    hparams = tmp_path / "src" / "llamafactory" / "hparams"
    hparams.mkdir(parents=True)
    (hparams / "parser.py").write_text(REFUSES, "utf-8")
    (hparams / "data_args.py").write_text(f"class DataArguments:\n    {split}: float = 0.0\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.yaml").write_text(SPLIT, "utf-8")
    results = check("own.yaml", "t4", trace=False).results
    rules = {one.rule for result in results for one in result.findings}
    assert ("evaluation-without-data" in rules) is fails


@pytest.mark.parametrize(("given", "fails"), [("val_dataset", False), ("val_name", True)])
def test_a_fork_may_evaluate_on_data_of_its_own_key(tmp_path, monkeypatch, given, fails):
    hparams = tmp_path / "src" / "llmtuner" / "hparams"
    hparams.mkdir(parents=True)
    fields = "class A:\n    val_size: float = 0.0\n    val_dataset: str = None\n    val_name: str = None\n"
    (hparams / "data_args.py").write_text(fields + REFUSES, "utf-8")
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.yaml").write_text(f"{SPLIT}{given}: bea\n", "utf-8")
    results = check("own.yaml", "t4", trace=False).results
    rules = {one.rule for result in results for one in result.findings}
    assert ("evaluation-without-data" in rules) is fails


CHOSEN = "HfArgumentParser(ARGS + [chosen])"


@pytest.mark.parametrize(
    ("parser", "key", "level"),
    [
        ("HfArgumentParser(ARGS)", "prompt_tokens", Level.FAIL),
        (CHOSEN, "prompt_tokens", None),
        (CHOSEN, "learning_raet", Level.WARN),
    ],
)
def test_a_class_that_is_chosen_while_it_runs_may_have_any_key(tmp_path, monkeypatch, parser, key, level):
    hparams = tmp_path / "src" / "llamafactory" / "hparams"
    hparams.mkdir(parents=True)
    (hparams / "parser.py").write_text(f"parser = {parser}\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.yaml").write_text(f"{SPLIT}val_size: 0.1\n{key}: 3\n", "utf-8")
    results = check("own.yaml", "t4", trace=False).results
    levels = {one.level for result in results for one in result.findings if one.rule == "unknown-key"}
    assert levels == ({level} if level else set())


@pytest.mark.parametrize(
    ("says", "level"),
    [
        ('"`max_packed_sequence_len` is no "\n    f"longer supported"', Level.FAIL),
        ('"max_packed_sequence_len will be deprecated"', Level.WARN),
    ],
)
def test_an_older_axolotl_stops_for_what_its_own_source_says(tmp_path, monkeypatch, says, level):
    package = tmp_path / "src" / "axolotl" / "utils"
    package.mkdir(parents=True)
    (package / "config.py").write_text(f"raise ValueError(\n    {says}\n)\n", "utf-8")
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    config = (
        "base_model: Qwen/Qwen3-4B\nlearning_rate: 0.0002\nadapter: lora\nmax_packed_sequence_len: 2048\n"
    )
    data = "datasets: [{path: a, type: alpaca}]\nmicro_batch_size: 1\ngradient_accumulation_steps: 1\n"
    (tmp_path / "own.yml").write_text(config + data, "utf-8")
    results = check("own.yml", "t4", trace=False).results
    levels = {one.level for result in results for one in result.findings if one.rule == "wrong-value"}
    assert levels == {level}


@pytest.mark.parametrize(("asked", "warns"), [("str", True), ("(str, list)", False)])
def test_a_folder_that_a_fork_takes_as_a_list_may_be_one(tmp_path, monkeypatch, asked, warns):
    data = tmp_path / "src" / "llamafactory" / "data"
    data.mkdir(parents=True)
    (data / "aligner.py").write_text(f"isinstance(data_args.dataset_dir, {asked})\n", "utf-8")
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.yaml").write_text(f"{SPLIT}dataset_dir: [data, more]\n", "utf-8")
    results = check("own.yaml", "t4", trace=False).results
    rules = {one.rule for result in results for one in result.findings}
    assert ("wrong-type" in rules) is warns


OWN_FLAGS = """\
class ModelArguments:
    wandb_entity: str = None
"""


def rules_of_command(stage, more=""):
    """Return the rules that find something in a command of LLaMA-Factory's, in the working folder."""
    words = (
        f"--stage {stage} --do_train --model_name_or_path Qwen/Qwen3-4B --dataset a --template qwen3"
        f" --finetuning_type lora --lora_target q_proj --per_device_train_batch_size 1 --output_dir out"
    )
    Path("train.sh").write_text(f"python src/train_bash.py {words} {more}\n", "utf-8")
    results = check("train.sh", "t4", trace=False).results
    assert results
    return {finding.rule for result in results for finding in result.findings}


@pytest.mark.parametrize(("flag", "known"), [("wandb_entity", True), ("wandb_owner", False)])
def test_a_fork_s_own_flag_is_a_field_of_its_arguments(tmp_path, monkeypatch, flag, known):
    hparams = tmp_path / "src" / "llmtuner" / "hparams"
    hparams.mkdir(parents=True)
    (hparams / "parser.py").write_text("import sys\n", "utf-8")
    (hparams / "model_args.py").write_text(OWN_FLAGS, "utf-8")
    (tmp_path / "src" / "train_bash.py").write_text("from llmtuner import run_exp\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    assert ("unknown-key" in rules_of_command("sft", f"--{flag} me")) is not known


@pytest.mark.parametrize(("stage", "known"), [("own_dpo", True), ("other_dpo", False)])
def test_a_fork_s_own_choice_is_among_those_of_its_field(tmp_path, monkeypatch, stage, known):
    hparams = tmp_path / "hparams"
    hparams.mkdir()
    (hparams / "finetuning_args.py").write_text(
        'class A:\n    stage: Literal["sft",\n    "own_dpo"] = "sft"\n', "utf-8"
    )
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    assert ("wrong-value" in rules_of_command(stage)) is not known


@pytest.mark.parametrize(("stage", "known"), [("own_stage", True), ("own_stagr", False)])
def test_a_fork_s_own_choice_is_one_of_its_literals(tmp_path, monkeypatch, stage, known):
    hparams = tmp_path / "src" / "llmtuner" / "hparams"
    hparams.mkdir(parents=True)
    (hparams / "parser.py").write_text("import sys\n", "utf-8")
    field = 'class FinetuningArguments:\n    stage: Literal["pt", "sft", "own_stage"] = "sft"\n'
    (hparams / "finetuning_args.py").write_text(field, "utf-8")
    (tmp_path / "src" / "train_bash.py").write_text("from llmtuner import run_exp\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    assert ("wrong-value" in rules_of_command(stage)) is not known


def test_a_class_of_the_repository_is_known_whatever_its_trainer(tmp_path, monkeypatch):
    config = tmp_path / "options" / "own.yml"
    config.parent.mkdir()
    config.write_text(OPTIONS, "utf-8")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models.py").write_text("class OwnModel: ...\nclass OwnNetLocal: ...\n", "utf-8")
    (tmp_path / "data.py").write_text("class OwnDataset: ...\n", "utf-8")
    for repository in (False, True):
        if repository:
            (tmp_path / ".git").mkdir()
            monkeypatch.chdir(tmp_path / "options")
        (result,) = check("own.yml" if repository else "options/own.yml", "t4", trace=False).results
        assert ("misspelt-name" in {one.rule for one in result.findings}) is not repository
    (tmp_path / "models.py").write_text("KNOWN = ['OwnModel']\n", "utf-8")
    (result,) = check("own.yml", "t4", trace=False).results
    assert "misspelt-name" in {one.rule for one in result.findings}, "to speak of a class is not to have it"


@pytest.mark.parametrize(
    ("made", "missed"),
    [
        ("epochs = opt['train']['total_epochs']\n    total = epochs * 10\n", False),
        ("total = 1000\n", True),
    ],
)
def test_a_key_that_is_set_from_another_by_way_of_names_is_not_missing(found, tmp_path, made, missed):
    train = tmp_path / "basicsr/train.py"
    fill = f"def fill(opt):\n    {made}    opt['train']['total_iter'] = total\n"
    train.write_text(FILES["basicsr/train.py"] + fill, "utf-8")
    options = OPTIONS.replace("  total_iter: 1000\n", "  total_epochs: 100\n")
    assert ("missing-key" in {rule for _, rule, _ in found(OPTIONS, options)}) is missed


@pytest.mark.parametrize(
    "asks", ["if '_in_epochs' in key:", "if key.endswith('_in_epochs'):", "if key.startswith('never'):"]
)
def test_an_argument_that_is_converted_by_a_part_of_its_name_is_taken(found, tmp_path, asks):
    convert = f"def convert(opt):\n    for key, value in opt.items():\n        {asks}\n            pass\n"
    (tmp_path / "basicsr/utils/options.py").write_text(FILES["basicsr/utils/options.py"] + convert, "utf-8")
    model = tmp_path / "basicsr/models/own_model.py"
    model.write_text(FILES["basicsr/models/own_model.py"].replace("OwnModel", "EDVRModel"), "utf-8")
    published = OPTIONS.replace("OwnRestartLR", "CosineAnnealingRestartLR").replace("OwnModel", "EDVRModel")
    options = published.replace("periods: [100]", "periods: [100], restart_in_epochs: [1]")
    said = {rule for _, rule, _ in found(OPTIONS, options)}
    assert ("unknown-argument" in said) is ("never" in asks)


@pytest.mark.parametrize(
    ("flag", "missed"),
    [("action='append'", False), ("nargs='+'", False), ("type=str", True)],
)
def test_what_one_of_several_option_files_lacks_may_be_in_another(found, tmp_path, flag, missed):
    parse = f"import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--opt', {flag})\n"
    (tmp_path / "basicsr/utils/options.py").write_text(parse + FILES["basicsr/utils/options.py"], "utf-8")
    options = OPTIONS.replace("name: own\n", "").replace("  total_iter: 1000\n", "")
    assert ("missing-key" in {rule for _, rule, _ in found(OPTIONS, options)}) is missed


@pytest.mark.parametrize(("annotated", "warns"), [("Optional[str]", True), ("Optional[Any]", False)])
def test_a_field_that_a_fork_declares_for_anything_may_be_a_mapping(tmp_path, monkeypatch, annotated, warns):
    hparams = tmp_path / "src" / "llamafactory" / "hparams"
    hparams.mkdir(parents=True)
    (hparams / "parser.py").write_text("import sys\n", "utf-8")
    field = f"class ModelArguments:\n    rope_scaling: {annotated} = field(default=None)\n"
    (hparams / "model_args.py").write_text(field, "utf-8")
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.yaml").write_text(f"{SPLIT}rope_scaling: {{rope_type: yarn, factor: 4.0}}\n", "utf-8")
    results = check("own.yaml", "t4", trace=False).results
    rules = {one.rule for result in results for one in result.findings}
    assert ("wrong-type" in rules) is warns


@pytest.mark.parametrize(("action", "warns"), [("append", False), ("store", True)])
def test_a_flag_that_is_appended_to_may_be_given_twice(tmp_path, monkeypatch, action, warns):
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    parse = f"parser = argparse.ArgumentParser()\nparser.add_argument('--opt', action='{action}')\n"
    (tmp_path / "basicsr/utils/options.py").write_text(parse, "utf-8")
    (tmp_path / "own.yml").write_text(OPTIONS, "utf-8")
    (tmp_path / "train.sh").write_text("python basicsr/train.py --opt base.yml --opt own.yml\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    results = check("train.sh", "t4", trace=False).results
    rules = {one.rule for result in results for one in result.findings}
    assert ("duplicate-key" in rules) is warns
