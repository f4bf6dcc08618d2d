# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A repository around a config, with classes of its own: the real command."""

from __future__ import annotations

import pytest

TRAIN = "from basicsr.train import train_pipeline\ntrain_pipeline('.')\n"
MODEL = """\
from basicsr.models.sr_model import SRModel
from basicsr.utils.registry import MODEL_REGISTRY

@MODEL_REGISTRY.register()
class MiniModel(SRModel):
"""
NETWORK = """\
from torch import nn
from basicsr.utils.registry import ARCH_REGISTRY

@ARCH_REGISTRY.register()
class MSRResNet(nn.Module):
    def __init__(self, num_in_ch, num_out_ch, num_feat=64, num_block=16, upscale=4, gates=2):
        super().__init__()
"""


OWN_SCRIPT = """\
import argparse

def main(args):
    print("its own step")

parser = argparse.ArgumentParser()
parser.add_argument("--pretrained_model_name_or_path")
parser.add_argument("--instance_data_dir")
main(parser.parse_args())
"""


@pytest.fixture
def fork(trainlint, config):
    """Lay a repository that trains with the installed BasicSR; returns what lints its config."""

    def lint(body: str, model: str = "MiniModel", written: str = config, **files: str):
        trainlint.write("mini/train.py", TRAIN)
        trainlint.write("mini/models/mini_model.py", MODEL + body)
        trainlint.write("requirements.txt", "torch>=1.7\nbasicsr==1.3.4.9\n")
        for name, text in files.items():
            trainlint.write(f"mini/archs/{name}.py", text)
        trainlint.write("options/a.yml", written.replace("model_type: SRModel", f"model_type: {model}"))
        (result,) = trainlint.json("-t", "rtx4090", "--launcher", "none", "options/a.yml")["results"]
        return result

    return lint


def test_a_class_that_only_saves_otherwise_is_judged_as_its_base(fork):
    result = fork("    def save(self, epoch, current_iter):\n        print(epoch)\n")
    assert result["trainer"]["text"] == "BasicSR 1.3.4.9 started by ./mini/train.py, with its own MiniModel"
    plain = fork("    pass\n", "SRModel")
    assert result["facts"] == plain["facts"]
    assert (result["verdicts"], result["findings"]) == (plain["verdicts"], plain["findings"])
    assert "own" not in str(result["facts"]["missing"])


def test_an_own_step_is_named_and_memory_not_judged(fork):
    result = fork("    def optimize_parameters(self, it):\n        pass\n")
    why = "MiniModel has its own optimize_parameters (mini/models/mini_model.py:6)"
    assert result["facts"]["memory"] is None
    assert result["facts"]["missing"]["memory"].startswith(why)
    skipped = {one["rule"]: one["reason"] for one in result["skipped"]}
    assert skipped["vram-budget"].startswith(why)


def test_an_own_network_of_a_known_name_is_not_the_known_one(fork):
    result = fork("    pass\n", msr_arch=NETWORK)
    assert result["facts"]["missing"]["memory"].startswith(
        "its own MSRResNet (mini/archs/msr_arch.py:5) differs from the published one; trainlint dry-run "
    )
    assert result["trainer"]["own"] == ["MiniModel", "MSRResNet"]


DISCRIMINATOR = NETWORK.replace("MSRResNet", "VGGStyleDiscriminator").replace(
    "num_block=16, upscale=4", "size=96"
)


def test_an_own_discriminator_may_take_another_crop(fork, config):
    def crops(result):
        return [found["level"] for found in result["findings"] if found["rule"] == "crop-discriminator"]

    network = "network_d: {type: VGGStyleDiscriminator, num_in_ch: 3, num_feat: 64, input_size: 256}"
    text = config.replace("model_type: SRModel", f"model_type: SRGANModel\n{network}")
    assert crops(fork("    pass\n", written=text)) == ["fail"]
    own = text.replace("SRGANModel", "SRModel")
    step = "    def optimize_parameters(self, it):\n        self.output = self.net_g(self.lq)\n"
    assert crops(fork(step, written=own)) == ["warn"]  # it may build no discriminator
    assert crops(fork("    pass\n", written=text, vgg_arch=DISCRIMINATOR)) == []


def arguments(result):
    return [
        (found["level"], found["message"])
        for found in result["findings"]
        if found["rule"] == "network-arguments"
    ]


def test_arguments_are_held_against_the_repository_s_own_constructor(fork):
    assert arguments(fork("    pass\n", msr_arch=NETWORK)) == []
    other = NETWORK.replace("num_feat=64", "num_feet=64")
    assert arguments(fork("    pass\n", msr_arch=other)) == [
        (
            "fail",
            'MSRResNet (mini/archs/msr_arch.py:5) takes no argument "num_feat"; did you mean "num_feet"?',
        )
    ]
    other = NETWORK.replace("num_feat=64", "mode, num_feat=64")
    assert [level for level, _ in arguments(fork("    pass\n", msr_arch=other))] == ["fail"]


def test_where_networks_may_be_built_otherwise_a_strange_argument_is_a_warning(fork):
    own = "    def __init__(self, opt):\n        self.net_g = mine(opt)\n"
    (found,) = arguments(fork(own, msr_arch=NETWORK.replace("num_feat=64", "num_feet=64")))
    assert found[0] == "warn"
    assert arguments(fork(own, msr_arch=NETWORK.replace("num_feat=64", "**rest"))) == []


@pytest.mark.rest
def test_the_repository_may_lie_elsewhere_if_the_user_says_so(trainlint, config):
    trainlint.write("code/mini/train.py", TRAIN)
    trainlint.write(
        "code/mini/mini_model.py", MODEL + "    def optimize_parameters(self, it):\n        pass\n"
    )
    text = config.replace("model_type: SRModel", "model_type: MiniModel")
    trainlint.write("configs/a.yml", text)
    arguments = ("-t", "rtx4090", "--launcher", "none", "configs/a.yml")
    (alone,) = trainlint.json(*arguments)["results"]
    (told,) = trainlint.json("--repo", "code", *arguments)["results"]
    assert (alone["trainer"]["basis"], told["trainer"]["basis"]) == ("config", "source")
    assert told["facts"]["missing"]["memory"].startswith("MiniModel has its own optimize_parameters")
    trainlint.write("trainlint.toml", 'repo = "code"\n')
    (told,) = trainlint.json(*arguments)["results"]
    assert told["trainer"]["path"].endswith("train.py")
    trainlint.write("trainlint.toml", 'repo = ".."\n')
    assert "leads out of the project" in trainlint(*arguments).stderr


KEEPER = """\
from torch import nn
from basicsr.utils.registry import ARCH_REGISTRY

@ARCH_REGISTRY.register()
class Keeper(nn.Module):
    def __init__(self, channels=3, scale=1):
        super().__init__()
"""


def test_what_an_own_network_means_by_scale_is_not_known(fork, trainlint, variant):
    fork("    pass\n", keeper=KEEPER)
    published = (
        "  type: MSRResNet\n  num_in_ch: 3\n  num_out_ch: 3\n  num_feat: 64\n  num_block: 16\n  upscale: 4\n"
    )
    trainlint.write("options/a.yml", variant((published, "  type: Keeper\n  scale: 3\n")))
    (result,) = trainlint.json("-t", "rtx4090", "--launcher", "none", "options/a.yml")["results"]
    assert "network-scale" not in {found["rule"] for found in result["findings"]}
    assert "Keeper" in result["facts"]["missing"]["memory"]


def test_what_an_own_step_reads_is_not_known(fork, config):
    """As a model class with an edge loss, whose assertion asks for that one too."""

    def failed(result):
        return {found["rule"] for found in result["findings"] if found["level"] == "fail"}

    lossless = config.replace("  pixel_opt:\n    type: L1Loss\n", "  edge_opt:\n    type: EdgeLoss\n")
    assert lossless != config
    step = "    def optimize_parameters(self, it):\n        pass\n"
    assert "missing-key" in failed(fork("    pass\n", written=lossless))
    assert "missing-key" not in failed(fork(step, written=lossless))


def test_a_network_of_the_repository_may_enlarge_without_its_scale(fork, variant):
    """As PL_ESRGAN's RRDBNet, which enlarges by four whatever its scale is."""
    text = variant(("  upscale: 4\n", "  upscale: 2\n"))
    rules = {found["rule"] for found in fork("    pass\n", written=text)["findings"]}
    assert "network-scale" in rules
    rules = {found["rule"] for found in fork("    pass\n", written=text, msr_arch=NETWORK)["findings"]}
    assert "network-scale" not in rules


def test_a_program_names_the_trainer_that_it_starts(trainlint):
    """Another folder's class says nothing of it; what flags set is left to the command."""
    own = "from trl import SFTTrainer\n\nclass OwnTrainer(SFTTrainer):\n    pass\n\nOwnTrainer('a').train()\n"
    calls = "from trl import SFTConfig, SFTTrainer\nargs = SFTConfig('out', max_length=512)\n"
    trainlint.write(".git/HEAD", "ref: refs/heads/main\n")
    trainlint.write("other/own.py", own)
    trainlint.write("train.py", f'{calls}SFTTrainer("Qwen/Qwen3-0.6B", args).train()\n')
    trainlint.write("flags.py", f'{calls}SFTTrainer("Qwen/Qwen3-0.6B", parse_args()).train()\n')
    results = trainlint.json("-t", "rtx4090", ".")["results"]
    assert [result["path"] for result in results] == ["train.py"] * len(results)
    assert results
    assert "OwnTrainer" not in str(results)


def test_the_dry_run_that_is_offered_can_be_typed_where_the_check_was(trainlint):
    """With the values of the script's variables, in the folder that it names its program from."""
    script = (
        'export CUDA_VISIBLE_DEVICES=0 MODEL="stabilityai/sd 2"\n'
        "accelerate launch train_dreambooth.py \\\n"
        '  --pretrained_model_name_or_path="$MODEL" --instance_data_dir=$DIR\n'
    )
    trainlint.write("examples/own/train.sh", script)
    trainlint.write("examples/own/train_dreambooth.py", OWN_SCRIPT)
    done = trainlint("-t", "rtx4090", "examples/own/train.sh")
    assert done.returncode == 0  # --instance_prompt is no flag of its
    said = " ".join(done.stdout.split())
    assert (
        "cd examples/own && trainlint dry-run --store -t rtx-4090 -- CUDA_VISIBLE_DEVICES=0 "
        "accelerate launch train_dreambooth.py '--pretrained_model_name_or_path=stabilityai/sd 2' "
        "--instance_data_dir=$DIR says it"
    ) in said
