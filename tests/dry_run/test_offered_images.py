# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Images are offered for what they may stand for, and for no other file."""

from __future__ import annotations

import pytest

from trainlint.dry_run.judging.offered_images import offered_images
from trainlint.dry_run.rehearsing.run_record import Died
from trainlint.dry_run.starting.typed_command import program_of

NAMED = ", or --data images:512x512:100:{}"
SOMEWHERE = ", or let --data make images up"


def offered(path, *, opened=False, words=(), missing=True):
    message = f"[Errno 2] No such file or directory: '{path}'"
    died = Died("FileNotFoundError", message, (), False, "", missing=path if missing else "", opened=opened)
    return offered_images(died, program_of(["python", "train.py", *words]))


@pytest.mark.parametrize("missing", [True, False])
@pytest.mark.parametrize("path", ["data/train", "faces", "../DIV2K_v1.0", "data/train_HR.lmdb"])
def test_a_folder_gets_images(path, missing, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert offered(path, missing=missing) == NAMED.format(path)


@pytest.mark.parametrize(
    "path", ["../data/cora/cora.content", "kernels/pca.mat", "a/train.jsonl", "wavs/LJ001.wav", "d/img.png"]
)
def test_a_file_that_nothing_points_at_gets_none(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert not offered(path)
    assert not offered(path, missing=False)


def test_what_is_opened_is_no_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert not offered("data/enwik8", opened=True)


def test_a_file_in_a_folder_that_a_flag_names_may_be_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert offered("photos/one.png", words=("--dataroot", "photos")) == SOMEWHERE
    assert offered("names.txt", words=("--meta_info", "names.txt")) == SOMEWHERE
    assert not offered("other/one.png", words=("--dataroot", "photos"))
