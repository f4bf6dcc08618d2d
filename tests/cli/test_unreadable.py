# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What cannot be read is a result like any other, and the rest of the run goes on."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import unfolded

pytestmark = pytest.mark.process

LORA = """\
stage: sft
model_name_or_path: some/model
template: llama3
finetuning_type: lora
dataset: alpaca
output_dir: out
per_device_train_batch_size: 1
"""

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def lint_bytes(trainlint, data: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "trainlint", "--no-trace", *arguments]
    return subprocess.run(
        command, cwd=trainlint.folder, env=trainlint.env, input=data, capture_output=True, check=False
    )


@pytest.mark.parametrize(
    ("arguments", "name"), [((), "<stdin>"), (("--stdin-filename", "configs/x.yml"), "configs/x.yml")]
)
def test_unreadable_standard_input_is_a_result(trainlint, config, arguments, name) -> None:
    trainlint.write("a.yml", config)
    done = lint_bytes(trainlint, b"\0\1\2", "--format", "json", "a.yml", "-", *arguments)
    results = {result["path"]: result["outcome"] for result in json.loads(done.stdout)["results"]}
    assert done.returncode == 2
    assert results.keys() == {"a.yml", name}
    assert results[name] == "unreadable"


@pytest.mark.parametrize("form", ["text", "concise", "github"])
def test_every_format_names_unreadable_standard_input(trainlint, form) -> None:
    done = lint_bytes(trainlint, b"a" * 10_000_001, "--format", form, "-")
    assert done.returncode == 2
    assert b"<stdin>" in done.stdout
    assert b"larger than 10 MB" in done.stdout


def test_diff_passes_over_unreadable_standard_input(trainlint) -> None:
    assert lint_bytes(trainlint, b"\0", "--diff", "-").stdout == b""


def test_json_gives_the_reason_for_the_facts_of_an_unreadable_file(trainlint) -> None:
    trainlint.write("a.yml", b"\0")
    (result,) = trainlint.json("a.yml")["results"]
    of_a_step = result["facts"].keys() - {"base_model"}  # null for all but language and image models
    absent = {f"facts.{name}" for name in of_a_step if result["facts"][name] is None}
    assert absent == {"facts.memory", "facts.time", "facts.disk", "facts.host"}
    assert {skip["rule"] for skip in result["skipped"]} == absent
    assert {skip["reason"] for skip in result["skipped"]} == {"is a binary file, expected text"}


def test_text_in_another_encoding_is_no_fail_where_its_reader_may_take_it(trainlint, config) -> None:
    trainlint.write("c/a.yml", config)
    trainlint.write("c/requirements.txt", "torch==2.4\n".encode("utf-16"))
    trainlint.write("c/notes.txt", "Übung\n".encode("latin-1"))
    trainlint.write("c/cache/index.txt", b"\0\1")
    trainlint.write("c/README.md", "Übung\n```bash\npython train.py --lr 1\n```\n".encode("latin-1"))
    trainlint.write("c/mkdocs.yml", "site_name: Übung\n".encode("latin-1"))
    results = {result["path"]: result["outcome"] for result in trainlint.json("c")["results"]}
    assert results.keys() == {"c/a.yml", "c/README.md"}
    assert results["c/README.md"] == "skipped"
    (named,) = trainlint.json("c/requirements.txt")["results"]
    assert named["outcome"] == "unreadable"


@pytest.mark.parametrize("form", ["concise", "json", "github"])
def test_a_run_that_judged_nothing_says_so_on_stderr(trainlint, form) -> None:
    trainlint.write("c/mkdocs.yml", "site_name: x\n")
    done = trainlint("--format", form, "c")
    assert done.returncode == 2
    assert "nothing judged" in done.stderr
    assert "nothing judged" not in done.stdout
    hook = trainlint("--format", form, "--skip-unknown", "c")
    assert (hook.returncode, hook.stderr) == (0, "")


def test_a_copy_of_the_examples_leaves_out_what_is_broken_on_purpose(trainlint) -> None:
    shutil.copytree(EXAMPLES, trainlint.folder / "copy")
    paths = [result["path"] for result in trainlint.json("copy")["results"]]
    assert "copy/compact_x4.yml" in paths
    assert not [path for path in paths if "broken" in path]


def test_a_link_into_a_cache_is_noted_in_a_folder_and_refused_by_name(trainlint, config) -> None:
    """huggingface_hub lays out what it fetches as links to blobs without an extension."""
    trainlint.write("repo/.git/HEAD", "")
    trainlint.write("repo/a.yml", config)
    trainlint.write("blobs/0123", "{}")
    (trainlint.folder / "repo/config.json").symlink_to("../blobs/0123")
    walked = trainlint("repo", "--no-trace")
    assert walked.returncode == trainlint("repo/a.yml", "--no-trace").returncode
    assert "name that file itself" in unfolded(walked.stdout)
    assert trainlint("repo/config.json", "--no-trace").returncode == 2


@pytest.mark.parametrize(
    ("text", "why"),
    [("[[[", "is not JSON: "), ("{}", 'expected a mapping with "model_type"')],
)
def test_a_models_config_that_cannot_be_read_ends_the_run(trainlint, text, why) -> None:
    trainlint.write("lora.yaml", LORA)
    trainlint.write("trainlint.toml", '[[files]]\nmatch = "*.yaml"\nmodel-config = "config.json"\n')
    trainlint.write("config.json", text)
    done = trainlint("lora.yaml", "-t", "rtx-4090", "--no-trace")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("trainlint: model-config: ")
    assert why in done.stderr


def test_a_models_config_that_is_not_there_is_named_with_the_line_of_the_settings(trainlint) -> None:
    trainlint.write("lora.yaml", LORA)
    trainlint.write("trainlint.toml", '[[files]]\nmatch = "*.yaml"\nmodel-config = "config.json"\n')
    done = trainlint("lora.yaml", "-t", "rtx-4090", "--no-trace")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith('trainlint: setting "model-config" in ')
    assert "trainlint.toml:3: there is no " in done.stderr


def test_a_program_is_told_what_reads_it(trainlint) -> None:
    trainlint.write("train.py", "print(1)\n")
    done = trainlint("train.py", "-t", "rtx-3060")
    said = unfolded(done.stdout)
    assert done.returncode == 2
    assert "this is a program: trainlint dry-run -t NAME -- python train.py tries it, trainlint init" in said
