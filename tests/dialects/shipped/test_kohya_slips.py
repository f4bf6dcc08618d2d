# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Slips in what sd-scripts is given, each held against what it does with it (48d368f, run with each)."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.dialects.shipped.dialect_jobs import jobs
from trainlint.api import check
from trainlint.model.finding import Level

TOML = """\
pretrained_model_name_or_path = "a.safetensors"
network_module = "networks.lora"
network_dim = 8
train_batch_size = 1
learning_rate = 1e-4
resolution = "512"
sdpa = true
optimizer_type = "AdamW8bit"
"""


def problems(old, new):
    _, (job, *_) = jobs(TOML.replace(old, new), "config.toml")
    return [(problem.rule, problem.suggestion, problem.harmless) for problem in job.problems]


@pytest.mark.parametrize(
    ("written", "rules"),
    [
        ('"512"', []),
        ('"1024, 768"', []),
        ('" 1024 "', []),
        ('"1024x1024"', ["wrong-value"]),
        ('"1024,1024,3"', ["wrong-value"]),
        ('"1024,"', ["wrong-value"]),
        ("1024", ["wrong-type"]),
        ("[1024, 1024]", ["wrong-type"]),
    ],
)
def test_a_resolution_is_text_that_the_script_parts_at_a_comma(written, rules) -> None:
    assert [rule for rule, *_ in problems('"512"', written)] == rules


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("train_batch_size = 1", 'train_batch_size = "1"', ("wrong-type", "1", False)),
        ("network_dim = 8", 'network_dim = "8"', ("wrong-type", "8", False)),
        ("learning_rate = 1e-4", 'learning_rate = "1e-4"', ("wrong-type", "1e-4", True)),
        ("sdpa = true", 'sdpa = "false"', ("wrong-type", None, True)),
    ],
)
def test_the_parser_converts_nothing_of_a_file(old, new, found) -> None:
    """What begins as its namespace stays as it is; text passed as a number."""
    assert problems(old, new) == [found]


def test_a_file_that_a_command_names_is_not_converted_either(tmp_path) -> None:
    (tmp_path / "a.toml").write_text(
        TOML.replace("train_batch_size = 1", 'train_batch_size = "1"'), encoding="utf-8"
    )
    start = tmp_path / "a.sh"
    start.write_text("python train_network.py --config_file a.toml\n", encoding="utf-8")
    report = check([str(start)], targets=["rtx-3060"], trace=False)
    (message,) = [finding.message for result in report.results for finding in result.findings]
    assert message.startswith('expected an integer for "train_batch_size", found the string "1" (a.toml:4)')


def test_a_text_that_says_true_counts_as_that() -> None:
    _, (job, *_) = jobs(TOML.replace("sdpa = true", 'sdpa = "true"'), "config.toml")
    assert not job.problems
    assert job.spec["attention.implementation"] == "sdpa"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("adamw", None),
        ("PAGEDADAMW8BIT", None),
        ("NAdam", None),
        ("prodigyopt.Prodigy", None),
        ("", None),
        ("adamw8bits", "AdamW8bit"),
        ("adam", "Adam"),  # torch.optim.adam is a module
        ("prodigi", "Prodigy"),
    ],
)
def test_a_name_of_no_optimizer(written, meant) -> None:
    found = problems('"AdamW8bit"', f'"{written}"')
    assert found == ([("wrong-value", meant, False)] if meant else [])


@pytest.mark.parametrize(
    ("name", "text", "levels"),
    [
        ("a.sh", "python sdxl_train_network.py --pretrained_model_name_or_path a --network_dim 8", ["fail"]),
        ("a.sh", 'python sdxl_train_network.py --pretrained_model_name_or_path a --network_dim 8 "$@"', []),
        ("a.sh", "python sdxl_train.py --pretrained_model_name_or_path a.safetensors", []),
        ("a.toml", TOML.replace('network_module = "networks.lora"\n', ""), ["warn"]),
        ("a.toml", TOML, []),
    ],
)
def test_adapters_without_a_module(name, text, levels, tmp_path) -> None:
    (tmp_path / name).write_text(dedent(text), encoding="utf-8")
    report = check([str(tmp_path / name)], targets=["rtx-3060"], trace=False)
    findings = [finding for result in report.results for finding in result.findings]
    assert [finding.level.value for finding in findings if finding.rule == "network-module-missing"] == levels


@pytest.mark.parametrize(("default", "levels"), [("None", ["fail"]), ('"networks.lora"', [])])
def test_a_fork_may_have_a_module_by_default(default, levels, tmp_path) -> None:
    """What the trainer says there is Python's own sentence, which is in no source: its parser decides."""
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "train_util.py").write_text("import argparse\n", encoding="utf-8")
    parser = f'"--network_module", type=str, default={default}, help="network module to train"'
    source = f"import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument({parser})\n"
    (tmp_path / "train_network.py").write_text(source, encoding="utf-8")
    start = tmp_path / "a.sh"
    start.write_text("python train_network.py --pretrained_model_name_or_path a --network_dim 8\n")
    report = check([str(start)], targets=["rtx-3060"], trace=False)
    findings = [finding for result in report.results for finding in result.findings]
    assert [finding.level.value for finding in findings if finding.rule == "network-module-missing"] == levels


@pytest.mark.parametrize(
    ("flags", "directions"),
    [
        ("--cache_text_encoder_outputs", ["more"]),
        ("--cache_text_encoder_outputs_to_disk", ["more"]),
        ("--cache_text_encoder_outputs --cache_text_encoder_outputs_to_disk", ["more"]),
        ("--cache_text_encoder_outputs --network_train_unet_only", []),
        ("--cache_text_encoder_outputs --model_type chroma", []),
    ],
)
def test_clip_is_trained_next_to_a_cached_t5(flags, directions) -> None:
    """flux_train_network.py keeps CLIP-L on the card with adapters of its own; Chroma has none."""
    line = "flux_train_network.py --pretrained_model_name_or_path a --network_module networks.lora_flux"
    _, (job, *_) = jobs(f"python {line} {flags}\n", "train.sh")
    assert [term["direction"] for term in job.spec.get("uncounted", [])] == directions


@pytest.mark.parametrize(
    ("own", "said"),
    [("", "does not reach it) they take half of that"), ("--mixed_precision bf16", "--fp8_base stores them")],
)
def test_what_makes_flux_smaller_follows_from_the_scripts_own_precision(own, said, tmp_path) -> None:
    """The Accelerator is given the script's own mixed_precision, which is none without the flag."""
    start = tmp_path / "a.sh"
    given = f"--pretrained_model_name_or_path flux1-dev.safetensors --network_module networks.lora_flux {own}"
    start.write_text(
        f"accelerate launch --mixed_precision bf16 flux_train_network.py {given}\n", encoding="utf-8"
    )
    report = check([str(start)], targets=["rtx-3060"], trace=False)
    (notes,) = [f.notes for r in report.results for f in r.findings if f.rule == "weights-beyond-card"]
    assert said in " ".join(map(str, notes))


@pytest.mark.parametrize("name", ["x.toml", "run.sh"])
def test_a_misspelt_key_of_a_file_is_a_warning_wherever_it_is_read(name, tmp_path):
    """Its parser takes any key, and trains with an alpha of 1."""
    (tmp_path / "x.toml").write_text(TOML.replace("network_dim", "network_alhpa = 4\nnetwork_dim"))
    (tmp_path / "run.sh").write_text("accelerate launch sdxl_train_network.py --config_file x.toml\n")
    (result,) = check(tmp_path / name).results
    (finding,) = [finding for finding in result.findings if "network_alhpa" in finding.message]
    assert (finding.rule, finding.level) == ("unknown-key", Level.WARN)
    assert 'did you mean "network_alpha"' in finding.message
