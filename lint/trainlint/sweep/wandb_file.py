# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Weights & Biases' sweep files: parameters, their values or distributions, and the command.

Keys, defaults and distributions: https://docs.wandb.ai/guides/sweeps/sweep-config-keys (2025).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import exp, floor
from typing import Any, Final

from trainlint.errors import UsageError
from trainlint.sweep.axis import Axis, axis_of

KEYS: Final = frozenset(
    {
        "command", "controller", "description", "early_terminate", "entity", "imageuri", "job", "method",
        "metric", "name", "parameters", "program", "project", "queue", "run_cap", "scheduler",
    }
)  # fmt: skip
METHODS: Final = ("grid", "random", "bayes")
OF_PARAMETER: Final = frozenset(
    {"value", "values", "probabilities", "distribution", "min", "max", "mu", "sigma", "q", "parameters"}
)
COMMAND: Final = ("${env}", "${interpreter}", "${program}", "${args}")
"""The command where the file has none."""
UNBOUNDED_DISTRIBUTIONS: Final = frozenset(["normal", "q_normal", "log_normal", "q_log_normal"])
"""Distributions without a least and a largest value."""
BETWEEN_ENDS: Final = frozenset(["uniform", "log_uniform_values", "inv_log_uniform_values", "beta", "q_beta"])
EXPONENTS: Final = frozenset(["log_uniform", "q_log_uniform", "inv_log_uniform"])
"""Distributions whose ends are exponents of e."""
MOST_STEPS: Final = 10**6
"""Numbers of a distribution by steps; of more there are the ends."""
STEPPED_DISTRIBUTIONS: Final = frozenset(["int_uniform", "q_uniform", "q_log_uniform_values"])


def is_wandb(value: Any) -> bool:
    """Return whether a document is such a file."""
    return isinstance(value, Mapping) and "parameters" in value and bool({"method", "program"} & value.keys())


def axes_of(value: Mapping[str, Any]) -> tuple[Axis, ...]:
    """Return the axes of a sweep file, nested parameters as dotted keys; UsageError for nonsense."""
    for key in value:
        if key not in KEYS:
            raise UsageError(f'"{key}" is not a key of a W&B sweep; expected {", ".join(sorted(KEYS))}')
    if (method := value.get("method", "grid")) not in METHODS:
        raise UsageError(f'method: "{method}" is not one of {", ".join(METHODS)}')
    return tuple(_parameters(value["parameters"], ()))


def _parameters(parameters: Any, above: tuple[str, ...]) -> Iterator[Axis]:
    if not isinstance(parameters, Mapping) or not parameters:
        raise UsageError(f"{'.'.join((*above, 'parameters'))}: expected a mapping of names to their values")
    for name, what in parameters.items():
        path = (*above, str(name))
        key = ".".join(path)
        if not isinstance(what, Mapping):
            raise UsageError(
                f'parameters.{key}: expected "values", "value" or "min" and "max", found {what!r}'
            )
        for part in what:
            if part not in OF_PARAMETER:
                raise UsageError(
                    f'parameters.{key}: "{part}" is not one of {", ".join(sorted(OF_PARAMETER))}'
                )
        if "parameters" in what:
            yield from _parameters(what["parameters"], path)
        else:
            yield _axis(key, path, what)


def _axis(key: str, path: tuple[str, ...], what: Mapping[str, Any]) -> Axis:
    if "value" in what:
        return axis_of(key, path, (what["value"],))
    if "values" in what:
        if not isinstance(what["values"], list):
            raise UsageError(f"parameters.{key}.values: expected a list, found {what['values']!r}")
        return axis_of(key, path, what["values"])
    kind = str(what.get("distribution") or _usual(what))
    if kind in UNBOUNDED_DISTRIBUTIONS:
        raise UsageError(
            f'parameters.{key}: "{kind}" has no ends, so nothing can be said of all of its values; '
            f'give "values", or "uniform" with "min" and "max"'
        )
    if kind not in BETWEEN_ENDS | EXPONENTS | STEPPED_DISTRIBUTIONS:
        raise UsageError(f'parameters.{key}: the distribution "{kind}" is not known')
    low, high = _number(key, what, "min"), _number(key, what, "max")
    if low > high:
        raise UsageError(f"parameters.{key}: min {low} is above max {high}")
    if kind in STEPPED_DISTRIBUTIONS:
        return axis_of(key, path, _steps(key, what, low, high))
    if kind in EXPONENTS:
        try:
            low, high = exp(low), exp(high)
        except OverflowError:
            raise UsageError(f"parameters.{key}: e to the power of {high} is not a number") from None
    return Axis(
        key, path, (low, high) if low != high else (low,), f"{kind}, judged at its ends {low} and {high}"
    )


def _usual(what: Mapping[str, Any]) -> str:
    """Return the distribution that W&B takes where none is named."""
    if "mu" in what or "sigma" in what:
        return "normal"
    ends = (what.get("min"), what.get("max"))
    return "int_uniform" if all(isinstance(end, int) for end in ends) else "uniform"


def _number(key: str, what: Mapping[str, Any], name: str) -> Any:
    value = what.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < float("inf"):
        raise UsageError(f"parameters.{key}.{name}: expected a number, found {value!r}")
    return value


def _steps(key: str, what: Mapping[str, Any], low: Any, high: Any) -> Any:
    """Return the values between two ends by the step `q`; whole numbers by default."""
    step = _number(key, what, "q") if "q" in what else 1
    if step <= 0:
        raise UsageError(f"parameters.{key}.q: expected a number above 0, found {step}")
    if all(isinstance(number, int) for number in (low, high, step)):
        return range(low, high + 1, step)
    try:
        count = floor((high - low) / step + 1e-9) + 1
    except OverflowError:
        raise UsageError(f"parameters.{key}: min, max and q make too many numbers") from None
    return [low + step * index for index in (range(count) if count <= MOST_STEPS else (0, count - 1))]


def command_of(value: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the words of the command, with ${args} where the parameters come."""
    program = value.get("program")
    words = value.get("command") or COMMAND
    if not isinstance(words, list | tuple) or not all(isinstance(word, str | int | float) for word in words):
        raise UsageError("command: expected a list of words")
    resolved: list[str] = []
    for word in map(str, words):
        if word == "${program}":
            if not isinstance(program, str):
                raise UsageError("program: expected the path of a script")
            resolved.append(program)
        elif word == "${interpreter}":
            resolved.append("python")
        elif word == "${env}":
            continue
        else:
            resolved.append(word)
    return tuple(resolved)
