# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""NOTICE lists under each upstream the files whose headers name its copyright holder, and no others."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from trainlint.catalogue.zoo.packages import Package
from trainlint.shipped.resource_paths import PACKAGE

ROOT = PACKAGE.parents[1]
# REUSE-IgnoreStart
HEADER = """\
# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-FileCopyrightText: {holder}
# SPDX-License-Identifier: MIT AND {license}

\"\"\"A network.

Source: {repository} 038cc445, archs/net.py.
\"\"\"
"""
# REUSE-IgnoreEnd
BEFORE = """\
ours

https://github.com/one/first
    2020 One; Apache-2.0
    old/networks/gone

https://github.com/two/second
    2021 Two; MIT
    old/networks/gone

The page holds a copy.
"""
AFTER = """\
ours

https://github.com/one/first
    2020 One; Apache-2.0
    a/networks/first, b/networks/second

https://github.com/three/third
    2022 Three; BSD-3-Clause
    a/networks/third

The page holds a copy.
"""

pytestmark = pytest.mark.skipif(not (ROOT / "NOTICE").exists(), reason="a wheel has no NOTICE at its root")


@pytest.fixture
def notice(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import notice  # noqa: PLC0415 - docs/ is no package

    yield notice
    for name in ("notice", "sources"):
        sys.modules.pop(name)


def test_notice_and_headers_name_the_same_files(notice) -> None:
    assert len(notice.files_by_holder()) > 20
    text = (ROOT / "NOTICE").read_text(encoding="utf-8")
    assert notice.notice(text) == text, "python docs/generate.py writes it"


def test_an_upstream_is_added_and_one_without_files_goes(notice, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(notice, "own", lambda: Package("made_zoo", tmp_path))
    for place, holder, license_, repository in (
        ("a/networks/first.py", "2020 One", "Apache-2.0", "one/first"),
        ("b/networks/second.py", "2020 One", "Apache-2.0", "one/first"),
        ("a/networks/third.py", "2022 Three", "BSD-3-Clause", "three/third"),
    ):
        file = tmp_path / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(HEADER.format(holder=holder, license=license_, repository=repository), "utf-8")
    assert notice.notice(BEFORE) == AFTER
