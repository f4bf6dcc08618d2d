# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where not even one sample fits, the finding says with which crop the batch does."""

from __future__ import annotations

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
