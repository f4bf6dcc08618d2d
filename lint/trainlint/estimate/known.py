"""What could never be traced, told without torch: so that nobody installs it for nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from trainlint.errors import CannotTraceError
from trainlint.signature import locate
from trainlint.trace.catalogue import place
from trainlint.trace.library_presets import PRESETS
from trainlint.trace.library_table import PUBLISHED, UNTRACEABLE

OWN_NAMES: Final = ("timm.", "trainlint")
"""Recipes whose networks are named in their own way (timm's model names, module:Class)."""
ROLES: Final = ("generator", "discriminator")


def check_known(step: Mapping[str, Any]) -> None:
    """Raise CannotTraceError where no recipe or network of this name exists, with torch or without."""
    recipe = str(step.get("recipe", ""))
    place(recipe)
    if recipe.startswith(OWN_NAMES):
        return
    dialect = str(step.get("dialect", ""))
    for role in ROLES:
        arch = step.get(f"networks.{role}.arch")
        if isinstance(arch, str) and not _known(dialect, arch):
            reason = UNTRACEABLE.get(arch)
            raise CannotTraceError(f'network "{arch}": {reason}' if reason else f'unknown network "{arch}"')


def _known(dialect: str, arch: str) -> bool:
    return f"{dialect}:{arch}" in PRESETS or arch in PUBLISHED or locate(dialect, arch) is not None
