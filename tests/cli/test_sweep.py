# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`trainlint sweep` through the real command."""

from __future__ import annotations

import csv
import io
import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from trainlint.cli.main import run

EXAMPLE = Path(__file__).parents[2] / "examples" / "msrresnet_x4.yml"
BATCH = "datasets.train.batch_size_per_gpu"


@pytest.fixture
def config(trainlint):
    trainlint.write("a.yml", EXAMPLE.read_text(encoding="utf-8"))
    return trainlint


def test_text_says_which_values_of_which_key_fail(config) -> None:
    done = config(
        "sweep",
        "a.yml",
        f"{BATCH}=8,16,4096,8192,16384",
        "train.total_iter=1000,2000",
        "--no-trace",
        "-t",
        "t4",
    )
    assert done.returncode == 1
    assert "10 combinations (5 datasets.train.batch_size_per_gpu x 2 train.total_iter)" in done.stdout
    assert "6 fail, 4 pass (5 distinct steps)" in done.stdout
    assert f"{BATCH} 4096 to 16384\n" in done.stdout
    assert "total_iter 1000" not in done.stdout  # it decides nothing
    assert "vram-sampling" not in done.stdout  # a trainer that samples no images


def test_json_and_csv_say_the_same(config) -> None:
    words = ("sweep", "a.yml", f"{BATCH}=8,4096", "scale=4,3", "--no-trace", "-t", "t4")
    found = json.loads(config(*words, "--format", "json").stdout)["sweeps"][0]
    rows = list(csv.DictReader(io.StringIO(config(*words, "--format", "csv").stdout)))
    assert found["combinations"] == len(rows) == 4
    failing = [row for row in rows if row["outcome"] == "fail"]
    assert found["fail"] == len(failing) == 3
    assert {name for row in failing for name in row["rules"].split()} >= {"network-scale", "vram-budget"}
    where = next(one["where"] for one in found["failing"] if one["rule"] == "network-scale")
    assert where == [{"scale": [3]}]


def test_without_a_failing_combination_the_exit_code_is_0(config) -> None:
    assert (
        config(
            "sweep", "a.yml", f"{BATCH}=8,16", "train.total_iter=1000", "--no-trace", "-t", "t4"
        ).returncode
        == 0
    )


def test_what_is_not_known_is_not_judged(config) -> None:
    words = ("sweep", "a.yml", "network_g.num_block=16,17", "train.total_iter=1000", "--no-trace", "-t", "t4")
    done = config(*words)
    assert (done.returncode, config(*words, "--strict").returncode) == (0, 1)
    assert "1 pass, 1 not judged" in done.stdout
    assert "network_g.num_block 17" in done.stdout
    assert "no stored profile of this step" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("a.yml",), "is not a sweep"),
        (("a.yml", "scale=2"), "--target NAME"),
        (("a.yml", "scale=2", "-t", "t4", "--seconds-per-iteration", "1"), "are for one combination"),
        (("a.yml", "scal=2", "-t", "t4"), 'did you mean "scale"'),
        (("b.yml", "-t", "t4"), "b.yml"),
    ],
)
def test_wrong_use_is_said_in_one_line(config, words, said) -> None:
    config.write("b.yml", "method: grid\nparameters: {a: {distribution: normal, mu: 0, sigma: 1}}\n")
    done = config("sweep", *words, "--no-trace")
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_wandb_sweep_over_a_config(config) -> None:
    config.write(
        "s.yml",
        "method: random\nparameters:\n"
        "  datasets: {parameters: {train: {parameters: {batch_size_per_gpu: {values: [8, 9999]}}}}}\n"
        "  train.optim_g.lr: {min: 0.0001, max: 0.01}\n",
    )
    done = config("sweep", "s.yml", "--config", "a.yml", "--no-trace", "-t", "t4")
    assert done.returncode == 1
    assert f"{BATCH} 9999" in done.stdout
    assert "uniform, judged at its ends 0.0001 and 0.01; what is between is not judged" in done.stdout


def test_a_parameter_of_a_wandb_sweep_that_the_config_lacks_is_refused_or_added(config) -> None:
    text = "method: grid\nparameters: {KEY: {values: [1, 2]}}\n"
    for key, said in (
        ("datasets.train.gt_sizee", 'did you mean "gt_size"?'),
        ("+datasets.train.mine", "2 combi"),
    ):
        config.write("s.yml", text.replace("KEY", key))
        done = config("sweep", "s.yml", "--config", "a.yml", "--no-trace", "-t", "t4")
        assert said in done.stdout + done.stderr
    config.write("s.yml", text.replace("parameters", "parametrs"))
    done = config("sweep", "s.yml", "--config", "a.yml", "--no-trace", "-t", "t4")
    assert "expected its keys method and parameters" in done.stderr


def test_a_wandb_sweep_of_a_command(config) -> None:
    config.write(
        "s.yml",
        "program: train.py\nmethod: grid\n"
        "command: [python, '${program}', /data, --model, resnet50, '${args}']\n"
        "parameters: {batch-size: {values: [8, 100000]}, sched: {values: [cosine, nonsense]}}\n",
    )
    done = config("sweep", "s.yml", "--no-trace", "-t", "t4")
    assert "4 combinations" in done.stdout


@pytest.mark.skipif(find_spec("ray") is not None, reason="ray is installed")
def test_a_backend_that_is_not_installed_is_named(config) -> None:
    done = config("sweep", "a.yml", f"{BATCH}=8,16", "--no-trace", "-t", "t4", "--backend", "ray")
    assert done.returncode == 2
    assert "--backend ray needs" in done.stderr
    assert "pip install 'trainlint[sweep]'" in done.stderr


def test_its_processes_import_nothing_from_where_it_is_run(config) -> None:
    for name in ("joblib", "pickle", "argparse", "click"):
        config.write(f"{name}.py", "open('ran', 'w').close()\n")
    words = ("sweep", "a.yml", f"{BATCH}=8,16,32", "--no-trace", "-t", "t4")
    done = config(*words, "--backend", "loky", "--jobs", "2")
    assert "3 combinations" in done.stdout, done.stderr
    assert not (config.folder / "ran").exists()


def outcomes(done) -> list[str]:
    return [row["outcome"] for row in csv.DictReader(io.StringIO(done.stdout))]


def test_the_seconds_of_the_settings_hold_for_every_combination(config) -> None:
    """54,000 iterations of 0.8 s are the 12 h after which the machine is taken away."""
    config.write("trainlint.toml", '[[files]]\nmatch = "a.yml"\nseconds-per-iteration = 0.8\n')
    words = ("sweep", "a.yml", "train.total_iter=54000,54001", "--no-trace", "-t", "kaggle-t4x2")
    assert outcomes(config(*words, "--format", "csv")) == ["pass", "fail"]


def test_a_disk_that_earlier_sessions_may_have_filled_is_not_judged(config) -> None:
    """Every 400 iterations 24 MB are saved: 24 GB in all, of which the last 10,000 write 0.6 GB."""
    text = EXAMPLE.read_text(encoding="utf-8")
    config.write("a.yml", text.replace("resume_state: ~", "resume_state: training_states/390000.state"))
    every = "logger.save_checkpoint_freq=10,400,4000"
    words = ("sweep", "a.yml", every, "--no-trace", "-t", "kaggle-t4x2", "--format", "csv")
    assert outcomes(config(*words)) == ["fail", "not judged", "pass"]


@pytest.mark.rest
def test_what_a_sweep_does_not_estimate_is_said_where_a_job_has_it(config) -> None:
    batch = "config.process.0.train.batch_size=1,2"
    flux = EXAMPLE.parent / "trainers" / "flux_lora.yaml"
    done = config("sweep", str(flux), batch, "--no-trace", "-t", "rtx-4090")
    assert "not judged: vram-sampling (a sweep does not estimate what it reads)" in done.stdout


def test_ctrl_c_ends_it_with_one_line(monkeypatch, capsys) -> None:
    def interrupted(*_given: object) -> None:
        raise KeyboardInterrupt

    example = str(Path(__file__).parents[2] / "examples" / "msrresnet_x4.yml")
    monkeypatch.setattr("trainlint.cli.commands.sweep_command.sweep", interrupted)
    with pytest.raises(SystemExit) as ended:
        run(["sweep", example, "scale=2,4", "--no-trace", "-t", "rtx-3060"])
    assert ended.value.code == 130
    assert capsys.readouterr().err.split("\n") == ["", "trainlint: interrupted", ""]
