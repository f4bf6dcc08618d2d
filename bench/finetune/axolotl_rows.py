# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What axolotl's README files say that its examples take, as configs.

Which meter they read is not said (axolotl logs what is allocated, active and reserved), figures are rounded,
and some are alike in several files. Each row's settings are those of its example; all of these have the
plugin of cut cross-entropy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import yaml

from bench.finetune.measured_row import Row
from bench.measured_tables import MEASURED
from bench.measured_tables import table as measured
from trainlint.catalogue.base_models import base_model

README: Final = "axolotl_examples"
CARD: Final = "l40s"
"""One of 48 GB, as most of these files say."""
UNITS: Final[Mapping[str, int]] = {"GiB": 2**30, "GB": 10**9}
VISION: Final = re.compile(r"VL|Vox|vision", re.ASCII)


def axolotl_rows(table: Sequence[Mapping[str, str]]) -> Iterator[Row]:
    """Yield the runs that are compared."""
    yield from (_row(row) for row in examples(table) if not why_skipped(row))


def examples(table: Sequence[Mapping[str, str]]) -> Iterator[Mapping[str, str]]:
    """Yield the rows of README files: those of a table, and those of bench/measured/axolotl_readme.csv."""
    yield from (row for row in table if row["table"] == README)
    yield from measured(MEASURED, "axolotl_readme")


def why_skipped(row: Mapping[str, str]) -> str:
    """Return why a row is not compared; "" where it is."""
    said = _settings(row)
    base = str(said["base_model"])
    if row["n_gpus"] not in {"", "1"} or row["gpu"].startswith("2x"):
        return "several GPUs"
    if VISION.search(said["base_model"] + row["config"]):
        return "images or sound"
    if said.get("load_in_8bit") is True:
        return "eight bits are not traced"
    return "" if base_model(base) else f"{base} has no row among the base models"


def _settings(row: Mapping[str, str]) -> dict[str, Any]:
    pairs = (part.split("=", 1) for part in row["other_settings"].split("; ") if "=" in part)
    return {name: yaml.safe_load(value) for name, value in pairs}


def _row(row: Mapping[str, str]) -> Row:
    said = _settings(row)
    config = {
        **said,
        "datasets": [{"path": "data", "type": "alpaca"}],
        "plugins": ["axolotl.integrations.cut_cross_entropy.CutCrossEntropyPlugin"],
        "output_dir": "out",
        "num_epochs": 1,
        "learning_rate": 0.0002,
    }
    quantised = "bnb.nf4" if said.get("load_in_4bit") else ""
    taken = round(float(row["mem"]) * UNITS[row["mem_unit"]])
    batch = f"{said['micro_batch_size']} x {said['sequence_len']}"
    name = f"axolotl, {said['base_model']}, {said.get('adapter', 'full')}, {batch}"
    return Row(name, README, quantised, yaml.safe_dump(config), CARD, taken, reserved=True)
