# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""PyYAML's safe loader, in C where that is there; ordinary numbers need none of its patterns."""

from __future__ import annotations

from functools import lru_cache
from operator import is_
from typing import Any, Final

import yaml

_INT: Final = "tag:yaml.org,2002:int"
_FLOAT: Final = "tag:yaml.org,2002:float"
_BASE: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_RESOLVER: Final = yaml.resolver.Resolver()  # has no state where no tag goes by a path

KEPT: Final = 2_048
"""Scalars of which the tag is kept: a config has 200, and the text of its next edit nearly all of them."""


@lru_cache(maxsize=KEPT)
def resolve(kind: type[yaml.Node], value: str, implicit: Any) -> str:
    """Return a node's tag as PyYAML does: 64 and 0.9 are seen without its patterns."""
    if kind is yaml.ScalarNode and implicit[0] and value.isascii():
        whole, dot, rest = value[value[:1] in ("+", "-") :].partition(".")
        if whole.isdigit():
            if not dot and (whole[0] != "0" or len(whole) == 1):
                return _INT
            if dot and (not rest or rest.isdigit()):
                return _FLOAT
    tag: str = _RESOLVER.resolve(kind, value, implicit)  # type: ignore[no-untyped-call]  # of the stubs
    return tag


class Loader(_BASE):  # type: ignore[misc]  # one of two classes
    """The safe loader, in C where that is there.

    It calls all three for each node. No tag goes by a path here, so that nothing is to be done on the way
    down and up: what Python has in C for two arguments and for none takes the least time.
    """

    resolve = staticmethod(resolve)
    descend_resolver = staticmethod(is_)
    ascend_resolver = staticmethod(tuple)
