# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""NOTICE lists under each upstream the files whose headers name its copyright holder, and no others."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from trainlint.shipped.resource_paths import PACKAGE

ROOT = PACKAGE.parents[1]
ZOO = PACKAGE.parent / "trainlint_zoo"
HOLDER = re.compile(r"^# SPDX-FileCopyrightText: (?!2026 The trainlint authors)(.+)$", re.MULTILINE)


def in_headers() -> dict[str, set[str]]:
    found = defaultdict(set)
    for path in ZOO.rglob("*.py"):
        for holder in HOLDER.findall(path.read_text(encoding="utf-8")):
            found[holder].add(path.relative_to(ZOO).with_suffix("").as_posix())
    return found


def in_notice() -> dict[str, set[str]]:
    found = defaultdict(set)
    for entry in (ROOT / "NOTICE").read_text(encoding="utf-8").split("\n\n"):
        if entry.startswith("https://"):
            _, holder, *files = entry.splitlines()
            found[holder.strip().rpartition(";")[0]] |= set(re.split(r",\s*", " ".join(files).strip()))
    return found


@pytest.mark.skipif(not Path(ROOT / "NOTICE").exists(), reason="a wheel has no NOTICE at its root")
def test_notice_and_headers_name_the_same_files():
    headers, notice = in_headers(), in_notice()
    assert len(headers) > 20
    assert {holder: sorted(files) for holder, files in notice.items()} == {
        holder: sorted(files) for holder, files in headers.items()
    }
