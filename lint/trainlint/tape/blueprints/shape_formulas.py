# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Formulas of sizes in the numbers that shape a language model: widths, heads, rank, tokens, layers.

A size is a sum of few products of these, each with a fraction: 2 x hidden x tokens bytes of an activation,
hidden x intermediate / 2 of weights in four bits. It is found from sizes at several shapes and holds at
all of them, or there is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from math import lcm, prod
from typing import Final, NamedTuple

WIDTHS: Final = ("hidden", "intermediate", "vocabulary", "queries", "keys", "heads", "groups", "head", "rank")
LENGTHS: Final = ("tokens", "tokens by 32", "tokens by 64", "tokens by 128")
"""Tokens of a sample, and those of the whole blocks in which kernels of fused attention keep what they
keep."""
LAYERS: Final = "layers"
TRAINED: Final = "trained"
"""Weights that are trained, of which an optimizer that steps through all at once reads a multiple."""
DENOMINATORS: Final = 2**16
"""What a fraction's denominator divides: four bits, scales of 64 values, scales of 256 scales."""
MOST_TERMS: Final = 4
LEAST_CHECKS: Final = 2
"""Shapes more than terms that a formula has to hold at."""
TOLERANCE: Final = 1e-9
"""Of the largest number of a row, what floats may be off by."""

Product = tuple[str, ...]
Shape = Mapping[str, int]


class NoFormulaError(Exception):
    """Sizes at these shapes follow no formula of this kind; the message says which."""


class Formula(NamedTuple):
    """The sum of products, each with its fraction."""

    terms: tuple[tuple[Fraction, Product], ...]

    def at(self, shape: Shape) -> int:
        """Return the whole number at a shape; NoFormulaError where it comes out as none."""
        common = lcm(*(fraction.denominator for fraction, _ in self.terms))
        value, rest = divmod(
            sum(
                fraction.numerator * (common // fraction.denominator) * prod(map(shape.__getitem__, product))
                for fraction, product in self.terms
            ),
            common,
        )
        if rest:
            raise NoFormulaError(f"{value} and {rest} / {common} is not a whole number")
        return value


def formulas_of(rows: Iterable[Sequence[int]], shapes: Sequence[Shape]) -> dict[tuple[int, ...], Formula]:
    """Return the formula of each row of numbers, one a shape; NoFormulaError where one has none."""
    places = list({tuple(shape.items()): place for place, shape in enumerate(shapes)}.values())
    formulas: dict[tuple[int, ...], Formula | None] = dict.fromkeys(map(tuple, rows))
    values = {product: tuple(_value(product, shape) for shape in shapes) for product in _products()}
    for row in formulas:
        formulas[row] = _single(row, values)
    for terms in range(2, min(MOST_TERMS, len(places) - LEAST_CHECKS) + 1):
        pool = {product: values[product] for product in _pool(formulas.values(), crossed=terms == 2)}  # noqa: PLR2004
        for row in [row for row, formula in formulas.items() if formula is None]:
            formulas[row] = _sum(row, pool, terms, places) or _each_layer(row, pool, terms, places, shapes)
    counts: Mapping[Product, Sequence[int]] = {product: values[product] for product in ((), (LAYERS,))}
    whole = {**counts, (TRAINED,): values[TRAINED,]}
    for row, formula in formulas.items():
        # tensors, nine a layer and three, and what an optimizer that takes all at once has of their values
        formulas[row] = (
            formula or _sum(row, counts, len(counts), places) or _sum(row, whole, len(whole), places)
        )
        if formulas[row] is None:
            raise NoFormulaError(f"{row} follow no formula")
    return {row: formula for row, formula in formulas.items() if formula is not None}


def _pool(formulas: Iterable[Formula | None], *, crossed: bool) -> Sequence[Product]:
    """Return the products that sums may be of: those found; `crossed`: each width with each length too."""
    used = {product for formula in formulas if formula is not None for _, product in formula.terms}
    if crossed:
        lengths = {tuple(name for name in product if name in LENGTHS) for product in used}
        widths = {(name,) for product in used for name in product if name in WIDTHS}
        used |= {(*width, *length) for width in widths for length in lengths}
    return sorted(used | {()}, key=lambda product: (len(product), product))


def _products() -> Iterator[Product]:
    """Yield products of at most two widths, two lengths and the layers, the simplest first."""
    lengths = [own for count in (0, 1, 2) for own in combinations_with_replacement(LENGTHS, count)]
    widths = [
        own
        for count in (0, 1, 2)
        for own in combinations_with_replacement(WIDTHS, count)
        if own not in {("heads", "head"), ("groups", "head")}  # queries and keys
    ]
    products = [(*more, *own, *length) for more in ((), (LAYERS,)) for length in lengths for own in widths]
    yield from sorted([*products, (TRAINED,)], key=len)


def _value(product: Product, shape: Shape) -> int:
    return prod(map(shape.__getitem__, product))


def _single(row: Sequence[int], values: Mapping[Product, Sequence[int]]) -> Formula | None:
    if not any(row):
        return Formula(())
    if 0 in row:
        return None
    first = row[0]
    for product, own in values.items():
        if all(first * there == value * own[0] for value, there in zip(row, own, strict=True)):
            fraction = Fraction(first, own[0])
            if _plain(fraction):
                return Formula(((fraction, product),))
    return None


def _sum(
    row: Sequence[int], pool: Mapping[Product, Sequence[int]], terms: int, places: Sequence[int]
) -> Formula | None:
    """Return the sum of so many products of the pool that a row is; None where it is none."""
    own = [row[place] for place in places]
    columns = {product: [column[place] for place in places] for product, column in pool.items()}
    for products in combinations(pool, terms):
        chosen = [columns[product] for product in products]
        if _is_near(own, chosen) and (fractions := _solved(row, [pool[product] for product in products])):
            return Formula(tuple(zip(fractions, products, strict=True)))
    return None


def _each_layer(
    row: Sequence[int],
    pool: Mapping[Product, Sequence[int]],
    terms: int,
    places: Sequence[int],
    shapes: Sequence[Shape],
) -> Formula | None:
    """Return the sum of what every layer has alike."""
    layers = [shape[LAYERS] for shape in shapes]
    if any(value % count for value, count in zip(row, layers, strict=True)):
        return None
    own = [value // count for value, count in zip(row, layers, strict=True)]
    formula = _sum(
        own, {product: column for product, column in pool.items() if LAYERS not in product}, terms, places
    )
    return formula and Formula(tuple((fraction, (LAYERS, *product)) for fraction, product in formula.terms))


def _is_near(row: Sequence[int], columns: Sequence[Sequence[int]]) -> bool:
    """Say whether columns may sum up to a row: of two by whole numbers first, then in floats."""
    if len(columns) == 2 and not _is_flat(row, *columns):  # noqa: PLR2004 - most sums that are tried
        return False
    left = [[*map(float, own), float(value)] for *own, value in zip(*columns, row, strict=True)]
    for column in range(len(columns)):
        pivot = max(left, key=lambda equation: abs(equation[column]))
        if not pivot[column]:
            return False
        left = [equation for equation in left if equation is not pivot]
        for equation in left:
            factor = equation[column] / pivot[column]
            for place in range(column, len(equation)):
                equation[place] -= factor * pivot[place]
    return all(abs(equation[-1]) <= TOLERANCE * max(row) for equation in left)


def _is_flat(row: Sequence[int], column: Sequence[int], other: Sequence[int]) -> bool:
    """Say whether the last three numbers of a row are the sum of two columns', exactly."""
    (*_, a, b, c), (*_, d, e, f), (*_, g, h, i) = row, column, other
    return a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g) == 0


def _solved(row: Sequence[int], columns: Sequence[Sequence[int]]) -> tuple[Fraction, ...] | None:
    """Return the fractions with which columns sum up to a row; None where no plain ones do."""
    equations = [[*map(Fraction, own), Fraction(value)] for *own, value in zip(*columns, row, strict=True)]
    basis: list[list[Fraction]] = []
    for equation in equations:
        for known in basis:
            lead = _lead(known)
            if equation[lead]:
                factor = equation[lead]
                equation = [number - factor * other for number, other in zip(equation, known, strict=True)]  # noqa: PLW2901
        lead = _lead(equation)
        if lead == len(columns):
            if equation[lead]:
                return None
            continue
        own = [number / equation[lead] for number in equation] if lead < len(equation) else equation
        if lead < len(columns):
            basis = [
                [number - known[lead] * other for number, other in zip(known, own, strict=True)]
                for known in basis
            ]
            basis.append(own)
    if len(basis) < len(columns):
        return None
    solution = [known[-1] for known in sorted(basis, key=_lead)]
    return tuple(solution) if all(fraction and _plain(fraction) for fraction in solution) else None


def _lead(equation: Sequence[Fraction]) -> int:
    """Return the place of the first number that is not zero; one past the end where all are."""
    return next((place for place, value in enumerate(equation) if value), len(equation))


def _plain(fraction: Fraction) -> bool:
    return DENOMINATORS % fraction.denominator == 0
