# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Search paths as the user set them, for a dry run's program: the command drops what is relative of its own.

Imported before the path of modules is clean: of the standard library os alone.
"""

import os

_GIVEN = "TRAINLINT_GIVEN_"


def remember(name: str) -> None:
    """Remember a variable's text, for a process that takes this one's place too."""
    os.environ[_GIVEN + name] = os.environ[name]


def as_given(environment: dict[str, str]) -> dict[str, str]:
    """Return an environment in which the variables have the texts that were remembered."""
    given = {name.removeprefix(_GIVEN): text for name, text in environment.items() if name.startswith(_GIVEN)}
    return {name: text for name, text in (environment | given).items() if not name.startswith(_GIVEN)}
