# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The examples: what the README invites to try is judged without torch."""

from __future__ import annotations

import pytest

from tests.warm_cache import warm
from trainlint.api import check
from trainlint.model.verdict import Verdict
from trainlint.shipped.resource_paths import resource

FOLDER = resource("rules").parent / "examples"
UNKNOWN = ("own_network.yml", "typos.yml", "trl_lora.sh")
"""Examples of what has no memory of its own: a network of one's own, keys that are wrong, and a command that
only names a file, which is judged there."""


@pytest.mark.rest
@pytest.mark.skipif(not FOLDER.is_dir(), reason="the examples are in a checkout alone")
def test_the_memory_of_every_example_is_judged_without_torch(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(warm(tmp_path)))
    files = [*sorted(FOLDER.glob("*.yml")), *sorted((FOLDER / "trainers").iterdir())]
    files = [file for file in files if file.name not in UNKNOWN]
    results = check(files, targets=["rtx-4090"], trace=False).results
    unjudged = {
        result.path: [skip.reason for skip in result.skips]
        for result in results
        if result.verdicts.get("memory", Verdict.NOT_JUDGED) is Verdict.NOT_JUDGED
    }
    assert not unjudged
    assert len({result.path for result in results}) == len(files)
