# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether a source imports torchvision.transforms.functional_tensor, which torchvision 0.17 removed."""

from __future__ import annotations

import ast
from typing import Final

REMOVED_MODULE: Final = "torchvision.transforms.functional_tensor"


def imports_functional_tensor(text: str) -> bool:
    """Return whether a module does so whenever it is imported: at its top, outside of any `try`."""
    if REMOVED_MODULE not in text:
        return False
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(isinstance(node, ast.ImportFrom) and node.module == REMOVED_MODULE for node in tree.body)
