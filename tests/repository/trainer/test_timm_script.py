# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A train.py around a command is timm's where its functions are, whatever its comments say."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainlint.model.trainer import Trainer
from trainlint.repository.trainer import timm_script
from trainlint.repository.trainer.trainer_source import source_in

LOOP = """\
import timm

def main():
    model = timm.create_model("resnet50")

    train_one_epoch(model)


def train_one_epoch(model):
    # one batch after the other
    model().backward()

if __name__ == "__main__":
    main()
"""


def own(folder: Path, script: str) -> str | None:
    path = folder / "train.py"
    path.write_text(script, "utf-8")
    trainer = Trainer("timm", path=str(path), source=source_in(folder, path, None), root=folder)
    return timm_script.own_training(trainer, "resnet50")


def test_comments_and_blank_lines_are_no_code():
    one = [digest for _, _, digest in timm_script.functions(LOOP)]
    two = [
        digest
        for _, _, digest in timm_script.functions(LOOP.replace("    # one batch after the other\n", "\n\n"))
    ]
    assert one == two
    assert [(name, line) for name, line, _ in timm_script.functions(LOOP)] == [
        ("main", 3),
        ("train_one_epoch", 9),
    ]


def test_what_timm_published_is_timms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert own(tmp_path, LOOP) == "its own main (train.py:3) is not timm's: trainlint dry-run runs it"
    digests = frozenset(digest for _, _, digest in timm_script.functions(LOOP))
    monkeypatch.setattr(timm_script, "published", lambda: digests)
    assert own(tmp_path, LOOP) is None
    twice = LOOP.replace("model().backward()", "(model() + teacher()).backward()")
    assert (
        own(tmp_path, twice)
        == "its own train_one_epoch (train.py:9) is not timm's: trainlint dry-run runs it"
    )


def test_the_table_has_what_timms_versions_run():
    assert len(timm_script.published()) > 200


def test_a_model_of_the_repositorys_own_is_not_timms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        timm_script, "published", lambda: {digest for _, _, digest in timm_script.functions(LOOP)}
    )
    (tmp_path / "nets.py").write_text(
        "@register_model\ndef resnet50(**kwargs):\n    return Wide()\n", "utf-8"
    )
    assert own(tmp_path, LOOP) == 'the model "resnet50" is the repository\'s own: trainlint dry-run runs it'
