# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What was worked out of equal columns: a step's tapes at two crops differ in sizes, seldom in their order.

So are a step's ledgers with two cards' libraries. Comparing columns takes a hundredth of what the loops over
them do.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

KEPT_RESULTS: Final = 4
"""Results that are kept of each function: a step, and the same with its validation, on two GPUs."""


def recalled(work: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Keep the last results of a function of columns, which need no hash; what it returns is not changed.

    The arguments are compared as they are: the same object is equal without a look at it.
    """
    results: list[tuple[tuple[object, ...], Result]] = []

    @wraps(work)
    def looked_up(*args: Arguments.args, **options: Arguments.kwargs) -> Result:
        for index, (known, result) in enumerate(results):
            if known == args:
                results.insert(0, results.pop(index))
                return result
        result = work(*args, **options)
        results.insert(0, (args, result))
        del results[KEPT_RESULTS:]
        return result

    return looked_up
