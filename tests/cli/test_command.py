# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The real command, as its users call it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from trainlint.pipeline.not_judged import DESCRIBE_HINT

from .conftest import unfolded

EXAMPLES = Path(__file__).parents[2] / "examples"

BAD_SCALE = ("upscale: 4", "upscale: 2")


def assert_clean_stderr(done) -> None:
    assert "Traceback" not in done.stderr


def test_version(trainlint) -> None:
    done = trainlint("--version")
    assert (done.returncode, done.stdout) == (0, "trainlint 0.1.0\n")


def test_check_is_the_default_command(trainlint, variant) -> None:
    trainlint.write("configs/a.yml", variant(BAD_SCALE))
    short, long = trainlint("configs"), trainlint("check", "configs")
    assert (short.returncode, short.stdout) == (long.returncode, long.stdout)
    assert short.returncode == 1
    assert "network-scale" in short.stdout


def test_a_finding_stands_at_its_line(trainlint, variant) -> None:
    text = variant(BAD_SCALE)
    trainlint.write("a.yml", text)
    line = text[: text.index("upscale")].count("\n") + 1
    done = trainlint("--format", "concise", "a.yml")
    assert f"a.yml:{line}:" in done.stdout
    assert "[network-scale]" in done.stdout


def test_a_good_config_is_clean(trainlint, config) -> None:
    trainlint.write("a.yml", config)
    done = trainlint("a.yml")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_folder_that_holds_nothing_known_is_wrong_use(trainlint) -> None:
    trainlint.write("docs/mkdocs.yml", "site_name: x\n")
    done = trainlint("docs")
    assert done.returncode == 2
    assert "docs/mkdocs.yml" in done.stdout
    assert trainlint("--skip-unknown", "docs").returncode == 0


def test_a_named_file_in_no_dialect_is_a_skipped_result(trainlint, config) -> None:
    trainlint.write("mkdocs.yml", "site_name: x\n")
    trainlint.write("a.yml", config)
    outcomes = {
        result["path"]: result["outcome"] for result in trainlint.json("mkdocs.yml", "a.yml")["results"]
    }
    assert outcomes["mkdocs.yml"] == "skipped"
    assert trainlint("mkdocs.yml", "a.yml").returncode == 0
    assert trainlint("--strict", "mkdocs.yml", "a.yml").returncode == 1


def test_a_config_of_another_family_is_named_with_what_to_do(trainlint) -> None:
    trainlint.write("launch.yml", "compute_environment: LOCAL_MACHINE\ndistributed_type: NO\n")
    trainlint.write("args.json", '{"output_dir": "out", "per_device_train_batch_size": 8}')
    for name, family in (
        ("launch.yml", "Hugging Face Accelerate"),
        ("args.json", "the Hugging Face Trainer"),
    ):
        said = unfolded(trainlint(name).stdout)
        assert said.startswith(f"skip {name}: this looks like a config of {family}, which is not supported")
        assert "trainlint dialects" in said
        assert "docs/native.md" in said


def test_nothing_but_a_file_in_no_dialect_is_wrong_use_and_said_so_in_the_help(trainlint) -> None:
    trainlint.write("mkdocs.yml", "site_name: x\n")
    trainlint.write("run.sh", "python train_foo.py\n")
    assert trainlint("mkdocs.yml").returncode == 2
    assert trainlint("run.sh").returncode == 2
    assert trainlint("--skip-unknown", "run.sh").returncode == 0
    for words in (("--help",), ("check", "--help")):
        said = unfolded(trainlint(*words).stdout)
        assert "2 wrong use, an input that cannot be read, or no job in any input" in said


PAGE = """\
# Training

    python train_foo.py --lr 1
    python tools/train_bar.py

```bash
python train_foo.py --lr 2

python train_foo.py --lr 3
```
"""


def test_a_script_in_no_dialect_is_told_once_with_all_its_lines(trainlint) -> None:
    trainlint.write("README.md", PAGE)
    said = unfolded(trainlint("README.md").stdout)
    assert said.startswith(
        'skip README.md:3: trainlint does not know "train_foo.py" (3 commands, the others on lines 7, 9); '
        f"{DESCRIBE_HINT} "
        f'skip README.md:4: trainlint does not know "tools/train_bar.py"; {DESCRIBE_HINT}'
    )
    found = trainlint.json("README.md")["results"]
    assert [(result["line"], result["document"]) for result in found] == [(3, 0), (4, 1)]


def test_many_commands_of_one_script_are_counted(trainlint) -> None:
    trainlint.write("all.sh", "python train_foo.py\n" * 9)
    assert "(9 commands, the others on lines 2, 3, 4, 5, 6 and 3 more)" in unfolded(
        trainlint("all.sh").stdout
    )


def test_an_unknown_script_in_a_notebook_has_its_cell(trainlint) -> None:
    cell = {"cell_type": "code", "source": ["!python train_foo.py\n"]}
    trainlint.write("a.ipynb", json.dumps({"cells": [cell, cell], "metadata": {}}, indent=1))
    (line, *_) = trainlint("a.ipynb").stdout.splitlines()
    assert line.startswith("skip  a.ipynb:6, cell 1: trainlint does not know")
    assert "(2 commands, the other on line 12)" in line


def test_a_missing_path_is_named(trainlint) -> None:
    done = trainlint("nowhere.yml")
    assert done.returncode == 2
    assert done.stderr == 'trainlint: no such file or folder: "nowhere.yml"\n'


@pytest.mark.parametrize("name", ["axolotl_qlora.yaml", "neosr_x4.toml", "trainner-redux_x4.yml"])
def test_without_a_gpu_nothing_passes_by_its_disk_alone(trainlint, name) -> None:
    """Memory is not judged there, and a pass has no unknown term."""
    trainlint.write(name, (EXAMPLES / "trainers" / name).read_text(encoding="utf-8"))
    results = trainlint.json(name, "-t", "kaggle-cpu", "--no-trace")["results"]
    assert {result["outcome"] for result in results} == {"skipped"}
    reasons = {skip["reason"] for result in results for skip in result["skipped"]}
    assert 'the target "kaggle-cpu" has no GPU' in reasons
    outcomes = {one["outcome"] for one in trainlint.json(name, "-t", "h200", "--no-trace")["results"]}
    assert outcomes <= {"pass", "warn"}


def test_an_unknown_target_names_the_near_ones(trainlint, config) -> None:
    trainlint.write("a.yml", config)
    done = trainlint("a.yml", "--target", "rtx-4091")
    assert done.returncode == 2
    assert "rtx-4090" in done.stderr


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.yml", b"a: [1, 2\nb: 3\n"),
        ("b.yml", b"\x00\x01\x02"),
        ("c.yml", b"a: \xff\xfe\n"),
        ("d.json", b'{"a": 1,}'),
        ("e.yml", b"x: " + b"[" * 2000),
        ("f.yml", b"a: &a [1]\n" + b"".join(b"b%d: &b%d [%s]\n" % (n, n, b"*a, " * 40) for n in range(30))),
        ("g.yml", b"!!python/object/apply:os.system [touch executed]\n"),
    ],
)
def test_bad_input_is_one_message_and_no_traceback(trainlint, name, data) -> None:
    trainlint.write(name, data)
    done = trainlint(name)
    assert done.returncode == 2
    assert_clean_stderr(done)
    assert name in done.stdout
    assert not (trainlint.folder / "executed").exists()


def test_one_unreadable_file_does_not_hide_the_others(trainlint, variant) -> None:
    trainlint.write("configs/a.yml", "model_type: [SRModel\ndatasets: {}\n")
    trainlint.write("configs/b.yml", variant(BAD_SCALE))
    done = trainlint("configs")
    assert done.returncode == 2
    assert "network-scale" in done.stdout


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyrightconfig.json", '{"include": ["src"], // ours\n {"strict": true}}\n'),
        ("settings.toml", "model = gpt\n"),
        ("chart.yml", "name: x\n  path: y: z\n"),
    ],
)
def test_a_broken_file_of_another_program_is_only_counted(trainlint, variant, name, text) -> None:
    trainlint.write(f"configs/{name}", text)
    trainlint.write("configs/b.yml", variant())
    done = trainlint("configs", "--format", "json", "--no-trace")
    report = json.loads(done.stdout)
    assert report["unrecognised"] == [f"configs/{name}"]
    assert {result["path"] for result in report["results"]} == {"configs/b.yml"}
    assert trainlint(f"configs/{name}").returncode == 2


def test_json_and_nothing_else_on_stdout(trainlint, variant) -> None:
    trainlint.write("configs/a.yml", variant(BAD_SCALE))
    trainlint.write("configs/notes.yml", "x: 1\n")
    done = trainlint("--format", "json", "configs")
    report = json.loads(done.stdout)
    assert report["format"] == 1
    assert [result["outcome"] for result in report["results"]] == ["fail"]
    assert report["unrecognised"] == ["configs/notes.yml"]


QLORA = "python qlora.py --per_device_train_batch_size 4 --gradient_accumulation_steps 16\n"


def test_programs_that_a_folders_scripts_start_are_named_with_what_judges_them(trainlint) -> None:
    for name in ("scripts/a.sh", "scripts/b.sh"):
        trainlint.write(name, QLORA)
    trainlint.write("README.md", "```\npython run_{task}.py --do_train --num_train_epochs 1\n```\n")
    trainlint.write("qlora.py", "print('never run')\n")
    trainlint.write("pages.yml", "- a\n- b\n")
    done = trainlint(".")
    said = " ".join(done.stdout.split())
    assert (
        "programs that trainlint does not know: qlora.py (scripts/a.sh and 1 other file): "
        "trainlint dry-run -- COMMAND runs one and says what it needs "
        "no training config: README.md, pages.yml"
    ) in said
    report = json.loads(trainlint(".", "--format", "json").stdout)
    assert report["programs"] == {"qlora.py": ["scripts/a.sh", "scripts/b.sh"]}
    assert report["results"] == []
    assert "qlora.py" not in trainlint(".", "--skip-unknown").stdout
    assert 'does not know "qlora.py"' in trainlint("scripts/a.sh").stdout


def test_a_program_that_calls_a_trainer_is_known_by_its_own_text(trainlint) -> None:
    trainlint.write("work/run.sh", "accelerate launch sft.py\n")
    calls = "from trl import SFTConfig, SFTTrainer\nSFTTrainer('Qwen/Qwen3-0.6B', SFTConfig('out')).train()\n"
    trainlint.write("work/sft.py", calls)
    said = " ".join(trainlint("work/run.sh").stdout.split())
    assert 'does not know "sft.py"; trainlint work/sft.py reads the trainer that it calls' in said
    report = json.loads(trainlint("work", "-t", "rtx4090", "--no-trace", "--format", "json").stdout)
    assert {result["path"] for result in report["results"]} == {"work/sft.py"}
    assert report["programs"] == {}


def test_without_a_target_what_needs_one_is_skipped(trainlint, config) -> None:
    trainlint.write("a.yml", config)
    (result,) = trainlint.json("a.yml")["results"]
    assert result["target"] is None
    assert result["facts"]["memory"] is None
    assert "vram-budget" in {skip["rule"] for skip in result["skipped"]}
    assert result["outcome"] == "skipped"


def test_without_a_target_the_option_is_named_once(trainlint, config) -> None:
    trainlint.write("a.yml", config)
    trainlint.write("b.yml", config)
    out = trainlint(".", "--no-trace").stdout
    asked = "memory, time and disk not judged: give a target, -t NAME (trainlint targets lists them)\n"
    assert out.count(asked) == 1
    assert "give a target" not in trainlint(".", "--no-trace", "-t", "rtx-3060").stdout


def test_several_targets_give_several_results(trainlint, config) -> None:
    trainlint.write("a.yml", config)
    results = trainlint.json("a.yml", "-t", "rtx-3060", "-t", "kaggle-t4x2", "-t", "rtx-3060")["results"]
    assert sorted(result["target"] for result in results) == ["kaggle-t4x2", "rtx-3060"]


def test_standard_input(trainlint, variant) -> None:
    done = trainlint("-", "--stdin-filename", "configs/x.yml", "--format", "concise", text=variant(BAD_SCALE))
    assert done.returncode == 1
    assert done.stdout.startswith("configs/x.yml:")


def test_settings_of_the_project_hold(trainlint, config) -> None:
    trainlint.write("trainlint.toml", 'target = "rtx-3060"\n')
    trainlint.write("a.yml", config)
    assert trainlint.json("a.yml")["results"][0]["target"] == "rtx-3060"
    trainlint.write("trainlint.toml", 'tarGet = "rtx-3060"\n')
    done = trainlint("a.yml")
    assert done.returncode == 2
    assert 'did you mean "target"' in done.stderr


def test_fix_mends_the_file_and_diff_shows_it_first(trainlint, variant) -> None:
    text = variant(BAD_SCALE).replace("\n", "\r\n")
    path = trainlint.write("a.yml", text)
    shown = trainlint("--diff", "--unsafe-fixes", "a.yml")
    assert path.read_bytes() == text.encode()
    assert "-  upscale: 2\n" in shown.stdout.replace("\r", "")
    assert shown.returncode == 1
    done = trainlint("--fix", "--unsafe-fixes", "a.yml")
    assert path.read_bytes() == text.replace("upscale: 2", "upscale: 4").encode()
    assert done.returncode == 0
    assert re.fullmatch(r"fixed a\.yml:\d+: network_g\.upscale: 2 -> 4 \[network-scale\]\n", done.stderr)
    assert trainlint("--diff", "--unsafe-fixes", "a.yml").stdout == ""


def test_fail_on_warn(trainlint, variant) -> None:
    trainlint.write("a.yml", variant(("milestones: [200000]", "milestones: [400000]")))
    assert trainlint("a.yml").returncode == 0
    assert trainlint("--fail-on", "warn", "a.yml").returncode == 1


def test_github_writes_the_step_summary(trainlint, variant) -> None:
    trainlint.write("a.yml", variant(BAD_SCALE))
    trainlint.env["GITHUB_STEP_SUMMARY"] = str(trainlint.folder / "summary.md")
    done = trainlint("--format", "github", "a.yml")
    assert done.stdout.startswith("::error file=a.yml,")
    assert "network-scale" in (trainlint.folder / "summary.md").read_text()


def test_colour_only_where_it_is_wanted(trainlint, variant) -> None:
    trainlint.write("a.yml", variant(BAD_SCALE))
    assert "\x1b" not in trainlint("a.yml").stdout
    assert "\x1b" in trainlint("a.yml", "--color", "always").stdout


def test_output_goes_to_a_file(trainlint, config) -> None:
    trainlint.write("a.yml", config)
    done = trainlint("a.yml", "--format", "json", "-o", "report.json")
    assert done.stdout == ""
    assert json.loads((trainlint.folder / "report.json").read_text())["results"]


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--diff", "--fix", "x"),
        ("--format", "xml", "x"),
        ("--seconds-per-iteration", "0", "x"),
        ("rule", "vram"),
    ],
)
def test_wrong_use(trainlint, arguments) -> None:
    done = trainlint(*arguments)
    assert done.returncode == 2
    assert_clean_stderr(done)


def test_rule_rules_targets_dialects_schema(trainlint) -> None:
    assert "queue-not-divisible" in trainlint("rules").stdout
    page = trainlint("rule", "queue-not-divisible").stdout
    assert all(part in page for part in ("Wrong", "Right", "Source:"))
    assert "did you mean" in trainlint("rule", "queue-divisible").stderr
    listed = trainlint("targets", "kaggle").stdout
    assert "kaggle-t4x2" in listed
    assert "12 h sessions (runs are held to 9 h)" in listed
    assert "2x:rtx-4090" in trainlint("targets", "2x4090").stdout
    assert 'unknown target "rtx-409x"' in trainlint("targets", "rtx-409x").stderr
    assert "basicsr" in trainlint("dialects").stdout
    assert json.loads(trainlint("schema", "basicsr").stdout)["$schema"].endswith("2020-12/schema")
