"""Damaged files through the whole house: a verdict or "unreadable" in every format, never a failure of ours.

No tape is traced; the examples' own are stored, so that estimates, rules and fixes run as well.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trainlint.cli.batch import Unread, lint_all
from trainlint.cli.check import FORMATS
from trainlint.cli.toolbox import pipeline_for, tapes_for
from trainlint.errors import UnreadableError
from trainlint.read import source_of
from trainlint.report.style import Style
from trainlint.settings import Settings

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
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
SOURCES = (SCRIPT.splitlines(keepends=True), "!pip install torch==2.1\n")
CELLS = [{"cell_type": "code", "source": text} for text in SOURCES]
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
TEXTS = {
    **{path.name: path.read_text("utf-8") for path in sorted(EXAMPLES.glob("*.yml"))},
    "a.sh": SCRIPT,
    "a.bat": SCRIPT.replace("\\\n", "^\n"),
    "a.md": PAGE,
    "a.ipynb": NOTEBOOK,
    "a.json": KAIR,
    "a.toml": NEOSR,
}
VALUES = [
    "NaN", ".nan", ".inf", "-1", "0", "1e400", "1e3", "-0.0", "1.5", "true", "~", "null", "[]", "{}",
    "[1, 2]", "{a: 1}", "!!float x", "!!int 1", "!!binary aGk=", "!!set {a}", "&a *a", "*a", "<<", "@", "`",
    "$((", "${A[", "<<EOF", "\\", '"', "'", "é", "🎉", "2020-01-01", "0x10", "1_000", "12:30:45",
    r'"\u0000"', r'"\ud800"', "9" * 30, "9" * 400, "-" + "9" * 19, "[" * 60 + "]" * 60,
    "{a: " * 101 + "}" * 101,
]  # fmt: skip


def _cut(data: bytes, draw) -> bytes:
    return data[: draw(st.integers(0, len(data)))]


def _without_lines(data: bytes, draw) -> bytes:
    lines = data.split(b"\n")
    gone = draw(st.sets(st.integers(0, len(lines) - 1), min_size=1, max_size=6))
    return b"\n".join(line for at, line in enumerate(lines) if at not in gone)


def _other_value(data: bytes, draw) -> bytes:
    lines = data.split(b"\n")
    at = draw(st.integers(0, len(lines) - 1))
    sign = next((sign for sign in (b": ", b" = ", b" ") if sign in lines[at].lstrip()), b"")
    kept = lines[at].partition(sign)[0] if sign else lines[at]
    lines[at] = kept + sign + draw(st.sampled_from(VALUES)).encode()
    return b"\n".join(lines)


def _inserted(data: bytes, draw) -> bytes:
    at = draw(st.integers(0, len(data)))
    return data[:at] + draw(st.one_of(st.binary(max_size=6), st.just(b"\0"), st.just(b"\t"))) + data[at:]


def _swapped(data: bytes, draw) -> bytes:
    lines = data.split(b"\n")
    one, other = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


DAMAGES = (
    _cut,
    _without_lines,
    _other_value,
    _other_value,
    _inserted,
    _swapped,
    lambda data, _: b"\xef\xbb\xbf" + data,
    lambda data, _: data.replace(b"\n", b"\r\n"),
    lambda data, _: data.replace(b"  ", b"\t", 3),
)


@st.composite
def damaged(draw) -> tuple[str, bytes]:
    name = draw(st.sampled_from(sorted(TEXTS)))
    data = TEXTS[name].encode()
    for _ in range(draw(st.integers(1, 4))):
        data = draw(st.sampled_from(DAMAGES))(data, draw)
    return name, data


@cache
def pipeline():
    """Return the pipeline of two machines; fixes are tried, nothing is traced."""
    chosen = Settings().with_options(target=("kaggle-t4x2", "rtx-4090"))
    return pipeline_for(chosen, tapes_for(chosen, lambda _: None, may_trace=False))


def _no_constant(name: str) -> None:
    pytest.fail(f"{name} is no JSON")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(damaged())
def test_no_damage_is_an_error_of_ours(case) -> None:
    name, data = case
    try:
        given_input = source_of(data, name)
    except UnreadableError as error:
        given_input = Unread(name, error)
    report = lint_all(pipeline(), [given_input], lambda _: None)
    assert [crash.traceback for crash in report.crashes] == []
    assert report.results
    modules = {form: import_module(f"trainlint.report.{name}") for form, name in FORMATS.items()}
    texts = {form: module.render(report, Style()) for form, module in modules.items()}
    json.loads(texts["json"], parse_constant=_no_constant)
    for form in ("text", "concise"):
        assert "\0" not in texts[form]
        assert "\r" not in texts[form]
    for text in texts.values():
        text.encode()
