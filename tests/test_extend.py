# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The module that other packages import from: every name is there, and imported when it is asked for."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys

import pytest

from trainlint import extend
from trainlint.extend import HOMES

TORCH = {name for name, home in HOMES.items() if home.startswith("trace.")}


@pytest.mark.parametrize("name", sorted(HOMES))
def test_a_name_is_what_its_module_has(name):
    if name in TORCH:
        pytest.importorskip("torch")
    assert getattr(extend, name) is not None


def test_type_checkers_see_the_same_names():
    checked = next(node for node in ast.parse(inspect.getsource(extend)).body if isinstance(node, ast.If))
    told = {each.name: node.module for node in checked.body for each in node.names}
    assert told == {name: f"trainlint.{home}" for name, home in HOMES.items()}
    assert dir(extend) == sorted(HOMES) == sorted(extend.__all__)


def test_any_other_name_is_refused_with_those_that_there_are():
    with pytest.raises(ImportError, match="cannot import name 'Netwrok'"):
        exec("from trainlint.extend import Netwrok")  # noqa: S102 - as a package would write it
    with pytest.raises(AttributeError, match="it has CannotTraceError, Finding"):
        _ = extend.Netwrok


def test_a_format_needs_no_torch_and_a_network_no_format():
    for name, absent in (("Format", "torch"), ("Positive", "trainlint.report")):
        code = f"import sys; from trainlint.extend import {name}; print({absent!r} in sys.modules)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout == "False\n"
