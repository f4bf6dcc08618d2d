# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A command and its option file are one job, each finding in the file that it is about."""

from __future__ import annotations

import pytest

from tests.sampling import sampled

COMMAND = "torchrun --nproc_per_node=2 basicsr/train.py -opt options/a.yml --launcher pytorch"


@pytest.fixture
def tree(trainlint, config):
    trainlint.write("basicsr/train.py", "")
    trainlint.write(".git/HEAD", "")
    trainlint.write("options/a.yml", config.replace("num_gpu: 1", "num_gpu: auto"))

    def judged(command: str, *paths: str) -> list:
        trainlint.write("train.sh", f"{command}\n")
        found = trainlint.json(*paths, "-t", "kaggle-t4x2", "--no-trace")["results"]
        return sorted(found, key=lambda result: result["path"] != paths[0])

    return judged


def rules(result):
    return {finding["rule"]: finding["line"] for finding in result["findings"]}


def test_from_the_command_both_files_are_judged(tree) -> None:
    command, option_file = tree(f"{COMMAND} --force_yml datasets:train:batch_size_per_gpu=8", "train.sh")
    assert (command["path"], command["outcome"]) == ("train.sh", "pass")
    assert option_file["path"] == "options/a.yml"
    assert option_file["launcher"] == {"value": "pytorch", "basis": "command"}
    assert option_file["command"]["place"] == "train.sh:1"
    assert option_file["command"]["processes"] == 2
    assert option_file["command"]["overrides"] == {
        "datasets.train.batch_size_per_gpu": "datasets:train:batch_size_per_gpu=8"
    }


def test_a_value_that_the_command_sets_is_the_one_judged(tree) -> None:
    assert "workers-over-cores" not in rules(tree(COMMAND, "train.sh")[1])
    _, result = tree(f"{COMMAND} --force_yml datasets:train:num_worker_per_gpu=9", "train.sh")
    (finding,) = [one for one in result["findings"] if one["rule"] == "workers-over-cores"]
    assert (
        finding["message"] == "18 DataLoader workers share 4 cores: more than one per core is rarely faster"
    )
    assert finding["notes"] == ["datasets.train.num_worker_per_gpu is set in train.sh:1"]


PARSER = """\
import argparse

def parse_options(root_path, is_train=True):
    parser = argparse.ArgumentParser()
    parser.add_argument('-opt', type=str, required=True)
    parser.add_argument('--launcher', choices=['none', 'pytorch', 'slurm'], default='none')
    parser.add_argument('--auto_resume', action='store_true')
    parser.add_argument('--local_rank', type=int, default=0)
    args = parser.parse_args()
"""


@pytest.mark.parametrize(
    ("flag", "refused"),
    sampled(
        [
            ("--local-rank 0", True),
            ("--local_rank 0", False),
            ("--auto", False),
            ("--autoresume", True),
            ("--x", True),
            ("--seed $i", True),
            ("--local_rank $i", False),
            ("--$i 3", False),
            ("$i", False),
        ],
        3,
    ),
)
def test_a_parser_takes_a_flag_as_it_is_spelled_or_cut_short(trainlint, tree, flag, refused) -> None:
    trainlint.write("basicsr/utils/options.py", PARSER)
    command, _ = tree(f"{COMMAND} {flag}", "train.sh")
    found = [(one["rule"], one["level"]) for one in command["findings"]]
    assert found == ([("unknown-key", "fail")] if refused else [])


def test_a_value_that_the_parser_does_not_list_is_refused(trainlint, tree) -> None:
    trainlint.write("basicsr/utils/options.py", PARSER.replace("'slurm'", "'mpi'"))
    for launcher, levels in (("ddp", ["fail"]), ("mpi", [])):
        command, _ = tree(COMMAND.replace("--launcher pytorch", f"--launcher {launcher}"), "train.sh")
        assert [one["level"] for one in command["findings"] if one["rule"] == "wrong-value"] == levels


def test_words_that_a_parser_turns_into_others_are_not_refused(trainlint, tree) -> None:
    turned = PARSER.replace("'--launcher', choices", "'--launcher', type=str.lower, choices")
    trainlint.write("basicsr/utils/options.py", turned)
    command, _ = tree(COMMAND.replace("--launcher pytorch", "--launcher PyTorch"), "train.sh")
    assert [one["level"] for one in command["findings"] if one["rule"] == "wrong-value"] == ["warn"]


def test_from_the_option_file_the_command_is_found_and_named(trainlint, tree) -> None:
    (result,) = tree(COMMAND, "options/a.yml")
    assert (result["variant"], result["command"]["place"]) == (None, "train.sh:1")
    shown = trainlint("options/a.yml", "-t", "kaggle-t4x2", "--no-trace").stdout
    assert "options/a.yml as train.sh:1 starts it on kaggle-t4x2" in shown


def test_a_flag_decides_against_the_command(trainlint, tree) -> None:
    tree(COMMAND, "options/a.yml")
    (result,) = trainlint.json("options/a.yml", "-t", "kaggle-t4x2", "--no-trace", "--launcher", "none")[
        "results"
    ]
    assert (result["command"], result["launcher"]) == (None, {"value": "none", "basis": "flag"})


def test_two_commands_are_two_readings(trainlint, tree) -> None:
    trainlint.write("README.md", "```\npython basicsr/train.py -opt options/a.yml\n```\n")
    found = tree(COMMAND, "options/a.yml")
    assert [result["variant"] for result in found] == ["as in README.md:2", "as in train.sh:1"]


def test_what_is_wrong_with_the_command_is_said_there(tree) -> None:
    command, option_file = tree(f"{COMMAND} --force_yml nowhere:key=8", "train.sh")
    assert rules(command) == {"forced-key": 1}
    assert rules(option_file) == {}
    assert "(train.sh:1)" not in command["findings"][0]["message"]
    (alone,) = tree(f"{COMMAND} --force_yml nowhere:key=8", "options/a.yml")
    assert rules(alone) == {"forced-key": 1}
    assert "(train.sh:1)" in alone["findings"][0]["message"]


def test_a_wrong_value_names_the_command_that_sets_it(tree) -> None:
    _, option_file = tree(f"{COMMAND} --force_yml train:total_iter=many", "train.sh")
    (finding,) = [one for one in option_file["findings"] if one["rule"] == "wrong-type"]
    assert finding["message"].endswith("(train.sh:1)")


def test_in_a_folder_each_is_judged_once(tree) -> None:
    found = tree(COMMAND, ".")
    assert [result["path"] for result in found] == ["options/a.yml", "train.sh"]
    assert found[0]["command"]["place"] == "train.sh:1"


def test_fix_writes_the_named_file_alone(trainlint, tree) -> None:
    option_file = trainlint.folder / "options/a.yml"
    before = option_file.read_text()
    tree(COMMAND.replace("=2", "=4"), "train.sh")
    trainlint("train.sh", "-t", "kaggle-t4x2", "--no-trace", "--fix", "--unsafe-fixes")
    assert "--nproc_per_node=2" in (trainlint.folder / "train.sh").read_text()
    assert option_file.read_text() == before


def test_two_commands_to_one_effect_judge_their_option_file_once(tree) -> None:
    found = tree(f"{COMMAND}\n{COMMAND}", "train.sh")
    assert [result["path"] for result in found] == ["train.sh", "train.sh", "options/a.yml"]


def test_a_command_that_tries_the_trainer_out_is_no_reading_of_its_own(tree) -> None:
    """With --debug it saves every 8 iterations: the guides' first command filled 16 TB of disk."""
    trial = f"{COMMAND} --debug"
    (result,) = tree(f"{trial}\n{COMMAND}", "options/a.yml")
    assert result["variant"] is None
    assert result["command"]["overrides"] == {}
    (alone,) = tree(trial, "options/a.yml")
    assert alone["command"]["overrides"] == {}
    (_, page) = tree(trial, "train.sh")
    assert page["command"]["overrides"] == {}


def test_a_page_names_the_option_files_that_its_commands_start(trainlint, tree) -> None:
    tree(COMMAND, "train.sh")
    shown = trainlint("train.sh", "-t", "kaggle-t4x2", "--no-trace").stdout.splitlines()
    assert shown[0].startswith("train.sh on kaggle-t4x2")
    assert shown[0].endswith(": 2 jobs: 1 skip, 1 pass")
    assert any("  options/a.yml as line 1 starts it" in line for line in shown)


def test_what_the_environment_lacks_is_said_at_one_job(trainlint, config) -> None:
    trainlint.write(".git/HEAD", "")
    trainlint.write("requirements.txt", "basicsr==1.4.2\n")
    trainlint.write("a.yml", f"{config}---\n{config}")
    trainlint.write("guide.md", f"```yaml\n{config}```\n\n```yaml\n{config}```\n")
    found = trainlint.json(".", "-t", "kaggle-t4x2", "--no-trace")["results"]
    said = [result["path"] for result in found for name in rules(result) if name == "functional-tensor"]
    assert len(said) == 1


def test_it_is_said_at_the_same_job_where_files_are_fixed(trainlint, config) -> None:
    """The page comes first, and is not edited."""
    trainlint.write(".git/HEAD", "")
    trainlint.write("requirements.txt", "basicsr==1.4.2\n")
    trainlint.write("a.md", f"```yaml\n{config}```\n")
    trainlint.write("b.yml", config)
    words = (".", "-t", "kaggle-t4x2", "--no-trace", "--format", "concise")

    def said(*options: str) -> list[str]:
        return [
            line for line in trainlint(*words, *options).stdout.splitlines() if "functional-tensor" in line
        ]

    assert said() == said("--fix") == said("--fix", "--select", "functional-tensor")
    assert said()[0].startswith("a.md:")


ARGUMENTS = "model_name_or_path: Qwen/Qwen3-4B\ndataset_name: a/b\nlearning_rate: 2.0e-4\nuse_peft: true\n"


@pytest.mark.parametrize("paths", [("run.sh", "sft.yaml"), ("run.sh",), ("sft.yaml",)])
def test_a_file_that_trl_s_command_names_is_trl_s_whatever_keys_it_has(trainlint, paths) -> None:
    trainlint.write("run.sh", "trl sft --config sft.yaml\n")
    trainlint.write("sft.yaml", f"{ARGUMENTS}lora_rank: 32\n")
    results = trainlint.json(*paths, "-t", "rtx-4090", "--no-trace")["results"]
    of_file = [result for result in results if result["path"] == "sft.yaml"]
    assert {result["dialect"] for result in of_file} == {"trl"}
    assert all(rules(result)["unknown-key"] == 5 for result in of_file)


def test_a_file_of_arguments_that_a_script_of_its_own_reads_is_not_trl_s(trainlint) -> None:
    trainlint.write("run.sh", "python sft.py --config sft.yaml\n")
    trainlint.write("sft.yaml", f"{ARGUMENTS}lora_rank: 32\n")
    (result,) = trainlint.json("sft.yaml", "-t", "rtx-4090", "--no-trace")["results"]
    assert result["dialect"] is None


def test_a_command_whose_file_nobody_judged_is_no_pass(trainlint) -> None:
    trainlint.write("run.sh", "trl sft --config sft.yaml\n")
    trainlint.write("sft.yaml", "with_tracking: true\nbase: a/b\n")
    results = trainlint.json("run.sh", "sft.yaml", "-t", "rtx-4090", "--no-trace")["results"]
    assert {result["outcome"] for result in results} == {"skipped"}
