# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Run a command of this package: `python -m bench NAME ARGS...`; without a name, list them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module

from bench.commands import COMMANDS, documentation
from trainlint.errors import TrainlintError


def main(words: list[str]) -> int:
    """Return the command's exit status; 2 for a name that is none, or an input that cannot be used."""
    if not words or words[0] in ("-h", "--help"):
        width = max(map(len, COMMANDS))
        print("python -m bench NAME ARGS...; NAME --help says more\n")
        print("\n".join(f"{name:{width}}  {documentation(name).splitlines()[0]}" for name in COMMANDS))
        return 0
    name, *rest = words
    if name not in COMMANDS:
        print(f"python -m bench: no command {name!r}; it is one of {', '.join(COMMANDS)}", file=sys.stderr)
        return 2
    sys.argv = [f"python -m bench {name}", *rest]
    try:
        command = import_module(f"bench.{COMMANDS[name]}")
    except ModuleNotFoundError as error:
        if is_ours(error.name):
            raise
        if {"-h", "--help"} & {
            *rest
        }:  # its options are not known without the package: what it says of itself
            print(documentation(name))
            return 0
        print(f"python -m bench {name}: needs {error.name}, which is not installed here", file=sys.stderr)
        return 2
    return status_of(name, command.main)


def status_of(name: str, run: Callable[[], int | None]) -> int:
    """Run a command; what is wrong with its inputs is said in one line."""
    try:
        status = run()
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read has enough, `head` for one; Python's last flush would say so again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (TrainlintError, FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
        print(f"python -m bench {name}: {error}", file=sys.stderr)
        return 2
    return status or 0


def is_ours(module: str | None) -> bool:
    """Say whether a module that was not found is one of this repository's."""
    return str(module).partition(".")[0] in ("bench", "trainlint", "trainlint_zoo")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
