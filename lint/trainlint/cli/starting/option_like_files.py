# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Files whose names look like options: a shell's `*` and a hook hand them over as they are."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def refuse_named_files(words: Sequence[str]) -> None:
    """End with exit code 2 where an option is the name of a file that is there."""
    for word in words:
        if word == "--":
            return
        if word.startswith("-") and word != "-" and os.path.lexists(word):
            sys.stderr.write(
                f"trainlint: {word!a} is an option, and a file of that name is here: "
                f'to lint the file put "--" in front of the files, for the option rename the file\n'
            )
            sys.exit(2)
