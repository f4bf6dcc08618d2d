# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Shell completion, as the shells ask for it."""

from __future__ import annotations

import pytest
from click import Context

from trainlint.cli.main import COMMANDS, main


@pytest.mark.parametrize(
    ("words", "count", "offered"),
    [
        ("trainlint fi", 1, "plain,fit"),
        ("trainlint check --form", 2, "plain,--format"),
        ("trainlint check --format sa", 3, "plain,sarif"),
        ("trainlint diff --format m", 3, "plain,markdown"),
        ("trainlint check -t kagg", 3, "plain,kaggle-t4x2"),
        ("trainlint fit --target lo", 3, "plain,local"),
        ("trainlint check --select vram-b", 3, "plain,vram-budget"),
        ("trainlint rule vram-b", 2, "plain,vram-budget"),
        ("trainlint schema sett", 2, "plain,settings"),
    ],
)
def test_bash_is_offered_what_goes_there(trainlint, words, count, offered) -> None:
    trainlint.env |= {"_TRAINLINT_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(count)}
    assert offered in trainlint().stdout.splitlines()


def test_subcommands_are_offered_without_importing_any(monkeypatch) -> None:
    monkeypatch.setattr("trainlint.cli.main.import_module", None)
    offered = main.shell_complete(Context(main), "d")
    assert [one.value for one in offered] == ["diff", "dry-run", "dialects"]
    assert all(one.help == COMMANDS[one.value][1] for one in offered)


def test_broken_settings_offer_nothing_and_show_no_error(trainlint) -> None:
    trainlint.write("trainlint.toml", "target = [")
    trainlint.env |= {
        "_TRAINLINT_COMPLETE": "bash_complete",
        "COMP_WORDS": "trainlint -t kagg",
        "COMP_CWORD": "2",
    }
    done = trainlint()
    assert (done.stdout.strip(), done.stderr) == ("", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_script(trainlint, shell) -> None:
    trainlint.env["_TRAINLINT_COMPLETE"] = f"{shell}_source"
    done = trainlint()
    assert done.returncode == 0
    assert "_TRAINLINT_COMPLETE" in done.stdout
