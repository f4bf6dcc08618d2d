# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Commands as the first of the processes that their starters make."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from trainlint.dry_run.starting.program import Program
from trainlint.dry_run.starting.starter import ranked
from trainlint.dry_run.starting.typed_command import program_of
from trainlint.dry_run.starting.varied_words import varied, what_to_vary
from trainlint.errors import UsageError

HERE = Path(sys.executable)


def read(command: str, python: Path | None = HERE) -> Program:
    return program_of(shlex.split(command), python)


@pytest.mark.parametrize(
    ("command", "arguments", "own"),
    [
        ("python train.py -opt x.yml", ("train.py", "-opt", "x.yml"), ("-opt", "x.yml")),
        (
            "python -u -W ignore -m pkg.train --a 1",
            ("-u", "-W", "ignore", "-m", "pkg.train", "--a", "1"),
            ("--a", "1"),
        ),
        ("nohup nice -n 10 python3 train.py 8", ("train.py", "8"), ("8",)),
        ("CUDA_VISIBLE_DEVICES=0 timeout 60 python t.py", ("t.py",), ()),
        ("./train.py --a", ("./train.py", "--a"), ("--a",)),
        ("torchrun --nproc_per_node 2 --standalone train.py --x", ("train.py", "--x"), ("--x",)),
        ("torchrun --nproc-per-node=2 -m pkg.train --x", ("-m", "pkg.train", "--x"), ("--x",)),
        ("accelerate launch --mixed_precision fp16 t.py --r 5", ("t.py", "--r", "5"), ("--r", "5")),
        (
            "deepspeed --num_gpus=2 t.py --deepspeed z.json",
            ("t.py", "--local_rank=0", "--deepspeed", "z.json"),
            None,
        ),
        (
            "python -m torch.distributed.launch --nproc_per_node=4 t.py -o a",
            ("t.py", "--local-rank=0", "-o", "a"),
            None,
        ),
        ("python -m torch.distributed.launch --use_env t.py -o a", ("t.py", "-o", "a"), None),
        ("uv run --with x python train.py", ("train.py",), ()),
    ],
)
def test_a_command_is_the_program_that_it_starts(command, arguments, own):
    found = read(command)
    assert found.arguments == arguments
    assert found.interpreter == str(HERE)
    if own is not None:
        assert found.own_words == own


@pytest.mark.parametrize(
    ("command", "starter", "processes"),
    [
        ("python train.py", None, None),
        ("torchrun train.py", "torchrun", 1),
        ("torchrun --nproc_per_node=gpu train.py", "torchrun", 0),
        ("torchrun --nproc_per_node 4 --nnodes 2 train.py", "torchrun", 4),
        ("accelerate launch --num_processes 2 train.py", "accelerate launch", 2),
        ("accelerate launch train.py", "accelerate launch", 0),
        ("deepspeed --include localhost:0,1,2 train.py", "deepspeed", 3),
    ],
)
def test_a_starter_makes_so_many_processes(command, starter, processes, monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    found = read(command)
    assert (found.starter, found.processes) == (starter, processes)


def test_the_first_process_is_told_who_it_is_as_torchrun_tells_it():
    known = ranked(read("torchrun --nproc_per_node 4 --nnodes 2 train.py"), 4, 2)
    assert known["RANK"] == known["LOCAL_RANK"] == "0"
    assert (known["WORLD_SIZE"], known["LOCAL_WORLD_SIZE"]) == ("8", "4")


def test_accelerates_config_says_what_its_options_do_not(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text(
        "distributed_type: FSDP\nmixed_precision: bf16\nnum_processes: 2\n"
        "fsdp_config:\n  fsdp_version: 2\n  fsdp_offload_params: false\n"
    )
    found = read("accelerate launch --config_file a.yaml --num_processes 4 train.py")
    assert found.processes == 4
    assert found.environment["ACCELERATE_MIXED_PRECISION"] == "bf16"
    assert found.environment["ACCELERATE_USE_FSDP"] == "true"
    assert found.environment["FSDP_VERSION"] == "2"
    assert found.environment["FSDP_OFFLOAD_PARAMS"] == "false"


def test_a_packages_command_runs_by_its_own_interpreter(tmp_path, monkeypatch):
    script = tmp_path / "trainer-cli"
    script.write_text("#!/opt/envs/a/bin/python3.11\nfrom trainer import main\nmain()\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = read("trainer-cli train config.yaml", None)
    assert found.interpreter == "/opt/envs/a/bin/python3.11"
    assert found.arguments == (str(script), "train", "config.yaml")
    assert found.name == "trainer-cli"


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("", "no command given"),
        ("bash train.sh", "name the Python command in it"),
        ("srun python train.py", "starts processes on other machines"),
        ("python", "names no script"),
        ("torchrun --nproc_per_node=2", "is given no script"),
        ("torchrun --nproc_per_node=two train.py", '"--nproc_per_node two" is not a number of processes'),
        ("accelerate config", "trains nothing"),
    ],
)
def test_what_is_no_program_is_refused_with_a_reason(command, says):
    with pytest.raises(UsageError, match=says):
        read(command)


def test_an_environments_own_starter_needs_its_interpreter():
    with pytest.raises(UsageError, match="name it with --python"):
        read("uv run python train.py", None)


@pytest.mark.parametrize(
    ("words", "key", "changed"),
    [
        ("--batch-size 4 --x 1", "batch_size=2,8", ("--batch-size", "2", "--x", "1")),
        ("--batch_size=4", "batch-size=2,8", ("--batch_size=2",)),
        ("data.batch=4 x=1", "data.batch=2,8", ("data.batch=2", "x=1")),
    ],
)
def test_vary_sets_a_word_of_the_program(words, key, changed):
    found = varied(key, read(f"python train.py {words}"))
    assert found.words(0) == changed
    assert (found.number(0), found.number(1)) == (2, 8)


@pytest.mark.parametrize("text", ["batch_size", "batch_size=2", "batch_size=2,2", "other=2,4"])
def test_vary_refuses_what_it_cannot_vary(text):
    with pytest.raises(UsageError, match="--vary"):
        varied(text, read("python train.py --batch_size 4"))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--lr 1e-4 --width 32 --micro-batch 4", "--vary micro-batch=4,8"),
        ("opt=x.yml data.bs=2", "--vary data.bs=2,4"),
        ("--width 32", "--vary width=32,64"),
        ("config.py --resume", "neither a DataLoader nor a word of the command has them"),
        ("", "neither a DataLoader nor a word of the command has them"),
    ],
)
def test_only_a_word_that_there_is_can_be_varied(words, says):
    program = read(f"python train.py {words}")
    said = what_to_vary(program)
    assert says in said
    if "--vary " in said:
        assert varied(said.rpartition("--vary ")[2], program).words(0) == program.own_words
