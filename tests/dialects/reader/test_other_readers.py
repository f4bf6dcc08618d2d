# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What reads a config is not what was published where the repository has something else in its place."""

from __future__ import annotations

import pytest

from tests.dialects.reader.test_own_ways import CONFIG, FILES, found  # noqa: F401  # a fixture
from trainlint.api import check
from trainlint.repository.code import published_functions

PLAIN = CONFIG.replace("MineNet, num_feat: 64", "EDSR")
LOSS = PLAIN.replace("type: L1Loss}", "type: L1Loss}\n  struct_opt: {type: ssimc}")
SR = "basicsr/models/sr_model.py"
MODEL = "@MODEL_REGISTRY.register()\nclass SRModel:\n    def init(self, opt):\n        {}\n"


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("self.cri = build_loss(opt['train']['struct_opt'])", "fail"),
        ("self.cri = pyiqa.create_metric(opt['train']['struct_opt']['type'], as_loss=True)", "warn"),
    ],
)
def test_a_loss_that_an_own_line_looks_up_may_have_any_name(found, line, level):  # noqa: F811
    assert found(LOSS, **{SR: MODEL.format(line)})["misspelt-name"][0] == level


@pytest.mark.parametrize("is_there", [True, False])
def test_a_folder_of_models_that_was_never_committed_may_have_any_class(found, monkeypatch, is_there):  # noqa: F811
    for path in () if is_there else ("basicsr/models/__init__.py", "basicsr/models/sr_model.py"):
        monkeypatch.delitem(FILES, path)
    level, message = found(PLAIN.replace("L1Loss", "OwnLoss"))["misspelt-name"]
    lost = "basicsr/models, which may have it, is not there"
    assert (level, lost in message) == (("fail", False) if is_there else ("warn", True)), message


ARGUMENT = CONFIG.replace("MineNet, num_feat: 64", "EDSR, shuffle: true")
TAKES = "@ARCH_REGISTRY.register()\nclass EDSR:\n    def __init__(self, {}): ...\n"


@pytest.mark.parametrize(
    ("own", "copy", "is_said"),
    [("shuffle=False", "upscale=4", False), ("upscale=4", "shuffle=False", True), ("upscale=4", "", True)],
)
def test_the_packages_own_class_counts_not_a_copy_next_to_it(found, own, copy, is_said):  # noqa: F811
    files = {"basicsr/archs/edsr_arch.py": TAKES.format(own), "EDSR_arch.py": TAKES.format(copy)}
    assert ("network-arguments" in found(ARGUMENT, **files)) is is_said


LACKING = PLAIN.replace("logger: {print_freq: 100, save_checkpoint_freq: 100}\n", "")
LOGS = (
    "class MessageLogger():\n    def __init__(self, opt):\n        self.every = opt['logger']['print_freq']\n"
)
OWN = "from basicsr.train import Trainer\n\n\nclass Own(Trainer):\n    pass\n"


@pytest.mark.parametrize("is_there", [True, False])
def test_a_package_whose_script_is_not_there_reads_nothing_for_sure(found, monkeypatch, is_there):  # noqa: F811
    if not is_there:
        monkeypatch.delitem(FILES, "basicsr/train.py")
    level, message = found(LACKING, **{"train/own.py": OWN, "basicsr/utils/logger.py": LOGS})["missing-key"]
    assert (level, "is not there" in message) == (("fail", False) if is_there else ("warn", True))


@pytest.mark.parametrize("word", ["Path to your data", "/path/to/DIV2K", "datasets/your_images"])
def test_a_templates_words_are_no_path(found, word):  # noqa: F811
    said = PLAIN.replace("dataroot_gt: gt", f"dataroot_gt: {word}").replace("lq: lq", f"lq: {word}")
    assert not {"wrong-value", "same-images"} & found(said.replace("disk", "lmdb")).keys()


SFT = """\
model_name_or_path: Qwen/Qwen3-4B
stage: sft
do_train: true
finetuning_type: freeze
adapter_name_or_path: saves/own
dataset: own
template: qwen3
output_dir: saves
"""
REFUSES = '        raise ValueError("Adapter is only valid for the LoRA method.")\n'


@pytest.mark.parametrize(("mark", "is_said"), [("", True), ("#", False)])
def test_what_llama_factory_does_not_say_any_more_is_no_refusal(tmp_path, monkeypatch, mark, is_said):
    asked = (
        "    if model_args.adapter_name_or_path is not None and finetuning_args.finetuning_type != 'lora':\n"
    )
    files = {
        "src/llamafactory/hparams/parser.py": f"def verify(model_args, finetuning_args):\n{asked}"
        f"{mark and asked.replace('if', 'x =').rstrip(':' + chr(10)) + chr(10)}{mark}{REFUSES}"
        + ("        pass\n" if mark else ""),
        "own.yaml": SFT,
        "setup.py": "",
    }
    (tmp_path / ".git").mkdir()
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    monkeypatch.chdir(tmp_path)
    said = [one.message for result in check("own.yaml", "t4", trace=False).results for one in result.findings]
    assert any("only valid for the LoRA" in message for message in said) is is_said, said


KAIR = """\
{"task": "own", "model": "plain", "gpu_ids": [0], "scale": 4, "n_channels": 3,
 "path": {"root": "own"},
 "datasets": {"train": {"name": "t", "dataset_type": "sr", "dataroot_H": "t", "H_size": 96}},
 "netG": {"net_type": "msrresnet0"},
 "train": {"G_lossfn_type": "l1", "G_optimizer_type": "adam"}}}
"""


@pytest.mark.parametrize(("text", "is_said"), [(KAIR, True), (f"openapi: 3.0.3\n{KAIR}", False)])
def test_what_does_not_begin_as_json_is_no_option_file(tmp_path, monkeypatch, text, is_said):
    (tmp_path / "own.json").write_text(text)
    monkeypatch.chdir(tmp_path)
    assert bool(check(".", "t4", trace=False).results) is is_said


def linted(tmp_path, monkeypatch, files, path):
    (tmp_path / ".git").mkdir(parents=True)
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    results = check(path, "rtx-3090", trace=False).results
    return {(one.rule, str(one.level)) for result in results for one in result.findings}


WHOLE = """\
base_model: meta-llama/Meta-Llama-3-8B-Instruct
datasets: [{path: tatsu-lab/alpaca, type: alpaca}]
val_set_size: 0.05
eagle_training: true
num_epochs: 1
micro_batch_size: 1
gradient_accumulation_steps: 1
learning_rate: 0.00003
optimizer: adamw_torch
lr_scheduler: cosine
bf16: auto
sequence_len: 4096
"""


@pytest.mark.parametrize(
    "schema", ["src/axolotl/utils/schemas/config.py", "src/axolotl/utils/config.py"]
)  # an older one
@pytest.mark.parametrize("line", ["if cfg.eagle_training: freeze(model)", "pass"])
def test_what_a_fork_does_to_its_model_is_not_known(tmp_path, monkeypatch, line, schema):
    """By a key of its own, or in a load_model that no version has."""
    files = {
        "src/axolotl/utils/models.py": f"def load_model(cfg):\n    {line}\n",
        schema: "class Input:\n    eagle_training: bool = False\n",
        "src/axolotl/train.py": "from axolotl.utils.models import load_model\n",
        "setup.py": "",
        "own.yml": WHOLE,
    }
    said = linted(tmp_path, monkeypatch, files, "own.yml")
    assert ("base-model-beyond-card", "fail") not in said


SCRIPT = """\
import argparse
p = argparse.ArgumentParser()
p.add_argument("--output_dir", required=True)
for_all = p.add_argument("--sd_path", required=True)
p.add_argument("--data_config")
p.add_argument("--mixed_precision", type=str, default="bf16")
p.add_argument("--dino_type", required=True)
args = p.parse_args()
"""


def test_a_script_of_a_known_name_with_other_flags_is_another(tmp_path, monkeypatch):
    command = "python src/train_vae.py --output_dir o --sd_path s --dino_type d --mixed_precision bf16\n"
    files = {"src/train_vae.py": SCRIPT, "train.sh": command}
    assert not linted(tmp_path, monkeypatch, files, "train.sh")
    assert ("missing-key", "fail") in linted(
        tmp_path / "alone", monkeypatch, {"train.sh": command}, "train.sh"
    )


WANDB = PLAIN.replace("logger: {", "logger: {use_tb_logger: false, wandb: {project: own}, ")
SAYS = (
    "    assert opt['logger'].get('use_tb_logger') is True, ('should turn on tensorboard when using wandb')\n"
)


@pytest.mark.parametrize("is_said", [True, False])
def test_a_refusal_that_is_a_comment_is_none(found, is_said):  # noqa: F811
    script = FILES["basicsr/train.py"].replace("    model =", f"{'' if is_said else '#'}{SAYS}    model =")
    assert ("wandb-without-tensorboard" in found(WANDB, **{"basicsr/train.py": script})) is is_said


def test_what_only_tests_has_no_training_to_be_wrong(found):  # noqa: F811
    script = FILES["basicsr/train.py"].replace("    model =", f"{SAYS}    model =")
    only = WANDB.replace("  train:\n    name: train", "  val:\n    name: val")
    assert "wandb-without-tensorboard" not in found(only, **{"basicsr/train.py": script})


NEEDS = "@ARCH_REGISTRY.register()\nclass EDSR:\n    def __init__(self, num_feat, upscale): ...\n"


@pytest.mark.parametrize(
    ("line", "is_said"), [("opt['network_g']['upscale'] = opt['scale']", False), ("pass", True)]
)
def test_an_argument_that_the_options_are_given_is_not_missing(found, line, is_said):  # noqa: F811
    config = CONFIG.replace("MineNet", "EDSR")
    parsed = (
        f"def parse_options(root_path):\n    opt = yaml_load(args.opt)\n    {line}\n    return opt, args\n"
    )
    said = found(config, **{"basicsr/utils/options.py": parsed, "basicsr/archs/edsr_arch.py": NEEDS})
    assert ("network-arguments" in said) is is_said


@pytest.mark.parametrize(
    ("lines", "is_said"),
    [
        ("python train2.py \\\n    --gpu 0 \\\n    > own.log 2>&1 &", set()),
        ("python train2.py \\\n  --gpu 0 \\\n  > own.log 2>&1 &", set()),
        ("$ python train2.py \\\n> --gpu 0 \\\n> own", {"unknown-key"}),
        ("python train2.py \\\n    ...\n    --gpu 4 \\\n    ...", set()),
        ("python train2.py --gpu 1 \\\n    --lr 4\n    --gpu 4", {"unreadable"}),
    ],
)
def test_marks_at_the_beginning_of_a_pages_line(tmp_path, monkeypatch, lines, is_said):
    script = (
        SCRIPT.replace(", required=True", "").replace("--data_config", "--gpu").replace("--sd_path", "--lr")
    )
    files = {"train2.py": script, "README.md": f"```bash\n{lines}\n```\n"}
    assert {rule for rule, _ in linted(tmp_path, monkeypatch, files, "README.md")} == is_said


PERIODS = PLAIN.replace(
    "{type: MultiStepLR, milestones: [100]}",
    "{type: CosineAnnealingRestartLR, periods: [100, 200], restart_weights: [1, 1], eta_min: 0}",
)
LOOKS_UP = '''
def get_position_from_periods(iteration, cumulative_period):
    """Get the position from a period list."""
    for i, period in enumerate(cumulative_period):
        if iteration <= period:
            return i
{}
'''


@pytest.mark.parametrize(
    ("line", "is_said"),
    [("", True), ("        return len(cumulative_period) - 1", False), ("    return i", False)],
)
def test_a_schedule_that_has_a_rate_after_its_periods_may_end_early(found, line, is_said):  # noqa: F811
    files = {"basicsr/models/lr_scheduler.py": LOOKS_UP.format(line)}
    files |= {SR: MODEL.format("x = opt['train']['scheduler']")}
    assert ("schedule-sums" in found(PERIODS, **files)) is is_said


GETS = '''
class CosineAnnealingRestartLR:
    def get_lr(self):
        """Say which rate there is."""
        idx = get_position_from_periods(self.last_epoch, self.cumulative_period)  # {}
        return [self.periods[idx]{}]
'''


@pytest.mark.parametrize(
    ("remark", "more", "level"), [("now", "", "fail"), ("of today", "", "fail"), ("now", " or 1", "warn")]
)
def test_a_fail_holds_where_what_its_rule_rests_on_is_as_published(found, monkeypatch, remark, more, level):  # noqa: F811
    name = "CosineAnnealingRestartLR.get_lr"
    [(_, digest)] = published_functions.definitions(GETS.format("now", ""), name)
    monkeypatch.setattr(
        published_functions, "published_functions", lambda: {"basicsr": {name: frozenset([digest])}}
    )
    files = {"basicsr/models/lr_scheduler.py": LOOKS_UP.format("") + GETS.format(remark, more)}
    files["other/lr_scheduler.py"] = GETS.format("", " or 2")  # no part of the package
    files |= {SR: MODEL.format("x = opt['train']['scheduler']")}
    said, message = found(PERIODS, **files)["schedule-sums"]
    assert (said, "its own CosineAnnealingRestartLR.get_lr (basicsr/models/lr_scheduler.py:" in message) == (
        level,
        level == "warn",
    )


@pytest.mark.parametrize(("line", "is_said"), [("x = opt['train']['lr_scheme']", False), ("pass", True)])
def test_nothing_for_a_key_is_for_an_unknown_reader_to_fill_in(tmp_path, monkeypatch, line, is_said):
    files = {"codes/own.py": f"def read(opt):\n    {line}\n", "setup.py": "", "codes/own.yml": NOTHING}
    said = {rule for rule, _ in linted(tmp_path, monkeypatch, files, "codes/own.yml")}
    assert ("wrong-type" in said) is is_said, said


NOTHING = """\
name: own
model: sr
scale: 4
gpu_ids: [0]
datasets:
  train: {name: a, mode: LQGT, dataroot_GT: gt, dataroot_LQ: lq, n_workers: 4, batch_size: 4, GT_size: 128}
network_G: {which_model_G: MSRResNet, in_nc: 3, out_nc: 3, nf: 64, nb: 16, upscale: 4}
path: {pretrain_model_G: ~, resume_state: ~}
train: {lr_G: 0.0002, lr_scheme: ~, niter: 1000, pixel_criterion: l1, pixel_weight: 1.0, val_freq: 100}
logger: {print_freq: 100, save_checkpoint_freq: 100}
"""


DATA_SET = """\
@DATASET_REGISTRY.register()
class PairedImageDataset:
    def __init__(self, opt):
        self.io_backend_opt = opt['io_backend']
        self.every = opt['logger']['print_freq']
"""


@pytest.mark.parametrize(
    ("lacking", "is_said"), [("logger: ", False), ("    io_backend", True), ("#", False)]
)
def test_what_training_alone_reads_is_not_missing_in_a_file_for_tests(
    tmp_path, monkeypatch, lacking, is_said
):
    lines = [line for line in PLAIN.splitlines() if not line.startswith(lacking)]
    files = {**FILES, "setup.py": "", "options/test/own.yml": "\n".join(lines)}
    files["basicsr/data/paired_image_dataset.py"] = DATA_SET
    said = linted(tmp_path, monkeypatch, files, "options/test/own.yml")
    assert ("missing-key" in {rule for rule, _ in said}) is is_said, said


@pytest.mark.parametrize(("words", "level"), [("--logger own", "warn"), ("--lr 1", "fail")])
def test_what_a_script_gives_next_to_the_file_is_not_missing(found, words, level):  # noqa: F811
    job = f"srun python basicsr/train.py -opt own.yml \\\n  {words}\n"
    said, message = found(LACKING, **{"jobs/deep/own.sbatch": job, "basicsr/utils/logger.py": LOGS})[
        "missing-key"
    ]
    assert (said, "jobs/deep/own.sbatch:2 gives it" in message) == (level, level == "warn")


def test_the_word_none_among_names_is_one_of_them(tmp_path, monkeypatch):
    written = (
        "model: resnet50\nsched: None\nepochs: 300\nopt: sgd\nlr: 0.1\nbatch_size: 128\ndata_dir: data\n"
    )
    said = linted(tmp_path, monkeypatch, {"own.yml": written}, "own.yml")
    assert "none-as-string" not in {rule for rule, _ in said}, said
