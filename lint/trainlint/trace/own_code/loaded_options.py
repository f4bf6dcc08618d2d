# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Options that a trainer's script keeps for all of its code, before it makes a model.

traiNNer-redux's train.py (6a158af4 and later) has `Config.load_config_from_file` keep them in the class,
where its random numbers ask for the seed.
"""

from __future__ import annotations

import sys
from typing import Any, Final

CONFIG_ATTRIBUTE: Final = "_config"
"""The attribute of Config that holds them."""


def load(package: str, options: Any) -> None:
    """Keep options where the code of a package, once it is imported, asks for them."""
    config: Any = getattr(sys.modules.get(f"{package}.utils.config"), "Config", None)
    if isinstance(config, type) and CONFIG_ATTRIBUTE in vars(config):
        setattr(config, CONFIG_ATTRIBUTE, options)
