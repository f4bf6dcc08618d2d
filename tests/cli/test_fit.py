# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`trainlint fit`: what it answers first, in which order, and in which format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
EXAMPLE, TWO_WAYS = EXAMPLES / "srgan_x4.yml", EXAMPLES / "realesrgan_x4.yml"
"""Their steps are stored in the package; the second one is judged with and without a launcher."""
TARGETS = ("-t", "rtx-4090", "-t", "kaggle-t4x2", "-t", "h200", "--no-trace")


@pytest.fixture
def fit(trainlint):
    trainlint.write("a.yml", EXAMPLE.read_text(encoding="utf-8"))
    return lambda *options: trainlint("fit", "a.yml", *TARGETS, *options).stdout.splitlines()


def said(lines) -> str:
    """Return what is said above the table, as if the line were endless."""
    return " ".join(lines[: next((at for at, line in enumerate(lines) if line.startswith("target ")), None)])


def rows(lines) -> dict[str, str]:
    """Return the table's rows by target, without the rules that may stand below them."""
    start = next(at for at, line in enumerate(lines) if line.startswith("target "))
    return {line.split()[0]: line for line in lines[start + 1 :] if not line.startswith(" ")}


def targets(lines) -> list[str]:
    return list(rows(lines))


def test_the_answer_comes_first(fit) -> None:
    text = said(fit())
    assert text.startswith("a.yml (memory in GiB")
    assert ") fits 2 of 3 targets; the smallest: rtx-4090; done first on h200 (" in text
    assert max(map(len, fit())) <= 100


def test_the_answer_names_the_users_own_targets(fit, trainlint) -> None:
    """Those of the settings, where they are compared."""
    trainlint.write("trainlint.toml", 'target = ["t4", "RTX 4090", "kaggle-t4x2"]\n')
    assert said(fit()).endswith("; on yours, rtx-4090: pass, kaggle-t4x2: fail")


@pytest.mark.rest
def test_markdown_names_them_too(fit, trainlint) -> None:
    trainlint.write("trainlint.toml", 'target = ["t4", "RTX 4090", "kaggle-t4x2"]\n')
    markdown = fit("--format", "markdown")
    assert any(line.endswith("; on yours, rtx-4090: pass, kaggle-t4x2: fail") for line in markdown)


@pytest.mark.rest
def test_a_size_of_the_settings_is_compared_with_the_machines(trainlint) -> None:
    trainlint.write("a.yml", EXAMPLE.read_text(encoding="utf-8"))
    trainlint.write("trainlint.toml", 'target = ["48GiB"]\n')
    lines = trainlint("fit", "a.yml", "--no-trace").stdout.splitlines()
    assert said(lines).endswith("; on yours, 48GiB: pass")
    assert {"48GiB", "kaggle-t4x2", "aws-p5-48xlarge"} <= set(targets(lines))


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("memory", ["kaggle-t4x2", "rtx-4090", "h200"]),
        ("time", ["h200", "rtx-4090", "kaggle-t4x2"]),
        ("name", ["h200", "kaggle-t4x2", "rtx-4090"]),
        ("verdict", ["rtx-4090", "h200", "kaggle-t4x2"]),
    ],
)
def test_the_order_is_the_users(fit, order, expected) -> None:
    assert targets(fit("--sort", order)) == expected


def test_json_is_the_format_of_check(fit, trainlint) -> None:
    trainlint.write("a.yml", TWO_WAYS.read_text(encoding="utf-8"))
    report = json.loads("\n".join(fit("--format", "json")))
    assert report["format"] == 1
    assert [(one["target"], one["variant"]) for one in report["results"]] == [
        ("rtx-4090", None),
        ("kaggle-t4x2", "without a launcher"),
        ("kaggle-t4x2", "with a launcher"),
        ("h200", None),
    ]


def test_markdown_is_one_table(fit) -> None:
    lines = fit("--format", "markdown")
    table = [line for line in lines if line.startswith("|")]
    assert len(table) == 5
    assert len({line.count("|") for line in table}) == 1
    assert lines[2].startswith("fits 2 of 3 targets")


def test_a_price_is_shown_where_there_is_one(trainlint, fit) -> None:
    """For the middle of its hours; no column where nobody has a price."""
    assert "price" not in "\n".join(fit())
    trainlint.write(
        "own.toml",
        '[target.rtx-box]\ngpu = "rtx-4090"\nusd_per_hour = 0.5\n'
        'price_date = "2026-11-01"\nprice_source = "us"\n',
    )
    trainlint.write("trainlint.toml", 'gpus = "own.toml"\n')
    lines = trainlint(
        "fit", "a.yml", "-t", "hf-space-l40s-x1", "-t", "rtx-box", "-t", "h200", "--no-trace"
    ).stdout.splitlines()
    assert "; cheapest of those with a price: rtx-box ($" in said(lines)
    assert "at $1.80/h" in rows(lines)["hf-space-l40s-x1"]
    assert "at $0.50/h" in rows(lines)["rtx-box"]
    assert "$" not in rows(lines)["h200"]


def test_where_nothing_is_judged_the_reason_is_said_once(trainlint) -> None:
    """No table of targets that all say the same, and no "fits 0 of 66"."""
    text = TWO_WAYS.read_text(encoding="utf-8").replace("UNetDiscriminatorSN", "UNetDiscriminatorSM")
    trainlint.write("a.yml", text)
    shown = trainlint("fit", "a.yml", "-t", "rtx-4090", "-t", "h200", "--no-trace").stdout.splitlines()
    assert 'memory not judged on 2 targets: unknown network "UNetDiscriminatorSM"' in said(shown)
    assert shown[-1] == "on every target: misspelt-name (trainlint check says where)"
    assert not any(line.startswith("target ") for line in shown)
    shown = trainlint("fit", "a.yml", "-t", "rtx-4090", "-t", "kaggle-cpu", "--no-trace").stdout
    assert targets(shown.splitlines()) == ["kaggle-cpu"]


def test_a_target_that_is_not_judged_does_not_count_as_one_that_does_not_fit(trainlint) -> None:
    trainlint.write("a.yml", EXAMPLE.read_text(encoding="utf-8"))
    shown = trainlint("fit", "a.yml", "-t", "rtx-4090", "-t", "kaggle-cpu", "--no-trace").stdout.splitlines()
    assert "fits 1 of 2 targets, 1 not judged (the target has no GPU); the smallest:" in said(shown)


def test_a_target_that_fails_by_another_rule_counts_as_judged(trainlint) -> None:
    """Twenty targets were "not judged", on nineteen of which the table said why it fails."""
    trainlint.write("a.yml", (EXAMPLES / "trainers" / "axolotl_qlora.yaml").read_text(encoding="utf-8"))
    shown = trainlint("fit", "a.yml", "-t", "l40s", "-t", "colab-t4", "--no-trace").stdout.splitlines()
    assert "fits 1 of 2 targets; the smallest:" in said(shown)


LORA = """
model_name_or_path: meta-llama/Llama-3.1-8B-Instruct
stage: sft
do_train: true
finetuning_type: lora
quantization_bit: 4
template: llama3
dataset: data
cutoff_len: 2048
bf16: true
output_dir: saves
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
learning_rate: 1.0e-4
"""


@pytest.mark.rest
def test_a_card_that_is_too_small_by_a_warning_is_none_on_which_it_fits(trainlint) -> None:
    """Where no run was measured memory warns: 16.4 GiB on a card of 7.6 is no fit all the same."""
    trainlint.write("lora.yaml", LORA)
    ran = trainlint("fit", "lora.yaml", "-t", "rtx-4060", "-t", "rtx-4090", "-t", "h200", "--no-trace")
    assert "fits 2 of 3 targets; the smallest: rtx-4090" in said(ran.stdout.splitlines())


@pytest.mark.rest
def test_fit_and_solve_give_one_answer_and_a_reading_alike_has_no_row(trainlint) -> None:
    """The largest batch of short samples is not looked for: --solve took theirs for what is safe."""
    trainlint.write("lora.yaml", LORA.replace("size: 2", "size: 1"))
    asked = ("fit", "lora.yaml", "-t", "rtx-4090", "--no-trace")
    table = [line.split() for line in trainlint(*asked).stdout.splitlines() if line.startswith("rtx-4090")]
    (solved,) = [
        line.split()
        for line in trainlint(*asked, "--solve", "batch").stdout.splitlines()
        if line.startswith("rtx-4090")
    ]
    heading = ["with", "samples", "of", "cutoff_len", "pass"]
    (row,) = [row for row in table if row[1:6] == heading]
    assert row[9:11] == solved[1:3] == ["4", "3"]
    assert not any("bitsandbytes" in row for row in table)


@pytest.mark.rest
def test_a_rank_that_is_not_written_is_solved_for_at_its_own_key(trainlint) -> None:
    trainlint.write("lora.yaml", LORA)
    ran = trainlint("fit", "lora.yaml", "--solve", "rank", "-t", "rtx-4090", "--no-trace")
    assert "largest lora_rank" in ran.stdout


@pytest.mark.rest
def test_what_is_not_judged_is_not_said_to_fit_nowhere(trainlint) -> None:
    trainlint.write("lora.yaml", LORA + "optim: adagrad\n")
    ran = trainlint("fit", "lora.yaml", "--solve", "batch", "-t", "rtx-4090", "--no-trace")
    assert "not judged: " in ran.stdout
    assert "none fits" not in ran.stdout
    best = trainlint("fit", "lora.yaml", "--best", "-t", "rtx-4090", "--no-trace")
    assert best.stdout.startswith("lora.yaml (settings looked for, each judged; memory in GiB)\n")
    assert "not judged: " in best.stdout
    trainlint.write(
        "qlora.yml",
        "base_model: NousResearch/Meta-Llama-3-8B\nadapter: qlora\nload_in_4bit: true\nlora_r: 32\n"
        "lora_target_linear: true\ndatasets: [{path: org/data, type: alpaca}]\nsequence_len: 4096\n"
        "micro_batch_size: 2\ngradient_accumulation_steps: 4\nlearning_rate: 2e-4\nnum_epochs: 3\n"
        "flash_attention: true\n",
    )
    best = trainlint("fit", "qlora.yml", "--best", "-t", "t4", "--no-trace")
    assert "still fails: flash-attention-unsupported" in " ".join(best.stdout.split())
