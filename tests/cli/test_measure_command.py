# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`trainlint measure`: without a GPU one clear message; with a GPU played by the test, tables and lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("torch")

from tests.warm_cache import warm
from trainlint.cli.commands import measure_command
from trainlint.cli.main import main
from trainlint.errors import CannotTraceError, UsageError
from trainlint.hardware import gpus_and_targets
from trainlint.hardware.installed_cards import GpuCard
from trainlint.hardware.local_target import local_target
from trainlint.measuring.gpu_reading import OUT_OF_MEMORY, OUTCOME_RAN, GpuReading, Reading

pytestmark = pytest.mark.torch

MIB = 2**20
MACHINE = {"gpu": "NVIDIA L4", "driver": "570.10", "torch": "2.13", "cuda": "12.6", "cudnn": 91002}


def test_without_a_gpu_one_message(trainlint, config):
    import torch  # noqa: PLC0415 - skipped without

    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    trainlint.write("a.yml", config)
    done = trainlint("measure", "a.yml")
    assert done.returncode == 2
    needed = "trainlint measure needs an NVIDIA GPU: torch.cuda.is_available() is False"
    assert done.stderr == f"trainlint: {needed}\n"
    assert not (trainlint.folder / "measured.jsonl").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing.yml"], "does not exist"),
        (["a.yml", "--steps", "1"], "1 is below 2"),
        (["a.yml", "--batch", "0"], "0 is below 1"),
        (["a.yml", "--cap", "24 cats"], '"24 cats" is not a size such as 24GiB'),
        (["a.yml", "--cap", "0"], '"0" is not a size'),
        (["a.yml", "--target", "rtx-4090"], "takes no --target"),
        ([], "give measure a CONFIG, or --context without one"),
        (["a.yml", "--context"], "give measure a CONFIG, or --context without one"),
    ],
)
def test_wrong_use(trainlint, config, arguments, words):
    trainlint.write("a.yml", config)
    done = trainlint("measure", *arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


class Gpu:
    """Stands for the process that measures: keeps what is asked, answers as set up."""

    def __init__(self):
        self.asked, self.outcome = [], OUTCOME_RAN

    def __call__(self, request):
        self.asked.append(request)
        if self.outcome != OUTCOME_RAN:
            return Reading(OUT_OF_MEMORY, 1, "generator forward", machine=MACHINE)
        sizes = {"allocated": 4000, "first": 4100, "reserved": 4200, "highest": 5000, "smi": 4500}
        gpu = GpuReading(**{name: size * MIB for name, size in sizes.items()}, smi_of="process",
                         live=3900 * MIB if request.between else None)  # fmt: skip
        return Reading(OUTCOME_RAN, request.steps, gpus=(gpu,), seconds=0.25, machine=MACHINE)


@pytest.fixture
def gpu(monkeypatch, tmp_path, config):
    """A machine with one L4, whose measuring process the test plays."""
    made = Gpu()
    card = GpuCard("GPU-1", "NVIDIA L4", 23034, "570.10", 450, 8.9)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(warm(tmp_path / "cache")))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(measure_command, "require_gpu", lambda: None)
    monkeypatch.setattr("trainlint.cli.commands.measure_command.MeasuringProcess", lambda *_: made)
    monkeypatch.setattr(
        gpus_and_targets.Hardware,
        "_this_machine",
        lambda hardware: local_target(hardware.gpus_named, lambda: (card,)),
    )
    Path("a.yml").write_text(config, encoding="utf-8")
    return made


def run(*arguments):
    return CliRunner().invoke(main, ["measure", "a.yml", *arguments], standalone_mode=False)


def lines(name="measured.jsonl"):
    return [json.loads(line) for line in Path(name).read_text(encoding="utf-8").splitlines()]


@pytest.mark.slow
def test_a_table_and_a_line(gpu):
    done = run()
    assert (done.exception, done.return_value) == (None, 0)
    table = [line.split() for line in done.stdout.splitlines()]
    assert done.stdout.startswith(
        "a.yml tiny\nNVIDIA L4, driver 570.10, torch 2.13, CUDA 12.6, cuDNN 91002\n"
    )
    assert "batch 16 per GPU, fp32, cudnn.benchmark on, 5 steps, 0.25 s a step" in done.stdout
    assert next(row for row in table if row[:1] == ["allocated"])[1] == "3,900.0"
    assert next(row for row in table if row[:1] == ["nvidia-smi"])[1] == "4,500.0"
    (line,) = lines()
    assert (line["gpu"], line["name"], line["batch"], line["steps"]) == ("NVIDIA L4", "tiny", 16, 5)
    assert line["gpus"][0]["estimate"]["allocated"] > 0
    assert set(line["gpus"][0]["error_percent"]) == {
        "allocated",
        "reserved",
        "context",
        "nvidia-smi",
        "highest",
    }
    assert len(line["config_sha256"]) == 64


@pytest.mark.slow
def test_options_reach_the_gpu_and_lines_are_added(gpu):
    run("--batch", "2", "--steps", "3", "--no-benchmark", "--output", "kept.jsonl")
    run("--cap", "8GiB", "--output", "kept.jsonl")
    first, between, capped = gpu.asked[0], gpu.asked[1], gpu.asked[2]
    assert (first.batch, first.steps, first.benchmark, first.limit) == (2, 3, False, None)
    assert (between.between, between.batch) == (True, 2)
    context = lines("kept.jsonl")[1]["gpus"][0]["estimate"]["context"]
    assert capped.limit == 8 * 2**30 - context
    assert [line["cap"] for line in lines("kept.jsonl")] == [None, 8 * 2**30]


@pytest.mark.slow
@pytest.mark.parametrize(("cap", "words"), [("600MiB", "as estimated"), ("20GiB", "NOT foreseen")])
def test_out_of_memory_is_a_result(gpu, cap, words):
    gpu.outcome = OUT_OF_MEMORY
    done = run("--cap", cap)
    assert (done.exception, done.return_value) == (None, 0)
    assert "out of memory at step 1 (generator forward)" in done.stdout
    assert words in done.stdout
    assert lines()[0]["outcome"] == "out of memory"


@pytest.mark.slow
def test_a_cap_above_the_card(gpu):
    assert isinstance(run("--cap", "48").exception, UsageError)


@pytest.mark.slow
def test_a_step_that_cannot_run(gpu, monkeypatch):
    def refuse(_request):
        raise CannotTraceError('unknown network "Foo"')

    monkeypatch.setattr("trainlint.cli.commands.measure_command.MeasuringProcess", lambda *_: refuse)
    done = run()
    assert done.return_value == 2
    assert 'unknown network "Foo"' in done.stderr
    assert not Path("measured.jsonl").exists()


@pytest.mark.slow
def test_a_file_that_no_dialect_knows(gpu):
    Path("a.yml").write_text("answer: 42\n", encoding="utf-8")
    assert "not a config of a trainer that trainlint knows" in str(run().exception)


@pytest.mark.slow
def test_a_table_that_cannot_be_written(gpu, tmp_path):
    done = run("--output", str(tmp_path / "no" / "such" / "folder.jsonl"))
    assert isinstance(done.exception, UsageError)
    assert "cannot write" in str(done.exception)


def context_of(_gpu):
    return CliRunner().invoke(main, ["measure", "--context"], standalone_mode=False)


def test_the_context_alone_with_the_settings_that_keep_it(gpu):
    done = context_of(gpu)
    assert (done.exception, done.return_value) == (None, 0)
    assert done.stdout.splitlines() == [
        "NVIDIA L4, driver 570.10, torch 2.13, CUDA 12.6, cuDNN 91002",
        "CUDA context: 300.0 MiB (nvidia-smi's figure of the process, less torch's own)",
        "assumed until now: 211.0 MiB, 181.0 to 241.0 (the GPU table: 1 out-of-memory message)",
        "keep it in pyproject.toml, or without the first line in trainlint.toml under [context]:",
        "[tool.trainlint.context]",
        '"l4" = 300',
    ]
    (request,) = gpu.asked
    assert request.step == {"recipe": "context"}
    assert not Path("measured.jsonl").exists()


def test_a_context_that_the_driver_does_not_tell(gpu, monkeypatch):
    blind = GpuReading(MIB, MIB, 20 * MIB, 20 * MIB, None, "device")
    answer = Reading(OUTCOME_RAN, 3, gpus=(blind,), machine=MACHINE)
    monkeypatch.setattr(
        "trainlint.cli.commands.measure_command.MeasuringProcess", lambda *_: lambda _request: answer
    )
    done = context_of(gpu)
    assert done.return_value == 2
    assert "the driver does not say what the process holds" in done.stdout


def test_a_pin_that_the_installed_library_is_not_is_said(gpu):
    pytest.importorskip("timm")
    text = "python train.py --data-dir /data --model mobilenetv3_small_050 -b 8 --sched cosine --lr 0.1\n"
    Path("run.sh").write_text(text, encoding="utf-8")
    Path("requirements.txt").write_text("timm==0.0.1\n", encoding="utf-8")
    done = CliRunner().invoke(main, ["measure", "run.sh"], standalone_mode=False)
    assert "note: requirements.txt pins timm 0.0.1; " in done.stdout
    assert "is installed, and is what runs here: networks and sizes may differ" in done.stdout


@pytest.mark.slow
def test_a_forks_own_step_is_not_measured_as_the_published_one(gpu, config):
    """What `check` does not judge because the repository has a model class of its own."""
    Path("mini").mkdir()
    train = "from basicsr.train import train_pipeline\ntrain_pipeline('.')\n"
    Path("mini/train.py").write_text(train, encoding="utf-8")
    Path("requirements.txt").write_text("basicsr==1.3.4.9\n", encoding="utf-8")
    Path("mini/own_model.py").write_text(
        "from basicsr.models.sr_model import SRModel\nfrom basicsr.utils.registry import MODEL_REGISTRY\n\n"
        "@MODEL_REGISTRY.register()\nclass OwnModel(SRModel):\n"
        "    def optimize_parameters(self, current_iter):\n        self.twice()\n",
        encoding="utf-8",
    )
    text = config.replace("model_type: SRModel", "model_type: OwnModel")
    Path("a.yml").write_text(text, encoding="utf-8")
    done = run()
    assert done.return_value == 2
    assert gpu.asked == []
    assert "own_model.py" in done.stderr


@pytest.mark.slow
def test_commands_that_start_the_same_run_are_measured_once(gpu, config):
    command = "python basicsr/train.py -opt a.yml\n"
    Path("run.sh").write_text(command, encoding="utf-8")
    Path("again.sh").write_text(f"{command}\n", encoding="utf-8")
    done = run()
    assert done.return_value == 0
    assert len(lines()) == 1
