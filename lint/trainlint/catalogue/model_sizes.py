# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Published models of which the number of parameters is known and the shape is not: model_sizes.csv.

`parameters` is the least that the published number is rounded from (30B: 29.5). A model whose weights are
stored in fewer than 16 bits has no row, unless its name ends as those of bitsandbytes' do.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from io import StringIO
from typing import Final

from trainlint.catalogue.base_models import without_end
from trainlint.shipped.resource_paths import resource

FILE: Final = "model_sizes.csv"


@dataclass(frozen=True, slots=True)
class Size:
    """The parameters of a model, at the least, and whether its name says that four bits hold each."""

    parameters: int
    quantised: bool


def size_of(written: str) -> Size | None:
    """Return the size of a model that a config names as the hub does; None for one that is not known."""
    bare, quantised = without_end(written.lower())
    parameters = _table().get(bare)
    return None if parameters is None else Size(parameters, quantised)


@cache
def _table() -> Mapping[str, int]:
    rows = csv.DictReader(StringIO(resource(FILE).read_text(encoding="utf-8")))
    return {name.lower(): int(row["parameters"]) for row in rows for name in row["names"].split()}
