# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Times the command on configs of language models: whole processes' CPU time, taken in turn with imports.

    python -m bench speed_finetune [--runs 5] [--before COMMAND] [--traced COMMAND] [--before-traced COMMAND]

A stored step: trainlint as a wheel without torch, its cache empty each time, next to importing PyYAML and
jsonschema there; a file, and a folder of ten. A traced one: `--traced` is a `trainlint` that has torch,
transformers and peft next to it, and its step (an adapter on other modules) is stored nowhere.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import yaml

from bench.commands import parser_of
from bench.speed.command import Task, installed, medians, table

CONFIG = {
    "model_name_or_path": "Qwen/Qwen3-4B-Instruct-2507",
    "stage": "sft",
    "do_train": True,
    "finetuning_type": "lora",
    "lora_rank": 8,
    "lora_target": "all",
    "dataset": "identity,alpaca_en_demo",
    "template": "qwen3_nothink",
    "cutoff_len": 2048,
    "max_samples": 1000,
    "output_dir": "saves/qwen3-4b/lora/sft",
    "logging_steps": 10,
    "save_steps": 500,
    "per_device_train_batch_size": 1,
    "gradient_accumulation_steps": 8,
    "learning_rate": 1.0e-4,
    "num_train_epochs": 3.0,
    "lr_scheduler_type": "cosine",
    "warmup_ratio": 0.1,
    "bf16": True,
}
"""LLaMA-Factory's own example, examples/train_lora/qwen3_lora_sft.yaml."""
EIGHT_BILLION = {
    "model_name_or_path": "meta-llama/Meta-Llama-3-8B-Instruct",
    "template": "llama3",
    "lora_target": "q_proj,v_proj,gate_proj",
}
TEN = 10
PEER = ("-c", "import yaml, jsonschema")
TRACING_PEER = ("-c", "import torch, transformers, peft")


def written(path: Path, **changes: object) -> str:
    """Write the config with changes and return its path."""
    path.write_text(yaml.safe_dump({**CONFIG, **changes}, sort_keys=False), encoding="utf-8")
    return str(path)


def ours(name: str, commands: dict[str, str], *words: str) -> list[Task]:
    """Return what each version of trainlint is timed by."""
    return [Task(f"{which}{name}", (path, *words), cold=True) for which, path in commands.items()]


def python_of(command: str) -> str:
    """Return the Python of the environment that a command is installed in."""
    return str(Path(command).parent / "python")


def stored(folder: Path, commands: dict[str, str], runs: int) -> str:
    """Time a stored step: one file, and ten of other lengths and ranks in a folder."""
    several = folder / "ten"
    several.mkdir()
    for number in range(TEN):
        written(several / f"{number}.yaml", cutoff_len=1024 + 128 * number, lora_rank=8 * (1 + number % 4))
    peer = Task("import yaml, jsonschema", (python_of(commands[""]), *PEER))
    one = ours("a file", commands, written(folder / "q.yaml"), "-t", "rtx-4090")
    ten = ours(f"a folder of {TEN}", commands, str(several), "-t", "rtx-4090")
    return table("a stored step, without torch", medians((peer, *one, *ten), runs))


def traced(folder: Path, commands: dict[str, str], runs: int) -> str:
    """Time a step of 8 billion parameters that is traced."""
    peer = Task("import torch, transformers, peft", (python_of(commands[""]), *TRACING_PEER))
    one = ours("a file", commands, written(folder / "8b.yaml", **EIGHT_BILLION), "-t", "rtx-4090")
    return table("a traced step of 8 billion parameters", medians((peer, *one), runs))


def parts(folder: Path, wheel: dict[str, str], tracing: dict[str, str], runs: int) -> Iterator[str]:
    """Yield the comparisons as they are ready."""
    yield stored(folder, wheel, runs)
    if tracing[""]:
        yield traced(folder, tracing, runs)


def versions(command: str, before: str | None) -> dict[str, str]:
    """Return the versions of trainlint that are timed, by what their rows begin with."""
    return {"": command} | ({"before: ": before} if before else {})


def main() -> None:
    """Print each comparison when it is ready."""
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--before", metavar="COMMAND")
    parser.add_argument("--traced", metavar="COMMAND", default="")
    parser.add_argument("--before-traced", metavar="COMMAND")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        wheel = versions(installed(Path(place, "wheel")), args.before)
        for part in parts(Path(place), wheel, versions(args.traced, args.before_traced), args.runs):
            print(part, flush=True)
