# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the fuzzer starts from: the examples, texts in every format that is read, and configs of a folder."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from bench import ROOT
from trainlint.files.text_source import source_of
from trainlint.session.chosen_tapes import tapes_for
from trainlint.session.toolbox import pipeline_for
from trainlint.settings.settings import Settings
from trainlint.tape.encoding import encode

EXAMPLES = ROOT / "examples"

MOST_BYTES = 60_000
"""A longer file of a corpus is left out: most of its time would go into copying it."""

SCRIPT = """\
#!/bin/bash
SIZES=(128 256)
export CUDA_VISIBLE_DEVICES=0,1
for size in "${SIZES[@]}"; do
  python train_vae.py --data_path images --image_size $size --batch_size 4 \\
    --num_epochs 10 | tee "log $(date +%F).txt"
done
torchrun --nproc_per_node=2 basicsr/train.py -opt options/x4.yml --launcher pytorch
python train_foo.py --lr 1e-4 &
"""
PAGE = f"""\
# Training

> $ python train_CR_kaggle.py --gpu_ids 0,1 --batch_sz 4

```bash
{SCRIPT}```

```yaml
trainlint: 1
model: RRDBNet
args: {{num_in_ch: 3, num_out_ch: 3}}
input: [3, 32, 32]
batch: 2
```
"""
CELLS = [
    {"cell_type": "code", "source": text}
    for text in (SCRIPT.splitlines(keepends=True), "!pip install torch==2.1\n")
]
NOTEBOOK = json.dumps({"cells": CELLS, "metadata": {"kernelspec": {"language": "python"}}}, indent=1)
KAIR = """\
{"task": "x", "model": "plain", "gpu_ids": [0, 1], "scale": 4, "n_channels": 3, // comment
 "path": {"root": "out", "pretrained_netG": null},
 "datasets": {"train": {"dataset_type": "sr", "H_size": 96, "dataloader_batch_size": 16}},
 "netG": {"net_type": "msrresnet0", "in_nc": 3, "out_nc": 3, "nc": 64, "nb": 16},
 "train": {"G_lossfn_type": "l1", "G_optimizer_type": "adam", "G_optimizer_lr": 1e-4, "E_decay": 0.999}}
"""
NEOSR = """\
name = "x"
model_type = "image"
scale = 4
use_amp = true
[datasets.train]
type = "paired"
patch_size = 64
batch_size = 8
[network_g]
type = "span"
[train.optim_g]
type = "adamw"
lr = 1e-4
[logger]
total_iter = 1000
save_checkpoint_freq = 100
"""
SETTINGS = """\
target = ["kaggle-t4x2", "rtx-4090"]
fail-on = "warn"
strict = true
seconds-per-iteration = 0.5
session-budget-h = 9
validation-size = [339, 510]
dataset-size = 800
expandable-segments = false
ignore = ["workers-over-cores"]
exclude = ["old/*", "**/*.bak"]
rules = ["rules"]
schemas = "schemas"
gpus = ["gpus.toml"]
profiles = "profiles"
[context]
tesla-t4 = 111
"""

Base = tuple[str, bytes]
"""A file's name, which says how it is read, and its bytes."""


def own_texts() -> list[Base]:
    """Return the examples and a text in each format."""
    found = [(path.name, path.read_bytes()) for path in sorted(EXAMPLES.glob("*.yml"))]
    texts = {
        "a.sh": SCRIPT,
        "a.bat": SCRIPT.replace("\\\n", "^\n"),
        "a.md": PAGE,
        "a.ipynb": NOTEBOOK,
        "a.json": KAIR,
        "a.toml": NEOSR,
    }
    return [*found, *((name, text.encode()) for name, text in texts.items())]


def texts_of(folder: Path) -> list[Base]:
    """Return the files of a corpus that are not too long, under their bare names."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != ".csv")
    return [(path.name, data) for path in paths if len(data := path.read_bytes()) <= MOST_BYTES]


def own_rule() -> bytes:
    """Return a rule as it is in rules/."""
    return (ROOT / "rules" / "workers-over-cores.yaml").read_bytes()


def own_schema() -> bytes:
    """Return a dialect's schema."""
    return (ROOT / "schemas" / "trainlint.json").read_bytes()


def own_gpus() -> bytes:
    """Return the first tables of gpus.toml."""
    return (ROOT / "gpus.toml").read_bytes()[:8000]


@cache
def profile_of(config: bytes) -> Base | None:
    """Return the shipped profile of an example's step: its name and bytes."""
    settings = Settings().with_options(target=("rtx-4090",))
    tapes = tapes_for(settings, lambda _: None, may_trace=False)
    list(pipeline_for(settings, tapes).lint_source(source_of(config, "c.yml"), named=True))
    tape = next(iter(tapes.used()), None)
    return None if tape is None else (f"{tape.key[:24]}.tape", encode(tape))
