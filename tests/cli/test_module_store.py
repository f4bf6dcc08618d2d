# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Modules come from the store only where Python itself would take what is compiled."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from trainlint.resources import PACKAGE

SCRIPT = """
import sys
from trainlint import module_store
module_store.use()
import trainlint.known, trainlint.inner.deep
for module in (trainlint.known, trainlint.inner, trainlint.inner.deep):
    print(type(module.__loader__).__name__, module.VALUE, module.__file__, module.__cached__)
"""


class Tree:
    """A package of trainlint's name with the store and a few modules, in a folder of its own."""

    def __init__(self, folder):
        self.folder, self.package = folder, folder / "trainlint"
        (self.package / "inner").mkdir(parents=True)
        shutil.copy(PACKAGE / "module_store.py", self.package)
        (self.package / "__init__.py").write_text("")
        for name in ("known.py", "inner/__init__.py", "inner/deep.py"):
            (self.package / name).write_text("VALUE = 1\n")

    @property
    def store(self):
        return next((self.package / "__pycache__").glob("modules.*"), None)

    def run(self, *options, path=None, **environment):
        """Import in a process of its own; return how each module was loaded, its value and its places."""
        unset = {"PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"}
        kept = {name: value for name, value in os.environ.items() if name not in unset}
        done = subprocess.run(
            [sys.executable, *options, "-c", SCRIPT], capture_output=True, text=True, check=True,
            env={**kept, "PYTHONPATH": str(path or self.folder), **environment},
        )  # fmt: skip
        return [line.split() for line in done.stdout.splitlines()]

    def loaders(self, *options, **environment):
        return [line[0] for line in self.run(*options, **environment)]


PYTHON, STORED = ["SourceFileLoader"] * 3, ["Stored"] * 3


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path / "a")


@pytest.fixture
def kept(tree):
    assert tree.loaders() == PYTHON
    return tree


def test_the_second_run_finds_the_same_modules_in_the_store(tree):
    first, second = tree.run(), tree.run()
    assert [line[0] for line in second] == STORED
    assert [line[1:] for line in second] == [line[1:] for line in first]


def test_a_changed_source_is_read_whatever_its_size_and_kept_again(kept):
    source = kept.package / "known.py"
    before = source.stat()
    source.write_text("VALUE = 2\n")
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns + 2_000_000_000))
    found = kept.run()
    assert [line[:2] for line in found] == [["SourceFileLoader", "2"], ["Stored", "1"], ["Stored", "1"]]
    assert [line[:2] for line in kept.run()] == [["Stored", "2"], ["Stored", "1"], ["Stored", "1"]]


def test_a_module_that_became_a_package_is_found(kept):
    (kept.package / "known.py").unlink()
    (kept.package / "known").mkdir()
    (kept.package / "known" / "__init__.py").write_text("VALUE = 3\n")
    assert kept.run()[0][:2] == ["SourceFileLoader", "3"]
    assert kept.run()[0][:2] == ["Stored", "3"]


def test_a_package_that_was_moved_is_not_taken_for_the_one_before(kept):
    moved = kept.folder.rename(kept.folder.parent / "b")
    found = kept.run(path=moved)
    assert [line[0] for line in found] == PYTHON
    assert all(str(moved) in line[2] for line in found)


@pytest.mark.parametrize("content", [b"", b"no store", b"cut", b"code"])
def test_a_damaged_store_is_left_to_python(kept, content):
    whole = kept.store.read_bytes()
    damaged = {b"cut": whole[: len(whole) // 2], b"code": whole[:-40] + b"\0" * 40}
    kept.store.write_bytes(damaged.get(content, content))
    assert [line[1] for line in kept.run()] == ["1"] * 3


def test_nothing_is_written_where_python_writes_nothing(tree):
    assert tree.loaders(PYTHONDONTWRITEBYTECODE="1") == PYTHON
    assert tree.store is None


def test_optimized_code_has_a_store_of_its_own(kept):
    assert kept.loaders("-O") == PYTHON
    assert kept.loaders("-O") == STORED
    assert len([*(kept.package / "__pycache__").glob("modules.*")]) == 2


def test_compiled_files_that_lie_elsewhere_have_the_store_with_them(tree, tmp_path):
    prefix = str(tmp_path / "elsewhere")
    assert tree.loaders(PYTHONPYCACHEPREFIX=prefix) == PYTHON
    assert tree.loaders(PYTHONPYCACHEPREFIX=prefix) == STORED
    assert not (tree.package / "__pycache__").exists()


def test_files_compiled_by_their_sources_digest_are_left_to_python(tree):
    compiling = ["-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", str(tree.package)]
    subprocess.run([sys.executable, *compiling], check=True)
    assert tree.loaders() == PYTHON
    assert tree.store is None


def test_a_folder_that_cannot_be_written_is_left_as_it_is(tree):
    (tree.package / "__pycache__").write_text("")  # root may write anywhere else
    assert tree.loaders() == tree.loaders() == PYTHON


def test_an_archive_is_read_by_python(tree):
    archive = shutil.make_archive(str(tree.folder), "zip", tree.folder)
    assert [line[:2] for line in tree.run(path=archive)] == [["zipimporter", "1"]] * 3


def test_writers_at_the_same_time_leave_a_whole_store(tree):
    environment = {**os.environ, "PYTHONPATH": str(tree.folder)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    at_once = [subprocess.Popen([sys.executable, "-c", SCRIPT], env=environment) for _ in range(4)]
    assert [one.wait() for one in at_once] == [0] * 4
    assert tree.loaders() in (STORED, PYTHON)  # the last of them may have found files half compiled
    assert tree.loaders() == STORED
    assert len([*(tree.package / "__pycache__").glob("modules.*")]) == 1
