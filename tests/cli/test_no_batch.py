# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where not even one sample fits, a finding says which crop does; far above the largest batch, which one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
COMMAND = "python train_vae.py --data_path photos --image_size 1024 --batch_size 16 --mixed_precision\n"


def test_a_crop_is_offered_for_training_and_validation_where_no_batch_fits(trainlint) -> None:
    """The profiles of this step are in the wheel."""
    trainlint.write("run.sh", COMMAND)
    (result,) = trainlint.json("run.sh", "-t", "rtx-5090")["results"]
    found = {finding["rule"]: finding for finding in result["findings"]}
    budget, validation = found["vram-budget"], found["vram-validation"]
    assert "no batch fits this card, not even one sample per GPU" in budget["notes"]
    assert [fix["edits"] for fix in budget["fixes"]] == [fix["edits"] for fix in validation["fixes"]]
    (fix,) = budget["fixes"]
    assert fix["summary"].startswith("image_size: 1024 -> ")
    (edit,) = fix["edits"]
    trainlint.write("run.sh", COMMAND[: edit["start"]] + edit["text"] + COMMAND[edit["end"] :])
    (result,) = trainlint.json("run.sh", "-t", "rtx-5090")["results"]
    assert not {"vram-budget", "vram-validation"} & {finding["rule"] for finding in result["findings"]}
    assert result["verdicts"]["memory"] == "pass"


@pytest.mark.rest
def test_the_same_is_offered_and_written_in_a_notebooks_cell(trainlint) -> None:
    source = ["%%bash\n", 'echo "to\tday"\n', COMMAND]
    notebook = {"cells": [{"cell_type": "code", "metadata": {}, "source": source}], "metadata": {}}
    trainlint.write("run.ipynb", json.dumps(notebook, indent=1))
    (result,) = trainlint.json("run.ipynb", "-t", "rtx-5090")["results"]
    (fix,) = next(one["fixes"] for one in result["findings"] if one["rule"] == "vram-budget")
    assert fix["summary"].startswith("image_size: 1024 -> ")
    assert fix["summary"].endswith(" to 20.62 GiB, 21,087 less; 160 would be tight)")
    trainlint("run.ipynb", "-t", "rtx-5090", "--fix", "--unsafe-fixes")
    (cell,) = json.loads((trainlint.folder / "run.ipynb").read_text("utf-8"))["cells"]
    assert cell["source"][:2] == source[:2]
    assert cell["source"][2] == COMMAND.replace("1024", fix["edits"][0]["text"])


def test_a_batch_far_above_the_largest_is_cut_to_the_largest_that_is_not_tight(trainlint) -> None:
    """Hundreds of batches that fit are tight: they are not tried one after the other."""
    text = (EXAMPLES / "msrresnet_x4.yml").read_text("utf-8")

    def found(batch: int) -> dict:
        trainlint.write("job.yml", text.replace("batch_size_per_gpu: 16", f"batch_size_per_gpu: {batch}"))
        (result,) = trainlint.json("job.yml", "-t", "rtx-3060", "--no-trace")["results"]
        return {finding["rule"]: finding for finding in result["findings"]}

    (fix,) = found(4096)["vram-budget"]["fixes"]
    (edit,) = fix["edits"]
    assert "vram-tight" not in found(int(edit["text"]))
    assert "vram-tight" in found(int(edit["text"]) + 1)
