# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`python -m bench`: every command is listed with what it is for, and starts."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from bench.__main__ import main
from bench.commands import COMMANDS, documentation

BENCH = Path(__file__).resolve().parents[2] / "bench"
MODULES = {
    ".".join(path.relative_to(BENCH).with_suffix("").parts): ast.parse(path.read_text(encoding="utf-8"))
    for path in BENCH.glob("*/*.py")
}


def test_what_has_a_main_is_a_command_and_nothing_else():
    mains = {
        name
        for name, tree in MODULES.items()
        if any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in tree.body)
    }
    assert set(COMMANDS.values()) == mains
    assert len(set(COMMANDS.values())) == len(COMMANDS)


def test_every_module_says_what_it_is_for():
    assert [name for name, tree in MODULES.items() if not ast.get_docstring(tree)] == []


def test_the_list_has_a_line_for_each_command(capsys):
    assert main([]) == 0
    lines = capsys.readouterr().out.splitlines()[2:]
    assert [line.split()[0] for line in lines] == list(COMMANDS)
    assert all(
        documentation(name).splitlines()[0] in line for name, line in zip(COMMANDS, lines, strict=True)
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_help_works(name, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", [])
    pytest.importorskip("torch")
    try:
        status = main([name, "--help"])
    except SystemExit as end:
        status = end.code
    assert status == 0
    said = capsys.readouterr().out
    assert documentation(name).splitlines()[0] in said
    assert f"python -m bench {name}" in said


def test_a_name_that_is_none_and_a_package_that_is_missing_are_said(capsys, monkeypatch):
    assert main(["profile"]) == 2
    assert "no command 'profile'" in capsys.readouterr().err
    monkeypatch.setattr("sys.argv", [])
    monkeypatch.setitem(COMMANDS, "sweep", "gone.sweep")
    with pytest.raises(ModuleNotFoundError, match=r"bench\.gone"):
        main(["sweep"])


def test_a_file_that_is_not_there_is_one_line(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("sys.argv", [])
    assert main(["fails", "present", str(tmp_path / "gone.csv"), str(tmp_path / "gone.csv")]) == 2
    said = capsys.readouterr().err
    assert said.startswith("python -m bench fails: ")
    assert "gone.csv" in said
