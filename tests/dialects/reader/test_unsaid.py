# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a trainer is known to refuse holds where the source around a config says so."""

from __future__ import annotations

import pytest

from tests.dialects.reader.test_own_ways import found as found  # noqa: PLC0414 - a fixture
from trainlint.api import check

LLAMA = """\
model_name_or_path: Qwen/Qwen3-4B
stage: sft
do_train: true
finetuning_type: full
dataset: own
template: qwen
output_dir: out
cutoff_len: 2048
use_dora: true
"""
SAYS = "`use_dora` is only valid for LoRA training."
PARSER = "def check(args):\n    if args.use_dora:\n        raise ValueError({!r})\n"


@pytest.mark.parametrize(("says", "level"), [(SAYS, "fail"), ("another reason", "warn")])
def test_a_refusal_of_a_schema_is_that_of_the_source_around(found, says, level):
    files = {
        "src/llamafactory/hparams/parser.py": PARSER.format(says),
        "src/llamafactory/train/tuner.py": "from llamafactory.hparams.parser import check\n",
    }
    found_level, message = found(LLAMA, **files)["wrong-value"]
    assert found_level == level
    assert f'LLaMA-Factory stops with "{SAYS}"' in message


COMMAND = """\
accelerate launch train_dreambooth.py --pretrained_model_name_or_path a/b --instance_data_dir dog \
--instance_prompt dog --with_prior_preservation --output_dir out
"""
SCRIPT = """
import argparse
from diffusers import UNet2DConditionModel
parser = argparse.ArgumentParser()
for name in {!r}:
    parser.add_argument(name)
parser.add_argument("--pretrained_model_name_or_path")
parser.add_argument("--instance_data_dir")
parser.add_argument("--instance_prompt")
parser.add_argument("--output_dir")
parser.add_argument("--with_prior_preservation", action="store_true")
args = parser.parse_args()
if args.with_prior_preservation and args.class_data_dir is None:
    raise ValueError({!r})
"""


@pytest.mark.parametrize(
    ("says", "failed"), [("You must specify a data directory for class images.", True), ("no", False)]
)
def test_a_refusal_of_a_rule_is_that_of_the_script_around(tmp_path, says, failed):
    (tmp_path / ".git").mkdir()
    (tmp_path / "run.sh").write_text(COMMAND)
    (tmp_path / "train_dreambooth.py").write_text(SCRIPT.format(["--class_data_dir", "--class_prompt"], says))
    results = check(str(tmp_path / "run.sh"), "t4", trace=False).results
    rules = {finding.rule for result in results for finding in result.findings}
    assert ("class-images-unnamed" in rules) is failed
