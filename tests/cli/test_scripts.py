# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A command whose script no dialect knows and that lies around it: its own parser says what it takes."""

from __future__ import annotations

SCRIPT = """\
import argparse
raise SystemExit("this runs")
parser = argparse.ArgumentParser(description="trains")
parser.add_argument("--batch-size", type=int, default=8)
parser.add_argument("--num_workers", type=int, default=64)
parser.add_argument("--bf16", action="store_true")
parser.add_argument("--arch", choices=["a", "b"], default="a")
args = parser.parse_args()
"""
SPOILED = "python train.py --batch-size four --bf16 --arch c --lrr 3\n"


def lint(trainlint, command, script=SCRIPT, *arguments):
    if script:
        trainlint.write("train.py", script)
    trainlint.write("run.sh", command)
    return trainlint.json("-t", "kaggle-t4x2", *(arguments or ("run.sh",)))["results"]


def found(results):
    return [(finding["rule"], finding["level"]) for result in results for finding in result["findings"]]


SD_SCRIPTS = (
    "accelerate launch train_network.py --pretrained_model_name_or_path=runwayml/stable-diffusion-v1-5 "
    "--train_data_dir img --output_dir out --network_module=networks.lora --network_dim=32 "
    "--network_alpha 32 --resolution=512 --train_batch_size=2 --mixed_precision=fp16 --cache_latents "
    "--xformers --max_train_steps=2000 --optimizer_type AdamW8bit"
)


def test_a_flag_that_is_not_known_is_on_the_first_screen(trainlint):
    """It stops the script, or changes what it needs: who reads "pass" has to see it."""
    trainlint.write("run.sh", f"{SD_SCRIPTS} --foo 3\n")
    trainlint.write("plain.sh", f"{SD_SCRIPTS}\n")
    on = ("-t", "rtx3060", "--no-trace")
    assert "flags: --foo not known" in " ".join(trainlint(*on, "run.sh").stdout.split())
    assert "not known" not in trainlint(*on, "plain.sh").stdout


def test_flags_are_checked_and_never_more_than_a_warning(trainlint):
    results = lint(trainlint, SPOILED)
    rules = {"workers-over-cores", "wrong-type", "bf16-unsupported", "wrong-value", "unknown-key"}
    assert {rule for rule, _ in found(results)} == rules
    assert {level for _, level in found(results)} == {"warn"}
    (result,) = results
    assert (result["dialect"], result["outcome"]) == ("script", "warn")
    assert result["facts"]["missing"]["memory"].startswith(
        "train.py is a script that trainlint does not know: its flags are checked, its memory is not judged"
    )


def test_a_flag_that_the_parser_may_get_elsewhere_is_none_of_our_business(trainlint):
    whole = lint(trainlint, "python train.py --num_workers 1 --lrr 3\n")
    assert found(whole) == [("unknown-key", "warn")]
    trainlint.write("more.py", "def more(parser): pass\n")
    opened = SCRIPT.replace("args =", "from more import more\nmore(parser)\nargs =")
    assert found(lint(trainlint, "python train.py --num_workers 1 --lrr 3\n", opened)) == []


def test_a_beginning_of_a_flag_may_be_a_flag_that_the_parser_gets_elsewhere(trainlint):
    """sd-scripts' --vae, which its library adds, was read as the script's own --vae_chunk_size."""
    command = "python train.py --num_w many\n"
    assert found(lint(trainlint, command)) == [("wrong-type", "warn")]
    trainlint.write("more.py", "def more(parser): pass\n")
    opened = SCRIPT.replace("args =", "from more import more\nmore(parser)\nargs =")
    assert "wrong-type" not in dict(found(lint(trainlint, command, opened)))


def test_in_a_folder_a_script_is_named_only_where_there_is_something_to_tell(trainlint):
    assert lint(trainlint, "python train.py --num_workers 1\n", SCRIPT, ".") == []
    assert len(lint(trainlint, SPOILED, SCRIPT, ".")) == 1


def test_without_the_script_nothing_is_known(trainlint):
    (result,) = lint(trainlint, SPOILED, "")
    assert (result["dialect"], result["findings"]) == (None, [])


def test_flags_of_a_script_without_a_parser_are_said_not_to_be_checked(trainlint) -> None:
    trainlint.write("run.sh", "python train.py -opt options/a.yml --frobnicate 3\n")
    skips = [skip for one in trainlint.json("run.sh")["results"] for skip in one["skipped"]]
    said = [skip["reason"] for skip in skips if skip["rule"] == "unknown-key"]
    assert said == ["the flags of train.py are not known, --frobnicate among them"]
    parser = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('-opt')\n"
    trainlint.write("train.py", f"{parser}parser.add_argument('--frobnicate')\n")
    for flag in ("--frobnicate", "--frob"):  # of which argparse takes the beginning
        trainlint.write("run.sh", f"python train.py -opt options/a.yml {flag} 3\n")
        skips = [skip for one in trainlint.json("run.sh")["results"] for skip in one["skipped"]]
        assert "unknown-key" not in [skip["rule"] for skip in skips]


def test_flags_of_a_text_that_is_written_otherwise_than_it_is_run_are_known_by_name(trainlint) -> None:
    """As in job scripts for a container, whose command is one quoted word of several lines."""
    text = (
        'singularity exec cuda.sif bash -c "source env.sh; \\\n accelerate launch '
        "train_dreambooth_lora_sdxl.py "
        "--pretrained_model_name_or_path=stabilityai/stable-diffusion-xl-base-1.0 --instance_data_dir=dog "
        '--instance_prompt=\\"a dog\\" --train_batch_size=1 --max_train_steps=100"\n'
    )
    trainlint.write("job.sh", text)
    results = trainlint.json("job.sh", "-t", "rtx-4090", "--no-trace")["results"]
    assert {result["dialect"] for result in results} == {"diffusers"}
    assert not any(result["findings"] for result in results)
    trainlint.write("job.sh", text.replace("max_train", "max_trian"))
    results = trainlint.json("job.sh", "-t", "rtx-4090", "--no-trace")["results"]
    said = {found["message"].split(";")[0] for result in results for found in result["findings"]}
    assert said == {"unrecognized arguments: --max_trian_steps"}
