# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which terminals know hyperlinks, and which 256 colours: none of them can be asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from trainlint.expressions.patterns import later

PROGRAMS: Final = frozenset({"Hyper", "Tabby", "WezTerm", "ghostty", "iTerm.app", "vscode"})
"""Values of TERM_PROGRAM."""
VARIABLES: Final = ("DOMTERM", "KITTY_WINDOW_ID", "KONSOLE_VERSION", "WT_SESSION")
KINDS: Final = ("alacritty", "foot", "wezterm", "xterm-ghostty", "xterm-kitty")
"""How TERM begins."""
TMUX: Final = (3, 4)
VTE: Final = 5000
"""Since when tmux, and VTE under GNOME Terminal and others, know them. All after the list at
https://github.com/Alhadis/OSC8-Adoption."""

_VERSION: Final = later(r"(\d+)\.(\d+)")


def knows_links(environment: Mapping[str, str]) -> bool:
    """Return whether hyperlinks (OSC 8) are drawn as such; elsewhere their codes might be shown."""
    kind, program = environment.get("TERM", ""), environment.get("TERM_PROGRAM")
    if "CI" in environment or kind.startswith("linux"):
        return False
    if program == "tmux" or "TMUX" in environment:
        version = _VERSION.match(environment.get("TERM_PROGRAM_VERSION", ""))
        return program == "tmux" and version is not None and (int(version[1]), int(version[2])) >= TMUX
    vte = environment.get("VTE_VERSION", "")
    newer = vte.isdigit() and int(vte) >= VTE
    return (
        newer
        or program in PROGRAMS
        or kind.startswith(KINDS)
        or any(map(environment.__contains__, VARIABLES))
    )


def knows_shades(environment: Mapping[str, str]) -> bool:
    """Return whether xterm's 256 colours are drawn: by TERM, or a variable that only such terminals set."""
    kind = environment.get("TERM", "")
    return (
        "256color" in kind
        or kind.startswith(KINDS)
        or any(map(environment.__contains__, ("COLORTERM", *VARIABLES)))
    )
