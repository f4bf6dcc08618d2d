# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A database of images that --data made up is its folder; any other one is lmdb's own."""

from __future__ import annotations

import os
import sys
from types import ModuleType

import pytest

from trainlint.trace.dry_run.arrivals import Arrivals
from trainlint.trace.dry_run.samples.made_up_databases import MadeUpDatabases


@pytest.fixture
def lmdb(tmp_path, monkeypatch):
    """Return a module in lmdb's place that answers with what it is asked for."""
    module = ModuleType("lmdb")
    module.open = lambda path, **options: (path, options)
    monkeypatch.setitem(sys.modules, "lmdb", module)
    (tmp_path / "made_up_00000.png").write_bytes(b"picture")
    MadeUpDatabases([os.path.realpath(tmp_path)]).watch(Arrivals())
    return module


def test_keys_are_the_names_of_its_files(lmdb, tmp_path):
    with lmdb.open(str(tmp_path), readonly=True, lock=False).begin(write=False) as reading:
        assert reading.get(b"made_up_00000") == b"picture"
        assert reading.get(b"0001") is None


def test_a_database_that_is_there_is_read_by_lmdb(lmdb, tmp_path):
    assert lmdb.open("other.lmdb", readonly=True) == ("other.lmdb", {"readonly": True})
