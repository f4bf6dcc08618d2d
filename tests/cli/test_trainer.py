# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A key, value or type is wrong only for the trainer that was identified: the real command."""

from __future__ import annotations

from pathlib import Path

import pytest

REDUX = """\
name: tiny_x2
scale: 2
num_gpu: auto
datasets:
  train:
    name: photos
    type: pairedimagedataset
    dataroot_gt: data/hr
    dataroot_lq: data/lr
    lq_size: 96
    num_worker_per_gpu: 4
    batch_size_per_gpu: 8
    mosaic: true
network_g: {type: span}
path: {pretrain_network_g: ~, strict_load_g: true}
train:
  optim_g: {type: AdamW, lr: 1.0e-4}
  total_iter: 10000
  losses:
    - {type: l1loss, loss_weight: 1.0}
  warm_restart: 3
val: {val_enabled: false, save_img: false}
logger: {print_freq: 100, save_checkpoint_freq: 500, use_tb_logger: true}
"""

FORK = '''
from typing import Any
from msgspec import Struct

class Strict(Struct, forbid_unknown_fields=True):
    """Refuses what it does not know."""

class Data(Strict):
    name: str
    type: str
    dataroot_gt: str
    dataroot_lq: str
    lq_size: int
    num_worker_per_gpu: int
    batch_size_per_gpu: int
    mosaic: bool = False

class Train(Strict):
    optim_g: dict[str, Any]
    total_iter: int
    losses: list[dict[str, Any]]
    warm_restart: int = 0

class ReduxOptions(Strict):
    name: str
    scale: int
    num_gpu: str | int
    datasets: dict[str, Data]
    network_g: dict[str, Any]
    path: dict[str, Any]
    train: Train
    val: dict[str, Any]
    logger: dict[str, Any]
'''
OPTIONS = "traiNNer/utils/redux_options.py"


def findings(result):
    return [(found["rule"], found["level"]) for found in result["findings"]]


def only(trainlint, *arguments):
    (result,) = trainlint.json("--launcher", "none", *arguments)["results"]
    return result


def test_keys_that_a_fork_may_read_are_one_warning(trainlint):
    trainlint.write("a.yml", REDUX)
    result = only(trainlint, "a.yml")
    assert findings(result) == [("unknown-key", "warn")]
    alone = {"name": "trainner-redux", "version": None, "basis": "config", "path": None}
    assert result["trainer"] == {**alone, "own": [], "text": None}
    (found,) = result["findings"]
    assert found["message"].startswith("2 keys unknown to traiNNer-redux (as of ")
    assert "datasets.train.mosaic, train.warm_restart" in found["message"]
    assert "--trainer trainner-redux" in found["message"]
    assert (found["line"], [place["line"] for place in found["related"]]) == (13, [21])


@pytest.mark.parametrize("by", ["flag", "setting"])
def test_the_trainer_that_is_named_is_the_original(trainlint, by):
    trainlint.write("a.yml", REDUX)
    arguments = ["--trainer", "trainner-redux"] if by == "flag" else []
    if by == "setting":
        trainlint.write("trainlint.toml", 'trainer = "trainner-redux"\n')
    result = only(trainlint, "a.yml", *arguments)
    assert findings(result) == [("unknown-key", "fail"), ("unknown-key", "fail")]
    assert result["trainer"]["basis"] == by


def test_a_trainer_that_nobody_knows_is_wrong_use(trainlint):
    trainlint.write("a.yml", REDUX)
    done = trainlint("a.yml", "--trainer", "trainer-redux")
    assert done.returncode == 2
    assert 'there is no trainer "trainer-redux"; did you mean "trainner-redux"?' in done.stderr


def test_a_forks_own_source_knows_its_keys(trainlint):
    trainlint.write(OPTIONS, FORK)
    trainlint.write("options/a.yml", REDUX)
    result = only(trainlint, "options/a.yml")
    assert findings(result) == []
    assert result["trainer"]["basis"] == "source"
    assert result["trainer"]["path"].endswith(OPTIONS)


def test_a_forks_own_source_refuses_what_it_does_not_know(trainlint):
    trainlint.write(OPTIONS, FORK.replace("    mosaic: bool = False\n", ""))
    trainlint.write("options/a.yml", REDUX.replace("warm_restart: 3", "warm_restart: often"))
    result = only(trainlint, "options/a.yml")
    assert findings(result) == [("unknown-key", "fail")]
    assert '"mosaic" in "datasets.train"' in result["findings"][0]["message"]


def test_a_forks_own_source_has_its_own_types_and_defaults(trainlint):
    short = REDUX.replace("    batch_size_per_gpu: 8\n", "").replace("total_iter: 10000", "total_iter: 1e4")
    trainlint.write("alone.yml", short)
    assert {("missing-key", "fail"), ("number-as-string", "fail")} <= {
        *findings(only(trainlint, "alone.yml"))
    }
    trainlint.write(
        OPTIONS,
        FORK.replace("batch_size_per_gpu: int", "batch_size_per_gpu: int = 4")
        .replace("total_iter: int", "total_iter: int | str"),
    )  # fmt: skip
    assert findings(only(trainlint, "alone.yml")) == []


def test_nothing_of_the_source_is_run(trainlint):
    trainlint.write(OPTIONS, FORK + "\nopen('ran', 'w').close()\n")
    trainlint.write("a.yml", REDUX)
    only(trainlint, "a.yml")
    assert not (trainlint.folder / "ran").exists()


@pytest.mark.rest
def test_numbers_that_another_resolver_would_read(trainlint, variant):
    text = variant(("lr: !!float 2e-4", "lr: 2e-4"), ("gamma: 0.5", "gamma: 5e-1"))
    trainlint.write("a.yml", text)
    result = only(trainlint, "a.yml")
    assert findings(result) == [("number-as-string", "warn")]
    assert "2 numbers that PyYAML reads as strings" in result["findings"][0]["message"]
    assert findings(only(trainlint, "a.yml", "--trainer", "basicsr")) == [("number-as-string", "fail")] * 2
    trainlint.write("basicsr/utils/options.py", "from yaml import load\n")
    assert findings(only(trainlint, "a.yml")) == [("number-as-string", "fail")] * 2
    trainlint.write("basicsr/utils/options.py", "Loader.add_implicit_resolver('float', pattern)\n")
    assert findings(only(trainlint, "a.yml")) == []


def test_one_fix_for_all_that_one_warning_names(trainlint, variant):
    text = variant(("lr: !!float 2e-4", "lr: 2e-4"), ("gamma: 0.5", "gamma: 5e-1"))
    trainlint.write("a.yml", text)
    assert trainlint("a.yml", "--no-trace", "--fix", "--unsafe-fixes").returncode == 0
    fixed = (trainlint.folder / "a.yml").read_text("utf-8")
    assert fixed == text.replace("lr: 2e-4", "lr: 2.0e-4").replace("gamma: 5e-1", "gamma: 5.0e-1")


def test_a_key_that_the_source_never_asks_for_is_not_missing(trainlint, variant):
    text = variant(("num_gpu: 1\n", ""))
    trainlint.write("a.yml", text)
    assert findings(only(trainlint, "a.yml")) == [("missing-key", "fail")]
    trainlint.write("basicsr/utils/options.py", "gpus = opt.get('num_gpu', 1)\n")
    assert findings(only(trainlint, "a.yml")) == []
    trainlint.write("basicsr/utils/options.py", "gpus = opt['num_gpu']\n")
    assert findings(only(trainlint, "a.yml")) == [("missing-key", "fail")]


def test_a_script_beside_its_command_says_which_flags_it_has(trainlint):
    trainlint.write("run.sh", "python train_vae.py --data_path x --tiled_decode\n")
    assert findings(only(trainlint, "run.sh")).count(("unknown-key", "fail")) == 1
    trainlint.write("train_vae.py", "parser.add_argument('--tiled_decode', action='store_true')\n")
    assert "unknown-key" not in [rule for rule, _ in findings(only(trainlint, "run.sh"))]


def test_a_flag_that_the_script_s_parser_does_not_have_is_wrong(trainlint) -> None:
    trainlint.write("run.sh", "python basicsr/train.py -opt options/a.yml --tiled\n")
    assert findings(only(trainlint, "run.sh")) == [("unknown-key", "warn")]
    parser = "parser.add_argument('-opt')\nparser.add_argument('--launcher')\n"
    trainlint.write("basicsr/train.py", "from basicsr.utils.options import parse_options\n")
    trainlint.write("basicsr/utils/options.py", parser)
    assert ("unknown-key", "fail") in findings(only(trainlint, "run.sh"))
    trainlint.write("basicsr/utils/options.py", parser + "parser.add_argument('--tiled')\n")
    assert "unknown-key" not in [rule for rule, _ in findings(only(trainlint, "run.sh"))]


@pytest.mark.rest
def test_a_value_that_a_fork_added_to_a_closed_choice(trainlint, variant):
    """As Retinexformer's data sets of clips pad."""
    text = variant(("    gt_size: 128\n", "    gt_size: 128\n    padding: wrap_around\n"))
    trainlint.write("a.yml", text)
    (found,) = only(trainlint, "a.yml")["findings"]
    assert (found["rule"], found["level"]) == ("wrong-value", "warn")
    trainlint.write("basicsr/utils/options.py", "")
    assert findings(only(trainlint, "a.yml")) == []  # nothing reads it
    trainlint.write("basicsr/utils/options.py", "pad(frames, opt['padding'])\n")
    assert findings(only(trainlint, "a.yml")) == [("wrong-value", "warn")]  # nobody knows among what
    trainlint.write("basicsr/data/pads.py", "flip = opt['padding'] in ('reflection', 'circle')\n")
    assert findings(only(trainlint, "a.yml")) == [("wrong-value", "warn")]  # nor what the other line does
    trainlint.write("basicsr/data/frames.py", "MODES = ('reflection', 'wrap_around')\n")
    assert findings(only(trainlint, "a.yml")) == []


def test_losses_that_a_model_class_reads_itself(trainlint, variant):
    """As FeMaSR's: no type, figures with a dot, and the latest networks saved over the last ones."""
    text = variant(
        ("model_type: SRModel", "model_type: CodebookModel"),
        ("  total_iter: 300000\n", "  total_iter: 300000\n  codebook_opt: {loss_weight: 1.0}\n"),
        ("  total_iter: 300000\n", "  total_iter: 300000\n  net_d_init_iters: 0.0\n  net_d_iters: 1.0\n"),
        ("save_checkpoint_freq: !!float 5e3", "save_checkpoint_freq: !!float 1e9\n  save_latest_freq: 5000"),
    )  # fmt: skip
    trainlint.write("a.yml", text)
    own_model = ("misspelt-name", "warn")
    assert findings(only(trainlint, "a.yml")) == [own_model]
    trainlint.write("a.yml", text.replace("  save_latest_freq: 5000\n", ""))
    assert findings(only(trainlint, "a.yml")) == [own_model, ("never-saves", "warn")]
    trainlint.write("a.yml", text.replace("    type: L1Loss\n", ""))
    assert findings(only(trainlint, "a.yml")) == [own_model, ("missing-key", "fail")]


def test_training_commands_that_nobody_knows_are_not_called_absent(trainlint):
    trainlint.write("run.sh", "accelerate launch --num_processes 2 src/fit_model.py --cfg a.yml\n")
    done = trainlint("run.sh", "--no-trace")
    assert "there is no training job" not in done.stdout
    assert "no training command or config in it" in done.stdout


def test_a_trainer_with_its_figures_on_the_command_line_is_not_basicsr(trainlint):
    """As a TensorFlow trainer of mobile networks starts."""
    trainlint.write(
        "run.sh", "python train.py --opt options/a.yaml --name a --scale 3 --ps 64 --bs 16 --lr 1e-3\n"
    )
    assert only(trainlint, "run.sh")["dialect"] is None
    trainlint.write("run.sh", "python train.py -opt options/a.yaml --launcher pytorch\n")
    assert only(trainlint, "run.sh")["dialect"] == "basicsr-command"


def test_an_argument_that_a_forks_network_may_take_is_a_warning(trainlint, variant) -> None:
    text = variant(("num_block: 16", "num_block: 16\n  use_wavelets: true"))
    trainlint.write("a.yml", text)
    (rule, level), *_ = findings(only(trainlint, "a.yml"))
    assert (rule, level) == ("network-arguments", "warn")
    assert ("network-arguments", "fail") in findings(only(trainlint, "a.yml", "--trainer", "basicsr"))
    stray = variant(("num_block: 16", "num_block: 16\n  ema_decay: 0.999"))
    trainlint.write("b.yml", stray)
    assert ("network-arguments", "fail") in findings(only(trainlint, "b.yml"))  # no network takes it


KAIR = """{
  "task": "phases_x4", "model": "plain", "gpu_ids": [0], "scale": 4, "n_channels": 3,
  "path": {"root": "runs"},
  "datasets": {
    "train": {
      "dataset_type": "sr", "dataroot_H": "data/hr", "H_size": [128, 96],
      "dataloader_shuffle": true, "dataloader_num_workers": 4, "dataloader_batch_size": [32, 16]
    }
  },
  "netG": {
    "net_type": "msrresnet0", "in_nc": 3, "out_nc": 3, "nc": 64, "nb": 16, "act_mode": "R", "upscale": 4,
    "upsample_mode": "upconv"
  },
  "train": {
    "G_lossfn_type": "l1", "G_optimizer_type": "adam", "G_optimizer_lr": 1e-4,
    "G_scheduler_type": "MultiStepLR", "G_scheduler_milestones": [1000], "G_scheduler_gamma": 0.5,
    "checkpoint_save": 500, "checkpoint_print": 100
  }
}
"""
PHASED = """
batch = pick(opt["datasets"]["train"]["dataloader_batch_size"], phase)
if opt["train"]["checkpoint_test"]:
    print("the loop of one phase")
run(phase, every=opt["train"].get("checkpoint_test", 0))
"""


@pytest.mark.rest
def test_a_fork_may_take_a_list_of_figures_and_have_a_default_in_one_of_its_loops(trainlint):
    trainlint.write("a.json", KAIR)
    alone = only(trainlint, "a.json", "--no-trace")
    assert findings(alone) == [("wrong-type", "warn"), ("missing-key", "fail")]
    assert "a fork may" in alone["findings"][0]["message"]
    assert ("wrong-type", "fail") in findings(only(trainlint, "a.json", "--no-trace", "--trainer", "kair"))
    trainlint.write("utils/utils_option.py", PHASED)
    assert findings(only(trainlint, "a.json", "--no-trace")) == [
        ("wrong-type", "warn"),
        ("missing-key", "warn"),
    ]
    trainlint.write("utils/utils_option.py", PHASED.replace(".get(", ".pop(").replace(", 0)", ")"))
    assert ("missing-key", "fail") in findings(only(trainlint, "a.json", "--no-trace"))
    trainlint.write(
        "utils/utils_option.py", 'if o.get("checkpoint_test") is not None: o["checkpoint_test"] += 1\n'
    )
    assert ("missing-key", "warn") in findings(only(trainlint, "a.json", "--no-trace"))


def test_a_key_that_the_phases_of_a_config_have_is_not_missing_above_them(trainlint):
    text = KAIR.replace("[32, 16]", "32").replace("[128, 96]", "96")
    phases = '"phases": {"head": {"checkpoint_test": 400}, "whole": {"checkpoint_test": 600}}, '
    trainlint.write("a.json", text.replace('"checkpoint_save"', phases + '"checkpoint_save"'))
    assert ("missing-key", "fail") in findings(only(trainlint, "a.json", "--no-trace"))
    read = 'run(opt["train"]["checkpoint_test"])\n'
    trainlint.write("utils/utils_option.py", read)
    assert ("missing-key", "fail") in findings(only(trainlint, "a.json", "--no-trace"))
    trainlint.write("utils/utils_option.py", read + 'test(phase.get("checkpoint_test"), opt["phases"])\n')
    assert findings(only(trainlint, "a.json", "--no-trace")) == []
    trainlint.write("a.json", text)
    assert findings(only(trainlint, "a.json", "--no-trace")) == [("missing-key", "warn")]


def test_a_network_that_the_folder_of_networks_lacks_is_not_the_published_one(trainlint, variant) -> None:
    """As DeformableRestormer's, whose configs name the network that it is made from."""
    trainlint.write("a.yml", variant())
    trainlint.write("basicsr/utils/options.py", "opt['network_g']\n")
    trainlint.write("basicsr/models/archs/__init__.py", "cls_ = getattr(module, cls_type, None)\n")
    trainlint.write("demo.py", "net = load('MSRResNet')\n")
    asked = ("a.yml", "--no-trace", "-t", "rtx-4090")
    assert 'basicsr/models/archs has no network "MSRResNet"' in str(only(trainlint, *asked))
    trainlint.write("basicsr/models/archs/srresnet_arch.py", "class MSRResNet:\n    pass\n")
    assert "has no network" not in str(only(trainlint, *asked))


def test_a_loss_that_nothing_asks_for_may_be_of_any_class(trainlint, variant) -> None:
    edge = "  pixel_opt: {type: L1Loss}\n  edge_opt: {type: EdgeLoss}\n"
    text = variant()
    start = text.index("  pixel_opt:")
    end = next(place for place in (text.find("\n\n", start), len(text)) if place > 0)
    trainlint.write("a.yml", text[:start] + edge + text[end:])
    trainlint.write("basicsr/utils/options.py", "opt['network_g'], opt['pixel_opt']\n")
    trainlint.write("basicsr/losses/__init__.py", "class L1Loss: ...\n")
    assert "misspelt-name" not in dict(findings(only(trainlint, "a.yml", "--no-trace")))
    for asks in ("opt['edge_opt']['type']\n", "key.endswith('_opt')\n"):
        trainlint.write("basicsr/models/sr_model.py", asks)
        assert "misspelt-name" in dict(findings(only(trainlint, "a.yml", "--no-trace")))


@pytest.mark.parametrize(
    ("read", "takes"),
    [
        ("parts = opt['pixel_opt']\nfor part in parts:\n    build(part)\n", True),
        ("for part in opt.get('pixel_opt'):\n    build(part)\n", True),
        ("part = opt['pixel_opt']\nfor step in steps:\n    build(part)\n", False),
    ],
)
def test_a_list_is_taken_where_a_loop_goes_through_it(trainlint, variant, read: str, takes: bool) -> None:
    text = variant()
    start = text.index("  pixel_opt:")
    end = next(place for place in (text.find("\n\n", start), len(text)) if place > 0)
    trainlint.write(
        "a.yml", f"{text[:start]}  pixel_opt: [{{type: L1Loss}}, {{type: MSELoss}}]\n{text[end:]}"
    )
    trainlint.write("basicsr/utils/options.py", "opt['network_g']\n")
    trainlint.write("basicsr/models/sr_model.py", read)
    found = findings(only(trainlint, "a.yml", "--no-trace"))
    assert ("wrong-type" not in [rule for rule, _ in found]) is takes


def test_a_word_in_place_of_a_figure_is_wrong_for_every_version(trainlint):
    text = KAIR.replace("[32, 16]", '"many"').replace("[128, 96]", "96")
    trainlint.write("a.json", text)
    assert ("wrong-type", "fail") in findings(only(trainlint, "a.json", "--no-trace"))


def test_several_keys_that_one_mapping_lacks_are_named_each(trainlint):
    trainlint.write("a.json", KAIR.replace('"in_nc": 3, "out_nc": 3, ', ""))
    said = [found["message"] for found in only(trainlint, "a.json", "--no-trace")["findings"]]
    assert [key for key in ("in_nc", "out_nc") if f'missing key "{key}"' in "\n".join(said)] == [
        "in_nc",
        "out_nc",
    ]
    assert len(set(said)) == len(said)


def test_a_fork_without_the_usual_files_is_asked_too(trainlint) -> None:
    """As n-smoe, whose options are read elsewhere: what its own source never reads is not missing."""
    more = '"G_scheduler_T_0": 9, "G_optimizer_clipgrad": 1.0, "checkpoint_test": 9, "checkpoint_save": 500'
    text = KAIR.replace("MultiStepLR", "CosineAnnealingWarmRestarts").replace('"checkpoint_save": 500', more)
    text = text.replace("[128, 96]", "128").replace("[32, 16]", "32")
    trainlint.write("options/a.json", text)
    assert {("missing-key", "fail"), ("clip-without-parameters", "fail")} <= set(
        findings(only(trainlint, "options/a.json"))
    )
    trainlint.write("models/model_base.py", "class ModelBase:\n    pass\n")
    trainlint.write(
        "models/model_plain.py",
        "from models.model_base import ModelBase\n\n\nclass ModelPlain(ModelBase):\n"
        "    def optimize_parameters(self, current_step):\n"
        "        every = self.opt_train['G_scheduler_T_0'], self.opt_train['G_lossfn_type']\n"
        "        torch.nn.utils.clip_grad_norm_(self.netG.parameters(), 1.0)\n",
    )
    found = findings(only(trainlint, "options/a.json"))
    assert ("missing-key", "fail") not in found
    assert ("clip-without-parameters", "warn") in found


def test_json_with_comments_and_commas_of_another_program_is_not_broken(trainlint) -> None:
    keys = '"datasets": {}, "path": {}, "train": {}'
    other = f'{{\n  # about the run\n  "task": "x", "model": "y",  # a name\n  {keys}\n}}\n'
    trainlint.write("configs/other.json", other)
    report = trainlint.json("configs")
    assert report["results"] == []
    assert report["unrecognised"] == ["configs/other.json"]
    trainlint.write("configs/comma.json", '{"lr": 1e-4, "epochs": [1, 2,],\n}\n')
    assert trainlint.json("configs")["results"] == []
    for name in ("other", "comma"):
        (named,) = trainlint.json(f"configs/{name}.json")["results"]
        assert (named["outcome"], named["findings"]) == ("skipped", [])
        assert "another may" in named["skipped"][0]["reason"]
    trainlint.write("options/a.json", KAIR.replace('"task"', '# no comment to this trainer\n  "task"'))
    (result,) = trainlint.json("options")["results"]
    assert result["outcome"] == "unreadable"


def test_json_that_its_repository_reads_by_another_reader_is_not_broken(trainlint) -> None:
    text = KAIR.replace('"task"', "'task'")
    trainlint.write(".git/HEAD", "ref: refs/heads/main\n")
    trainlint.write(
        "utils/utils_option.py", "import json\n\n\ndef parse(path):\n    return json.loads(path)\n"
    )
    trainlint.write("options/a.json", text)
    (result,) = trainlint.json("options")["results"]
    assert result["outcome"] == "unreadable"
    trainlint.write("utils/utils_option.py", "import json5 as json\n\n\ndef parse(path):\n    pass\n")
    for path in ("options", "options/a.json"):
        (result,) = trainlint.json(path)["results"]
        assert (result["outcome"], result["findings"]) == ("skipped", [])
        assert "reads JSON by json5 (utils/utils_option.py:1)" in result["skipped"][0]["reason"]


def test_yaml_with_tags_of_another_program_is_not_broken(trainlint) -> None:
    """As the tasks of lm-evaluation-harness, whose keys are like those of some trainers."""
    task = "task: x\ndataset_path: a/b\ndataset_name: null\ntraining_split: null\n"
    trainlint.write("tasks/task.yaml", f"{task}process_results: !function utils.results\n")
    report = trainlint.json("tasks")
    assert (report["results"], report["unrecognised"]) == ([], ["tasks/task.yaml"])
    (named,) = trainlint.json("tasks/task.yaml")["results"]
    assert (named["outcome"], named["findings"]) == ("skipped", [])
    example = Path(__file__).parents[2] / "examples" / "edsr_x2.yml"
    trainlint.write(
        "options/a.yml", example.read_text("utf-8").replace("  type: EDSR", "  type: !function EDSR")
    )
    (result,) = trainlint.json("options/a.yml")["results"]
    assert result["outcome"] == "unreadable"


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('"task"', '/* what */ "task"', 2),
        ('"path": {', '"path": {\n  "log": "/data//out",', 4),
        ('"task"', '// what\n  "task"', None),
    ],
)
def test_comments_are_those_that_the_loader_takes_out(trainlint, old, new, line) -> None:
    trainlint.write("a.json", KAIR.replace(old, new))
    (result,) = trainlint.json("a.json", "--launcher", "none")["results"]
    found = [one["line"] for one in result["findings"] if one["rule"] == "unreadable"]
    assert found == ([line] if line else [])
    assert (result["outcome"] == "unreadable") == bool(line)
    trainlint.write("utils/utils_option.py", "opt = hjson.load(file)\n")
    (result,) = trainlint.json("a.json", "--launcher", "none")["results"]
    assert result["outcome"] != "unreadable"


@pytest.mark.parametrize(("model", "pool"), [("SRModel", []), ("RealESRNetModel", ["queue-not-divisible"])])
def test_a_queue_counts_where_the_model_class_has_one(trainlint, variant, model, pool) -> None:
    text = variant(("model_type: SRModel", f"model_type: {model}\nqueue_size: 180"))
    trainlint.write("a.yml", text.replace("batch_size_per_gpu: 16", "batch_size_per_gpu: 7"))
    (result,) = trainlint.json("-t", "rtx4090", "--launcher", "none", "a.yml")["results"]
    found = [one["rule"] for one in result["findings"]]
    assert [rule for rule in found if rule == "queue-not-divisible"] == pool


def test_what_no_line_of_the_source_reads_is_not_wrong(trainlint, variant) -> None:
    """As Wave-Mamba's, which has the line that counts the discriminator's steps in a comment."""
    text = variant(("  total_iter: 300000\n", "  total_iter: 300000\n  net_d_iters: 0\n"))
    trainlint.write("a.yml", text)
    assert findings(only(trainlint, "a.yml")) == [("wrong-value", "fail")]
    trainlint.write("basicsr/utils/options.py", "# self.net_d_iters = train_opt.get('net_d_iters', 1)\n")
    assert findings(only(trainlint, "a.yml")) == []
    trainlint.write("basicsr/utils/options.py", "self.net_d_iters = train_opt.get('net_d_iters', 1)\n")
    assert findings(only(trainlint, "a.yml")) == [("wrong-value", "fail")]


PUBLISHED = """
if phase == 'train':
    if dist:
        batch_size = dataset_opt['batch_size_per_gpu']
if self.opt['phase'] == 'train':
    gt_size = self.opt['gt_size']
if self.file_client is None:
    self.file_client = FileClient(self.io_backend_opt.pop('type'), **self.io_backend_opt)
"""
"""Lines as BasicSR has them: what they do with a value is known, whatever else reads it."""


def test_an_own_class_of_data_sets_may_read_its_options_otherwise(trainlint, variant) -> None:
    """As EFNet's events: their reader never asks for the backend, and crops nothing without a size."""
    text = variant(("type: PairedImageDataset", "type: EventsDataset"), ("type: disk", "type: h5"))
    text = text.replace("batch_size_per_gpu: 16", "batch_size_per_gpu: 0")
    trainlint.write("a.yml", text.replace("gt_size: 128", "gt_size: 0"))
    source = "size, backend = opt['gt_size'], opt['io_backend']['type']\nbatch = opt['batch_size_per_gpu']\n"
    source += PUBLISHED
    for _ in range(2):
        found = only(trainlint, "a.yml")["findings"]
        failed = [one["message"] for one in found if one["level"] == "fail"]
        assert len(failed) == 1
        assert "batch_size_per_gpu" in failed[0]  # the loader's, whatever the data set is
        assert {one["rule"] for one in found if one["level"] == "warn"} >= {"wrong-value"}
        trainlint.write("basicsr/utils/options.py", source + "if kind in ('disk', 'lmdb'): pass\n")
    trainlint.write("a.yml", text.replace("EventsDataset", "PairedImageDataset"))
    levels = [level for rule, level in findings(only(trainlint, "a.yml")) if rule == "wrong-value"]
    assert levels.count("fail") >= 2  # the published class reads both


def test_what_the_source_around_an_own_data_set_takes_is_not_remarked_on(trainlint, variant) -> None:
    """As Retinexformer's SID: a data set of its own whose word its own data/util.py compares with."""
    text = variant(("type: PairedImageDataset", "type: ClipsDataset\n    padding: wrap_around"))
    trainlint.write("a.yml", text)
    trainlint.write("basicsr/utils/options.py", "class ClipsDataset: padding = opt['padding']\n")
    assert findings(only(trainlint, "a.yml")) == [("wrong-value", "warn")]
    trainlint.write("basicsr/data/util.py", "if padding == 'wrap_around': pass\n")
    assert findings(only(trainlint, "a.yml")) == []


def test_a_name_is_missing_only_from_a_registry_that_is_there(trainlint, variant) -> None:
    """As ORCANet's metrics, whose folder was never committed."""
    metric = "val: {val_freq: 5000, save_img: false, metrics: {psnr: {type: psnr, crop_border: 4}}}\n"
    text = variant()
    assert "\nval:" not in text
    trainlint.write("a.yml", text + metric)
    trainlint.write("basicsr/utils/options.py", "from basicsr.metrics import METRICS\n")
    assert ("misspelt-name", "fail") not in findings(only(trainlint, "a.yml"))
    trainlint.write("basicsr/metrics/psnr_ssim.py", "def calculate_psnr(img, img2, crop_border):\n    pass\n")
    assert ("misspelt-name", "fail") in findings(only(trainlint, "a.yml"))


def test_a_choice_is_judged_where_the_source_makes_it(trainlint) -> None:
    """As DAN's model classes, whose names are put together."""
    text = KAIR.replace("[32, 16]", "32").replace("[128, 96]", "96").replace('"plain"', '"Plain"')
    trainlint.write("a.json", text.replace('"checkpoint_save"', '"checkpoint_test": 9, "checkpoint_save"'))
    trainlint.write("utils/utils_option.py", "name = 'models.model_' + opt['model'].lower()\n")
    assert ("wrong-value", "warn") in findings(only(trainlint, "a.json"))
    trainlint.write("utils/utils_option.py", "lossy = opt['model'] == 'gan'\n")
    assert ("wrong-value", "warn") in findings(only(trainlint, "a.json"))
    trainlint.write("utils/utils_option.py", "model = opt['model']\nknown = model in ('plain', 'gan')\n")
    assert ("wrong-value", "fail") in findings(only(trainlint, "a.json"))


def test_a_key_that_is_read_behind_another_question_may_be_missing(trainlint) -> None:
    """As SwinFuSR's, which saves by no number of steps, and asks for it where it regularises alone."""
    text = KAIR.replace("[32, 16]", "32").replace("[128, 96]", "96")
    trainlint.write("a.json", text)
    line = "if orth > 0 and step % opt['train']['checkpoint_test'] != 0:\n    regularise()\n"
    trainlint.write("utils/utils_option.py", line)
    assert findings(only(trainlint, "a.json")) == [("missing-key", "warn")]
    trainlint.write("utils/utils_option.py", line.replace("orth > 0 and ", ""))
    assert findings(only(trainlint, "a.json")) == [("missing-key", "fail")]
    trainlint.write("utils/utils_option.py", "opt['train']['checkpoint_test'] = 5000\n")
    assert findings(only(trainlint, "a.json")) == []


def test_a_run_of_no_steps_is_skipped_with_the_reason(trainlint, variant) -> None:
    trainlint.write("a.yml", variant(("  total_iter: 300000\n", "  total_iter: 0\n")))
    result = only(trainlint, "a.yml")
    assert (result["outcome"], findings(result)) == ("skipped", [])
    assert "takes no step" in str(result)


COPY = {
    "mine/utils/options.py": "def parse_options(path):\n    return {}\n",
    "mine/train.py": "from mine.utils.options import parse_options\n",
    "mine/models/__init__.py": "def build_model(opt):\n    return REGISTRY.get(opt['model_type'])(opt)\n",
    "mine/models/sr_model.py": "class SRModel:\n    pass\n\n\nclass WaveV1Model(SRModel):\n    pass\n",
}


def test_a_model_class_that_a_copy_of_the_trainer_lacks_is_named(trainlint, variant):
    """Another package may register it: a warning."""
    for name, text in COPY.items():
        trainlint.write(name, text)
    trainlint.write("options/a.yml", variant(("model_type: SRModel", "model_type: WaveModel")))
    (trainlint.folder / ".git").mkdir()
    (found,) = [one for one in only(trainlint, "--no-trace", "options/a.yml")["findings"] if one["line"] == 2]
    assert (found["rule"], found["level"]) == ("misspelt-name", "warn")
    assert 'no Python file of the repository defines the model class "WaveModel"' in found["message"]
    assert 'did you mean "WaveV1Model"?' in found["message"]
    trainlint.write("options/a.yml", variant(("model_type: SRModel", "model_type: WaveV1Model")))
    result = only(trainlint, "--no-trace", "options/a.yml")
    assert "wrong-value" not in {rule for rule, _ in findings(result)}
    assert result["trainer"]["text"].startswith("BasicSR in ./mine")


ARCH = """\
from torch import nn
from traiNNer.utils.registry import ARCH_REGISTRY


@ARCH_REGISTRY.register()
class Wavelet(nn.Module):
    def __init__(self, scale=2):
        super().__init__()
"""


def test_a_network_that_only_the_repository_has_may_be_run(trainlint):
    """traiNNer's registry knows names in lower case; what the zoo knows stays the zoo's."""
    trainlint.write(OPTIONS, FORK)
    trainlint.write("traiNNer/archs/wavelet_arch.py", ARCH + "\n\nclass Span(Wavelet):\n    pass\n")
    trainlint.write("options/a.yml", REDUX.replace("type: span", "type: wavelet"))
    arguments = ("--no-trace", "-t", "rtx-3060", "options/a.yml")
    why = only(trainlint, *arguments)["facts"]["missing"]["memory"]
    assert "the network Wavelet is the repository's own (traiNNer/archs/wavelet_arch.py:" in why
    assert why.endswith("trainlint dry-run -- COMMAND plays the program itself")
    trainlint.write("options/a.yml", REDUX)
    assert only(trainlint, *arguments)["facts"]["missing"]["memory"].startswith("no stored profile")


BF16_SCRIPT = """\
import argparse
p = argparse.ArgumentParser()
p.add_argument("--batch-size", type=int, default=8)
p.add_argument("--amp", action="store_true")
p.add_argument("--amp-dtype", default="float16")
p.add_argument("--mixed_precision", choices=["no", "fp16", "bf16"])
p.parse_args()
"""


@pytest.mark.parametrize(
    ("flags", "warned"),
    [
        ("--amp --amp-dtype bfloat16", True),
        ("--amp-dtype bfloat16", False),
        ("--amp --amp-dtype float16", False),
        ("--amp", False),
        ("--mixed_precision bf16", True),
        ("--mixed_precision fp16", False),
    ],
)
def test_a_type_that_a_script_takes_by_its_name(trainlint, flags, warned):
    """No dialect knows the script: at most a warning, and only of the type that autocast is sure to take."""
    trainlint.write("train_mine.py", BF16_SCRIPT)
    trainlint.write("run.sh", f"python train_mine.py --batch-size 4 {flags}\n")
    (result,) = trainlint.json("run.sh", "-t", "kaggle-t4x2", "--no-trace")["results"]
    found = findings(result)
    assert (("bf16-unsupported", "warn") in found) is warned
    assert "fail" not in [level for _, level in found]


OWN_FLAGS = """\
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("data_dir")
parser.add_argument("--model")
parser.add_argument("-b", "--batch-size", type=int)
parser.add_argument("--opt")
parser.add_argument("--sched")
parser.add_argument("--own-switch", action="store_true")
"""


def test_flags_that_a_called_script_hands_on_are_held_against_its_own_parser(trainlint):
    trainlint.write(".git/HEAD", "ref: refs/heads/main\n")
    trainlint.write("train.py", OWN_FLAGS)
    trainlint.write("distributed_train.sh", 'N=$1\nshift\ntorchrun --nproc_per_node=$N train.py "$@"\n')
    words = "/data --model resnet18 -b 32 --opt sgd --sched cosine"
    trainlint.write("run.sh", f"bash distributed_train.sh 1 {words} --own-switch\n")
    assert findings(only(trainlint, "run.sh", "--select", "unknown-key")) == []
    trainlint.write("slip.sh", f"bash distributed_train.sh 1 {words} --own-swich\n")
    (found,) = only(trainlint, "slip.sh", "--select", "unknown-key")["findings"]
    assert (found["level"], found["message"]) == ("fail", "unrecognized arguments: --own_swich")


LEGACY = """\
name: a
model: sr
gpu_ids: [0]
network_G: {which_model_G: RRDBNet, in_nc: 3, out_nc: 3, nf: 8, nb: 1}
datasets:
  train: {name: d, mode: LQGT, dataroot_GT: hr, dataroot_LQ: lr, n_workers: 1, batch_size: 4, GT_size: 64}
path: {root: /data}
train: {lr_G: 1.0e-4, niter: 1000, val_freq: 100}
"""


@pytest.mark.parametrize(("folder", "is_said"), [("train", True), ("test/EDVR", False)])
def test_what_training_alone_reads_is_not_asked_of_files_for_tests(trainlint, folder, is_said):
    trainlint.write(".git/HEAD", "ref: refs/heads/main\n")
    trainlint.write("codes/options/options.py", "opt['logger']['print_freq']\n")
    trainlint.write(f"codes/options/{folder}/a.yml", LEGACY)
    found = findings(only(trainlint, f"codes/options/{folder}/a.yml", "--select", "missing-key"))
    assert found == [("missing-key", "fail")] * is_said
