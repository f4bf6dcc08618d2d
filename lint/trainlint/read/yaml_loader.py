# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""PyYAML as trainlint imports it: its patterns wait until they are used, and ordinary numbers need none.

Compiling the patterns of PyYAML's modules takes a tenth of what a small file takes to lint. Its C parser
needs none of them but for plain scalars, whose tags they decide.
"""

from __future__ import annotations

from typing import Any, Final

from trainlint.patterns import postponed

with postponed():
    import yaml as yaml  # noqa: PLC0414 - for the other readers, which would compile them

_INT: Final = "tag:yaml.org,2002:int"
_FLOAT: Final = "tag:yaml.org,2002:float"
_BASE: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Loader(_BASE):  # type: ignore[misc]  # one of two classes
    """The safe loader, in C where that is there."""

    def resolve(self, kind: type[yaml.Node], value: str, implicit: Any) -> str:
        """Return a node's tag as PyYAML does: 64 and 0.9 are seen without its patterns."""
        if kind is yaml.ScalarNode and implicit[0] and value.isascii():
            whole, dot, rest = value[value[:1] in ("+", "-") :].partition(".")
            if whole.isdigit():
                if not dot and (whole[0] != "0" or len(whole) == 1):
                    return _INT
                if dot and (not rest or rest.isdigit()):
                    return _FLOAT
        tag: str = super().resolve(kind, value, implicit)
        return tag
