# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What would make a library fetch or unpickle something while it builds a network: refused, whoever wrote it.

Source: timm/models/_factory.py (create_model) and _builder.py, 1.0.9 to 1.0.31, whose checkpoint_path is
unpickled; torchvision/models/_api.py (get_model), 0.29, whose weights are downloaded.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Any, Final

from trainlint.errors import CannotTraceError
from trainlint.trace.building.torch_imports import library

FETCHING_ARGUMENTS: Final = re.compile(
    r"^(?:pretrained(?!_window)|weights|checkpoint$|state_dict|cache_dir|url$|file$)|_(?:path|file|dir|url|checkpoint)$",
    re.IGNORECASE,
)
"""Names of arguments that say where weights are, or that they are wanted."""
REGISTRY_NAME: Final = re.compile(r"[\w.-]+")
"""A name in a library's registry; "hf-hub:owner/name" and "local-dir:place" are no such names."""


def check_fetches_nothing(name: str, args: Mapping[str, Any]) -> None:
    """Refuse a model's name or an argument by which its library would fetch or load something."""
    if REGISTRY_NAME.fullmatch(name) is None:
        raise CannotTraceError(f'"{name}" is no network of a library, and nothing is fetched or loaded')
    for key, value in args.items():
        if value and FETCHING_ARGUMENTS.search(str(key)):
            raise CannotTraceError(
                f"{name} is not built with the argument {key}: it would load weights, which a linted file "
                "cannot ask for"
            )


def harmless(package: str, name: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return a model's arguments without what only fills its weights; what fetches them is refused."""
    if package == "timm":
        args = {key: value for key, value in args.items() if not (key == "pretrained" and value is True)}
    check_fetches_nothing(name, args)
    if package == "torchvision" and _wants_backbone(name):
        return {**args, "weights_backbone": None}  # torchvision's own default is to download them
    return dict(args)


def _wants_backbone(name: str) -> bool:
    models = library("torchvision.models", "torchvision is not installed")
    try:
        return "weights_backbone" in inspect.signature(models.get_model_builder(name)).parameters
    except ValueError:  # no model of that name
        return False
