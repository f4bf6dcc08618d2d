# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The version has one place, and the pages that name it name that one."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import trainlint

ROOT = Path(__file__).resolve().parents[1]
NAMED = re.compile(r"(?:rev: |trainlint/trainlint@)v([\w.]+)")
PAGES = ("README.md", "docs/ci.md", "docs/notebooks.md", "docs/github/workflow.yml", ".pre-commit-hooks.yaml")


def test_the_package_takes_it_from_the_code() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["hatch"]["version"]["path"] == "lint/trainlint/__init__.py"


@pytest.mark.parametrize("page", PAGES)
def test_pages_name_this_version(page) -> None:
    assert set(NAMED.findall((ROOT / page).read_text("utf-8"))) == {trainlint.__version__}


def test_the_changelog_begins_with_it() -> None:
    first = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert first is not None
    assert first[1] == trainlint.__version__
