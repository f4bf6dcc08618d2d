# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The trainer around an option file is that of the script that a command runs: the real command."""

from __future__ import annotations

import pytest

from .test_forks import NETWORK

CLONE = "tools/BasicSR"
RUN = "open('ran', 'w').close()\n"
COMMAND = f"python {CLONE}/basicsr/train.py -opt cfg/a.yml"
OPTIONS = """\
def parse_options(root_path):
    opt = read()
    steps = opt['train']['total_iter']
    return opt
"""
READS = OPTIONS.replace("steps =", "every, steps = opt['train'].get('net_d_iters', 1),")
MODEL = """\
from basicsr.models.base_model import BaseModel
from basicsr.utils.registry import MODEL_REGISTRY

@MODEL_REGISTRY.register()
class SRModel(BaseModel):
    def optimize_parameters(self, current_iter):
        pass
"""


@pytest.fixture
def clone(trainlint, variant):
    """Return what writes a repository of the trainer, with its own key, network and step, into a folder."""
    text = variant(
        ("  upscale: 4\n", "  upscale: 4\n  gates: 4\n"), ("  total_iter:", "  net_d_iters: 0\n  total_iter:")
    )
    trainlint.write("cfg/a.yml", text)
    trainlint.write("train.sh", f"{COMMAND}\n")

    def lay(folder: str = CLONE, options: str = OPTIONS) -> None:
        trainlint.write(f"{folder}/VERSION", "1.3.9\n")
        trainlint.write(f"{folder}/basicsr/__init__.py", RUN)
        trainlint.write(f"{folder}/basicsr/train.py", RUN)
        trainlint.write(f"{folder}/basicsr/utils/options.py", options)
        trainlint.write(f"{folder}/basicsr/archs/msr_arch.py", NETWORK)
        trainlint.write(f"{folder}/basicsr/models/sr_model.py", RUN + MODEL)

    return lay


def judged(trainlint, path="cfg/a.yml", *more):
    """Return the results of the option file, linted by itself or as what a command starts."""
    results = trainlint.json("-t", "rtx4090", "--no-trace", *more, path)["results"]
    return [result for result in results if result["path"] == "cfg/a.yml"]


def strange(result):
    """Return what is said of the network's own argument, and of a figure that the clone never reads."""
    rules = {"network-arguments": "gates", "wrong-value": "net_d_iters"}
    found = [(one["rule"], one["level"]) for one in result["findings"] if one["rule"] in rules]
    assert all(rules[one["rule"]] in one["message"] for one in result["findings"] if one["rule"] in rules)
    return sorted(found)


@pytest.mark.parametrize("linted", ["train.sh", "cfg/a.yml"])
def test_the_script_s_repository_is_the_trainer(trainlint, clone, linted) -> None:
    (alone,) = judged(trainlint, linted)
    assert alone["trainer"]["basis"] == "config"
    assert strange(alone) == [("network-arguments", "warn"), ("wrong-value", "fail")]
    clone()
    (result,) = judged(trainlint, linted)
    assert result["trainer"]["basis"] == "source"
    assert result["trainer"]["version"] == "1.3.9"
    assert result["trainer"]["text"].startswith(f"BasicSR 1.3.9 in ./{CLONE}/basicsr, with its own ")
    assert set(result["trainer"]["own"]) == {"SRModel", "MSRResNet"}
    assert strange(result) == []
    assert "(basicsr/models/sr_model.py:7)" in result["facts"]["missing"]["memory"]
    assert not list(trainlint.folder.rglob("ran"))


@pytest.mark.parametrize("linted", ["train.sh", "cfg/a.yml"])
def test_a_command_that_changes_its_folder_is_followed(trainlint, clone, linted) -> None:
    """The option file's path is from there, and so is the script's."""
    clone()
    text = (trainlint.folder / "cfg/a.yml").read_text("utf-8")
    command = "python basicsr/train.py -opt ../../cfg/a.yml --force_yml name=other"
    trainlint.write("train.sh", f"cd {CLONE} && {command}\n")
    (result,) = judged(trainlint, linted)
    assert result["command"]["place"] == "train.sh:1"
    assert result["trainer"]["text"].startswith(f"BasicSR 1.3.9 in ./{CLONE}/basicsr")
    trainlint.write(f"{CLONE}/cfg/a.yml", text)  # without the `cd`, cfg/a.yml is the one around the script
    trainlint.write("train.sh", f"cd {CLONE}\n{command.replace('../../', '')}\n")
    assert [one["command"] for one in judged(trainlint, linted)] == [None] * (linted != "train.sh")


def test_what_its_source_reads_is_wrong_for_it(trainlint, clone) -> None:
    clone(options=READS)
    trainlint.write(f"{CLONE}/basicsr/models/sr_model.py", "")
    trainlint.write(f"{CLONE}/basicsr/archs/msr_arch.py", NETWORK.replace("gates", "gate"))
    (result,) = judged(trainlint)
    assert strange(result) == [("network-arguments", "fail"), ("wrong-value", "warn")]
    published = "self.net_d_iters = train_opt.get('net_d_iters', 1)\n"
    trainlint.write(f"{CLONE}/basicsr/models/srgan_model.py", published)
    (result,) = judged(trainlint)
    assert strange(result) == [("network-arguments", "fail"), ("wrong-value", "fail")]


def test_a_flag_for_the_launcher_leaves_the_script(trainlint, clone) -> None:
    clone()
    (result,) = judged(trainlint, "cfg/a.yml", "--launcher", "none")
    assert (result["command"], result["trainer"]["version"]) == (None, "1.3.9")


@pytest.mark.rest
def test_the_script_that_runs_wins_over_the_folders_above_the_option_file(trainlint, clone) -> None:
    trainlint.write("cfg/basicsr/utils/options.py", "def parse_options(root_path):\n    return read()\n")
    (result,) = judged(trainlint)
    assert result["trainer"]["text"] == "BasicSR in ./basicsr"
    clone()
    (result,) = judged(trainlint)
    assert result["trainer"]["text"].startswith(f"BasicSR 1.3.9 in ./{CLONE}/basicsr")
    (told,) = judged(trainlint, "cfg/a.yml", "--repo", "cfg")
    assert told["trainer"]["text"] == "BasicSR in ./basicsr"


def test_two_scripts_are_two_readings(trainlint, clone) -> None:
    """What one of the trainers reads is no fail, and no pass, of the other."""
    clone()
    clone("tools/Other", READS)
    trainlint.write("train.sh", f"{COMMAND}\n{COMMAND.replace(CLONE, 'tools/Other')}\n")
    found = judged(trainlint)
    assert [result["variant"] for result in found] == ["as in train.sh:1", "as in train.sh:2"]
    assert [CLONE in result["trainer"]["text"] for result in found] == [True, False]
    said = [(rule, level) for result in found for rule, level in strange(result)]
    assert said == [("wrong-value", "warn")]


def test_a_script_without_a_trainer_around_it_changes_nothing(trainlint, clone) -> None:
    trainlint.write(f"{CLONE}/basicsr/train.py", "")
    (result,) = judged(trainlint)
    assert result["trainer"]["basis"] == "config"


def test_another_script_s_trainer_is_not_this_one_s(trainlint, clone) -> None:
    """tools/ has a repository that builds on the package; what runs is next to it."""
    trainlint.write(f"{CLONE}/basicsr/train.py", "")
    trainlint.write("tools/mini/train.py", "from basicsr.train import train_pipeline\n")
    (result,) = judged(trainlint)
    assert result["trainer"]["basis"] == "config"
    trainlint.write("train.sh", "python tools/mini/train.py -opt cfg/a.yml\n")
    (result,) = judged(trainlint)
    assert result["trainer"]["text"] == "BasicSR started by ./tools/mini/train.py"


@pytest.mark.parametrize("linted", ["train.sh", "cfg/a.yml"])
@pytest.mark.parametrize("way", ["link", "absolute", "above", "repository"])
def test_a_script_outside_the_working_directory_is_not_followed(trainlint, clone, linted, way) -> None:
    clone("out/BasicSR")
    inner = trainlint.folder / "in"
    inner.mkdir()
    for name in ("cfg", "train.sh"):
        (trainlint.folder / name).rename(inner / name)
    (inner / "tools").mkdir()
    outside = trainlint.folder / "out/BasicSR"
    if way == "link":
        (inner / CLONE).symlink_to(outside, target_is_directory=True)
    elif way == "absolute":
        (inner / "train.sh").write_text(COMMAND.replace(CLONE, str(outside)) + "\n")
    elif way == "above":
        (inner / "train.sh").write_text(COMMAND.replace(CLONE, "../out/BasicSR") + "\n")
    else:
        (trainlint.folder / ".git").mkdir()
        (inner / "train.sh").unlink()
        command = "python out/BasicSR/basicsr/train.py -opt in/cfg/a.yml\n"
        (trainlint.folder / "train.sh").write_text(command)
    trainlint.folder = inner
    linted = "../train.sh" if (way, linted) == ("repository", "train.sh") else linted
    results = judged(trainlint, linted)
    assert {result["trainer"]["basis"] for result in results} == {"config"}


def test_a_repository_of_its_own_ends_the_walk(trainlint, clone) -> None:
    clone("tools")
    trainlint.write(f"{CLONE}/train.py", "")
    trainlint.write("train.sh", f"python {CLONE}/train.py -opt cfg/a.yml\n")
    (result,) = judged(trainlint)
    assert result["trainer"]["version"] == "1.3.9"
    trainlint.write(f"{CLONE}/.git", "gitdir: elsewhere\n")
    (result,) = judged(trainlint)
    assert result["trainer"]["basis"] == "config"


def test_what_its_repository_installs_is_looked_at(trainlint, clone) -> None:
    """An option file that lies elsewhere, by the script of its command and by `--repo`."""
    clone()
    trainlint.write(f"{CLONE}/requirements.txt", "torch==2.5.1\n")

    def found(*more: str) -> list[str]:
        results = trainlint.json("-t", "rtx-5090", "--no-trace", *more, "cfg/a.yml")["results"]
        return [one["message"] for one in results[0]["findings"] if one["rule"] == "environment-torch"]

    by_command = found()
    assert [f"{CLONE}/requirements.txt:1" in message for message in by_command] == [True]
    trainlint.write("train.sh", "")
    assert (found(), found("--repo", CLONE)) == ([], by_command)


OWN_SCRIPT = """\
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--batch_size", type=int, default=1)
parser.add_argument("--epochs", type=int, default=9)
args = parser.parse_args()
"""


@pytest.mark.parametrize("launch", ["accelerate launch", "python"])
def test_how_a_script_of_its_own_spreads_a_batch_is_not_known(trainlint, launch):
    trainlint.write("train_own.py", OWN_SCRIPT)
    trainlint.write("train.sh", f"{launch} train_own.py --batch_size 1\n")
    (result,) = trainlint.json("train.sh", "--target", "kaggle-t4x2")["results"]
    assert "idle-gpus" not in {finding["rule"] for finding in result["findings"]}
