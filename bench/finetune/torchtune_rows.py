# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What torchtune's README says that its techniques take, one after the other, as configs.

The rows are of one config (llama3_2/3B_full_single_device.yaml, packed to 4096 tokens) with one setting more
in each; of them those are compared whose settings are all traced. The optimizer is torch's fused AdamW: its
states are in the figures until a row takes 8 bits, and without `fused` a step would take 6 GiB more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from bench.finetune.measured_row import Row

TABLE: Final = "torchtune"
CARD: Final = "a100-80gb"
CONFIG: Final = """\
model: {{_component_: torchtune.models.llama3_2.llama3_2_3b}}
tokenizer: {{_component_: torchtune.models.llama3.llama3_tokenizer, path: t, max_seq_len: 4096}}
dataset: {{_component_: torchtune.datasets.alpaca_cleaned_dataset, packed: true}}
checkpointer: {{_component_: torchtune.training.FullModelHFCheckpointer, checkpoint_dir: c}}
optimizer: {{_component_: torch.optim.AdamW, lr: 2e-5, fused: true}}
loss: {{_component_: {loss}}}
batch_size: 2
gradient_accumulation_steps: 1
epochs: 1
dtype: bf16
compile: {compile}
enable_activation_checkpointing: {checkpointing}
optimizer_in_bwd: {in_backward}
"""
WHOLE, PIECES = "torch.nn.CrossEntropyLoss", "torchtune.modules.loss.CEWithChunkedOutputLoss"
TRACED_METHODS: Final[Mapping[str, Mapping[str, str]]] = {
    "+ Packed Dataset": {"loss": WHOLE, "compile": "false", "checkpointing": "false", "in_backward": "false"},
    "+ Activation Checkpointing": {
        "loss": PIECES, "compile": "true", "checkpointing": "true", "in_backward": "false",
    },
    "+ Fuse optimizer step into backward": {
        "loss": PIECES, "compile": "true", "checkpointing": "true", "in_backward": "true",
    },
}  # fmt: skip
"""What a row's technique and those before it are in a config."""
LEFT_OUT: Final[Mapping[str, str]] = {
    "Baseline": "samples of unknown lengths",
    "+ Compile": "what a compiled layer keeps is not traced",
    "+ Chunked Cross Entropy": "what a compiled layer keeps is not traced",
    "LoRA Q and V only": "samples of unknown lengths",
    "LoRA all layers": "samples of unknown lengths",
}
OFFLOADED: Final = "activations on the host"
SETTINGS_UNSAID: Final = "which settings were measured is not said"


def torchtune_rows(table: Sequence[Mapping[str, str]]) -> Iterator[Row]:
    """Yield the runs that are compared."""
    for row in table:
        if row["table"] == TABLE and not why_not_traced(row):
            name = f"torchtune, Llama 3.2 3B, {row['method'].removeprefix('+ ').lower()}, 2 x 4096"
            measured = round(float(row["mem_gib"]) * 2**30)
            config = CONFIG.format(**TRACED_METHODS[row["method"]])
            yield Row(name, TABLE, "", config, CARD, measured)


def why_not_traced(row: Mapping[str, str]) -> str:
    """Return why a row is not compared; "" where it is."""
    if row["config"].startswith("not named"):
        return SETTINGS_UNSAID
    if row["method"] in TRACED_METHODS:
        return ""
    return LEFT_OUT.get(row["method"], OFFLOADED)
