# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Run a command of this package: `python -m bench NAME ARGS...`; without a name, list them."""

from __future__ import annotations

import sys
from importlib import import_module

from bench.commands import COMMANDS, summary


def main(words: list[str]) -> int:
    """Return the command's exit status; 2 for a name that is none."""
    if not words or words[0] in ("-h", "--help"):
        width = max(map(len, COMMANDS))
        print("python -m bench NAME ARGS...; NAME --help says more\n")
        print("\n".join(f"{name:{width}}  {summary(name)}" for name in COMMANDS))
        return 0
    name, *rest = words
    if name not in COMMANDS:
        print(f"python -m bench: no command {name!r}; it is one of {', '.join(COMMANDS)}", file=sys.stderr)
        return 2
    sys.argv = [f"python -m bench {name}", *rest]
    return import_module(f"bench.{COMMANDS[name]}").main() or 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
