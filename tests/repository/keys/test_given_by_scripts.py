# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Keys that a script gives next to an option file."""

from __future__ import annotations

import pytest

from trainlint.repository.keys.given_by_scripts import given_by_script


@pytest.mark.parametrize(
    ("script", "place"),
    [
        ("train configs/own.yaml model=a/b", "jobs/own.sh:1"),
        ("train own.yaml \\\n    --model a/b", "jobs/own.sh:2"),
        ("train own.yaml --base_model a/b", None),
        ("train --model a/b other.yaml", None),
        ("train model=a own.yaml", None),
    ],
)
def test_what_comes_after_the_file_completes_it(tmp_path, script, place):
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs/own.sh").write_text(f"{script}\n", "utf-8")
    assert given_by_script(tmp_path, "configs/own.yaml", "model") == place
