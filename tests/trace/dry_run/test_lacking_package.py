# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which imports fail for want of a package, and which by the program's own fault."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

from trainlint.trace.dry_run.lacking_package import lacking_package

pytestmark = pytest.mark.quick

WITHOUT_NAME = """
import collections
try:
    collections.Mapping
except AttributeError as error:
    raise ModuleNotFoundError("Could not import module 'set_seed'") from error
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Return a project with a package on Python's path, and another off it."""
    for name in (".git", "nets", "src/losses", "tools"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "nets" / "__init__.py").touch()
    (tmp_path / "src" / "losses" / "__init__.py").touch()
    monkeypatch.chdir(tmp_path / "tools")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "nets", raising=False)
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "tools" / "train.py")])
    return tmp_path


def failed(code: str):
    try:
        exec(code, {})  # noqa: S102 - the program of a test
    except Exception as error:  # noqa: BLE001 - whatever it raises
        return lacking_package(error)
    return "no error"


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import nosuchpackage.part", {"name": "nosuchpackage", "has": None, "below": None}),
        ("import losses", {"name": "losses", "has": None, "below": str(Path("..", "src"))}),
        ("import nets.missing", None),
        ("from nets import missing", None),
        ("{}['net_g']", None),
        ("try:\n  import nosuch\nexcept ImportError as e:\n  raise RuntimeError('no') from e", "nosuch"),
        ("try:\n  import nosuch\nexcept ImportError:\n  raise SystemError('install nosuch')", "nosuch"),
        ("try:\n  import nosuch\nexcept ImportError:\n  {}['net_g']", None),
        (
            "try:\n  import nosuch\nexcept ImportError as e:\n  raise ImportError('no import') from e",
            "nosuch",
        ),
        ("raise ImportError('Using this needs Apex: pip install apex')", ""),
        ("raise ImportError('this network was removed')", None),
    ],
)
def test_a_package_of_the_environment_is_told_from_the_programs_own(code, found, project):
    lacks = failed(code)
    assert (lacks["name"] if isinstance(found, str) and lacks else lacks) == found


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("import msgspec.json; msgspec.json.nosuchname", "msgspec.json"),
        ("import collections; collections.Mapping", "collections"),
        ("from collections import Mapping", "collections"),
        (WITHOUT_NAME, "collections"),
        ("import nets; nets.nosuchname", None),
        ("(3).nosuchname", None),
        ("raise AttributeError(\"module 'nosuch' has no attribute 'x'\")", None),
    ],
)
def test_a_name_that_a_package_of_another_version_may_have(code, name, project):
    lacks = failed(code)
    assert (lacks and lacks["name"]) == name


def test_an_installed_package_that_lacks_a_module_is_named_with_its_version(project):
    lacks = failed("import msgspec.nosuchpart")
    assert lacks["name"] == "msgspec.nosuchpart"
    assert lacks["has"]


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("json.dumps(1, colour=2)", "json"),
        ("json.dumps(1, 2)", "json"),
        ("json.JSONDecoder(\n    colour=2,\n)", "json.decoder"),
        ("decoder.decode()", "json.decoder"),
        ("json.dumps(1, **{'colour': 2})", None),
        ("json.dumps(*[1, 2])", None),
        ("own(colour=2)", None),
        ("own(json.dumps(1), colour=2)", None),
        ("calls(own, colour=2)", None),
        ("print(1 + 'a')", None),
    ],
)
def test_a_call_that_a_package_of_another_version_may_take(call, name, project, monkeypatch):
    (project / "tools" / "train.py").write_text(
        "import json\ndef own(given=None): pass\ndef calls(then, colour): own(colour=colour)\n"
        f"decoder = json.JSONDecoder()\n{call}\n"
    )
    lacks = None
    try:
        runpy.run_path(str(project / "tools" / "train.py"))
    except TypeError as error:
        lacks = lacking_package(error)
    assert (lacks and lacks["name"]) == name
    assert lacks is None or lacks["refuses"]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("stft requires the return_complex parameter be given", "old"),
        ("gels was deprecated since version 1.9 and is now removed.", "old"),
        ("the sizes 3 and 4 do not match", None),
    ],
)
def test_what_a_package_no_longer_does_another_version_may_do(words, name, project, monkeypatch):
    installed = project / "site-packages"
    installed.mkdir()
    (installed / "old.py").write_text("def call(words): raise RuntimeError(words)\n")
    monkeypatch.syspath_prepend(str(installed))
    train = project / "tools" / "train.py"
    for raising, expected in (
        (f"import old; old.call({words!r})", name),
        (f"raise RuntimeError({words!r})", None),
    ):
        train.write_text(raising)
        with pytest.raises(RuntimeError) as caught:
            runpy.run_path(str(train))
        lacks = lacking_package(caught.value)
        assert (lacks and lacks["name"]) == expected


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("assert msgspec.__version__.split('.')[0] == '99'", "msgspec"),
        ("if msgspec.__version__ < '99':\n    raise RuntimeError('too old')", "msgspec"),
        ("if msgspec.__version__ < '99':\n    own()", None),
        ("assert nets.__version__ == '2'", None),
        ("assert msgspec.__name__ == '99'", None),
    ],
)
def test_a_version_that_the_program_asks_for_is_the_environments(code, name, project):
    train = project / "tools" / "train.py"
    train.write_text(f"import msgspec, nets\nnets.__version__ = '1'\ndef own(): raise RuntimeError\n{code}\n")
    with pytest.raises((AssertionError, RuntimeError)) as caught:
        runpy.run_path(str(train))
    lacks = lacking_package(caught.value)
    assert (lacks and lacks["name"]) == name
