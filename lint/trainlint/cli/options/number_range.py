# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Numbers that options take, with bounds that nobody has to read in --help."""

from __future__ import annotations

from typing import Any

import click

from trainlint.settings.settings import MOST_COUNTED


class NumberRange(click.ParamType[Any]):
    """A number from `least` to `most`, or above `above`: whole ones where that is what its bound is."""

    name = "number"

    def __init__(
        self, least: int | None = None, most: int = MOST_COUNTED, *, above: float | None = None
    ) -> None:
        self._least, self._most, self._above = least, most, above
        self._type = click.INT if above is None else click.FLOAT

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or say which bound it breaks."""
        number = self._type.convert(value, param, ctx)
        if number != number:  # noqa: PLR0124  # NaN alone differs from itself
            self.fail(f"{value} is not a number", param, ctx)
        if self._least is not None and number < self._least:
            self.fail(f"{value} is below {self._least}", param, ctx)
        if self._above is not None and number <= self._above:
            self.fail(f"{value} is not above {self._above:g}", param, ctx)
        if number > self._most:
            self.fail(f"{value} is above {self._most:,}", param, ctx)
        return number
