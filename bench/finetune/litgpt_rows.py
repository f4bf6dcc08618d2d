# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""litgpt's own measurements as configs: its config hub (A10G) and its resource tables (A100, torch 2.1).

The hub's rows are those of its published files, with samples cut at 512 tokens; the tables' rows are the
program's defaults of the time, with the longest sample that the table names. Each becomes the text of a
config and goes through all that a user's file goes through.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from bench.finetune.measured_row import Row

HUB, TABLES = "litgpt_config_hub", "litgpt_resource_tables"
MODELS: Final[Mapping[str, str]] = {
    "llama-2-7b": "meta-llama/Llama-2-7b-hf",
    "llama-3-8b": "meta-llama/Meta-Llama-3-8B",
    "llama-3.1-8b": "meta-llama/Llama-3.1-8B",
    "llama-3.2-1b": "meta-llama/Llama-3.2-1B",
    "llama-3.2-3b": "meta-llama/Llama-3.2-3B",
    "mistral-7b-v0.2": "mistralai/Mistral-7B-v0.2",
    "mistral-7b": "mistralai/Mistral-7B-v0.1",
    "stablelm-base-alpha-3b": "stabilityai/stablelm-base-alpha-3b",
    "falcon-7b": "tiiuae/falcon-7b",
    "gemma-2b": "google/gemma-2b",
    "gemma-7b": "google/gemma-7b",
    "gemma2-2b": "google/gemma-2-2b",
    "gemma2-9b": "google/gemma-2-9b",
    "phi-2": "microsoft/phi-2",
    "phi-3": "microsoft/Phi-3-mini-4k-instruct",
    "tiny-llama": "TinyLlama/TinyLlama_v1.1",
    "StableLM Alpha 3 B": "stabilityai/stablelm-base-alpha-3b",
    "Llama 2 7 B": "meta-llama/Llama-2-7b-hf",
    "Llama 2 13 B": "meta-llama/Llama-2-13b-hf",
}
"""A row's name of a model -> that on the hub."""
CARDS: Final[Mapping[str, str]] = {"NVIDIA A10G 24GB": "a10g", "NVIDIA A100-SXM4-40GB": "a100-40gb"}
CONFIG: Final = """\
checkpoint_dir: checkpoints/{model}
precision: bf16-true
quantize: {quantize}
devices: 1
{adapter}train:
  global_batch_size: {total}
  micro_batch_size: {batch}
  max_seq_length: {length}
  epochs: 1
eval:
  max_new_tokens: 100
optimizer:
  class_path: torch.optim.AdamW
"""
ADAPTER: Final = """\
lora_r: {}
lora_dropout: 0.05
"""


def litgpt_rows(table: Iterator[Mapping[str, str]]) -> Iterator[Row]:
    """Yield the runs that are compared."""
    for row in table:
        if row["table"] in {HUB, TABLES} and not why_left_out(row):
            yield _row(row)


def why_left_out(row: Mapping[str, str]) -> str:
    """Return why a row is not compared; "" where it is."""
    if row["method"] == "adapter":
        return "LLaMA-Adapter is not traced"
    return "" if row["n_gpus"] == "1" else "several GPUs, whose weights are sharded (FSDP)"


def _row(row: Mapping[str, str]) -> Row:
    said = dict(part.split("=", 1) for part in re.split(r"; ", row["other_settings"]) if "=" in part)
    quantised = said.get("quantize", "").replace("none", "").replace("None", "")
    hub = row["table"] == HUB
    batch, length = row["batch_per_gpu"], re.findall(r"\d+", row["seq_or_image"])[0]
    config = CONFIG.format(
        model=MODELS[row["model"]],
        quantize=quantised,
        adapter="" if row["method"] == "full" else ADAPTER.format(said["lora_r"] if hub else 8),
        total=8 if hub else 128,
        batch=batch,
        length=length,
    )
    measured = None if row["oom"] == "1" else round(float(row["mem"]) * 10**9)
    method = ", full" if row["method"] == "full" else ""
    name = f"{row['model']}{method}, {quantised or 'bf16'}, {batch} x {length}"
    return Row(name, row["table"], quantised, config, CARDS[row["gpu"]], measured)
