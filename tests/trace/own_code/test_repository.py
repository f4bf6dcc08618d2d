# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Files of a repository, imported in the process that may run them."""

from __future__ import annotations

import sys

import pytest

pytest.importorskip("torch")

from trainlint.errors import CannotTraceError
from trainlint.trace.own_code.repository import Repository

LIBRARY = "try:\n    import wandb\nexcept ImportError:\n    wandb = None\n"
LOGS = "import wandb\n\nwandb.login\nWIDTH = 3\n\n\ndef log():\n    wandb.init()\n"


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """Lay a repository whose file keeps logs, next to a package for that which cannot be imported here."""
    installed = tmp_path / "installed"
    installed.mkdir()
    (installed / "a_library.py").write_text(LIBRARY, "utf-8")
    (installed / "wandb.py").write_text("raise PermissionError('makes a folder')\n", "utf-8")
    monkeypatch.syspath_prepend(str(installed))
    root = tmp_path / "repository"
    root.mkdir()
    (root / "kept_in_logs.py").write_text(LOGS, "utf-8")
    (root / "uses_a_library.py").write_text("from a_library import wandb\n", "utf-8")
    monkeypatch.delitem(sys.modules, "wandb", raising=False)
    yield Repository(root)
    for name in ("kept_in_logs", "wandb", "uses_a_library", "a_library"):
        sys.modules.pop(name, None)


def test_a_package_that_keeps_logs_is_stood_in_for_though_it_is_installed(repository):
    with repository.open(["kept_in_logs.py"]):
        module = repository.import_file("kept_in_logs.py")
        assert (module.WIDTH, repository.stubs.failed) == (3, {})
        with pytest.raises(CannotTraceError, match=r'"wandb\.init" is called'):
            module.log()


def test_to_a_library_it_is_not_installed(repository):
    with repository.open(["uses_a_library.py"]):
        assert repository.import_file("uses_a_library.py").wandb is None
        assert repository.stubs.failed == {}


ANNOTATED = """\
from torch.utils.tensorboard.writer import SummaryWriter
from elsewhere import Kept


def log(writer: SummaryWriter | None, kept: "dict[str, int]" | Kept[int], *, new: bool = False):
    return SummaryWriter() if new else WIDTH


WIDTH = 3
"""


def test_a_logger_of_torch_is_stood_in_for_and_annotations_may_name_one(repository):
    """torch.utils.tensorboard imports tensorboard, which need not be installed."""
    (repository.root / "kept_in_logs.py").write_text(ANNOTATED, "utf-8")
    with repository.open(["kept_in_logs.py"]):
        module = repository.import_file("kept_in_logs.py")
        assert (module.log(None, {}), repository.stubs.failed) == (3, {})
        with pytest.raises(CannotTraceError, match=r"SummaryWriter\" is called"):
            module.log(None, {}, new=True)
