# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Many .gitignore files in one another are bounded together."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from trainlint.documents.gitignore import Ignored
from trainlint.errors import UsageError


@pytest.mark.slow
def test_a_chain_of_large_files_is_refused(tmp_path: Path) -> None:
    text = "\n".join(f"a{number}*b*c?d[e-g]*x" for number in range(9_000))
    begun = time.process_time()

    def down(folder: Path, ignored: Ignored) -> None:
        for number in range(40):
            (folder / ".gitignore").write_text(text, "utf-8")
            ignored = ignored.within(folder)
            folder /= f"d{number}"
            folder.mkdir()

    with pytest.raises(UsageError, match="too many to match every file with"):
        down(tmp_path, Ignored())
    assert time.process_time() - begun < 10
