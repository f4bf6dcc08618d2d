# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Hold every constant of factors.toml against what the committed rows give.

    python -m bench constants [--write]

Prints each with what it rests on, and fails where one is more than 1 % off or rests on nothing; --write puts
those in that are no fit (step_times --write and independent_times --write have the others).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from bench.commands import parser_of
from bench.step_times import card_shares, fit, host_shares, independent, loading_rates, published
from bench.step_times.factor_file import put
from trainlint.estimate.speed.kernel_class import OWN_DEPTHWISE, WINOGRAD
from trainlint.estimate.speed.rate_factors import shipped_factors
from trainlint.hardware import Hardware, load_hardware

CLOSE: Final = 0.01
"""As a share of a constant: they are written with three digits, few of them with two."""
CHOSEN: Final = {"reference gpu"}
"""The card that the classes were measured on: a choice, no figure."""
Constants = dict[str, tuple[float, ...]]
"""By table and key, as in factors.toml."""


def shipped(written: Mapping[str, Any] | None = None) -> Constants:
    """Return what a text of factors.toml has; the shipped one where none is given."""
    return {
        name: value
        for name, value in _flat(written if written is not None else shipped_factors())
        if name not in CHOSEN
    }


def _flat(table: Mapping[str, Any], before: str = "") -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for key, value in table.items():
        if isinstance(value, Mapping):
            found += _flat(value, f"{before}.{key}" if before else key)
        else:
            found.append((f"{before} {key}", tuple(value) if isinstance(value, list) else (value,)))
    return found


def no_fits(hardware: Hardware) -> Constants:
    """Return the constants that one figure or a simple rule over a table's rows gives."""
    cards = {
        f"gpu.{name} {kind}": (share,)
        for name, both in card_shares.shares(hardware).items()
        for kind, share in both.items()
    }
    return {**published.constants(), **loading_rates.constants(), **cards}


def fits(hardware: Hardware) -> Constants:
    """Return the constants that are fitted on measured steps."""
    found, _ = fit.samples()
    given = fit.fit(found, fit.names_of(found))
    kernel = given.pop(fit.KERNEL) * 1e-6
    rows = independent.samples()
    winograd = independent.winograd_of(rows)
    host = independent.host_of(rows, winograd)
    classes = {
        **given,
        OWN_DEPTHWISE: fit.depthwise_of(fit.other_runs(hardware)),
        WINOGRAD: winograd,
    }
    return {
        **{f"class {name}": (float(value),) for name, value in classes.items()},
        "kernel seconds": (float(kernel),),
        "host forward": host,
        "host other": tuple(call / independent.STARTED_PER_CALL for call in host),
        "host walked": host_shares.gathering(host),
        "host own": (independent.own_spread(rows, winograd),),
        **{f"spread {name}": (float(value),) for name, value in fit.spreads(found, hardware).items()},
    }


def wrong(has: Constants, given: Constants) -> list[str]:
    """Return the constants that differ from what is given for them, and those with nothing on either side."""
    return [name for name in sorted({*has, *given}) if not _close(has.get(name, ()), given.get(name, ()))]


def _close(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return len(one) == len(other) > 0 and all(
        abs(a - b) <= CLOSE * abs(b) for a, b in zip(one, other, strict=True)
    )


def main() -> int:
    """Print the constants, and write what is asked for."""
    parser = parser_of(__doc__)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    hardware = load_hardware()
    plain, fitted = no_fits(hardware), fits(hardware)
    if options.write:
        for name, values in plain.items():
            write(name, values)
    has = shipped()
    off = wrong(has, {**plain, **fitted})
    for name, values in {**plain, **fitted}.items():
        mark, basis = "off" if name in off else "", "fitted" if name in fitted else "figures"
        print(f"{mark:4} {name}: {_shown(has.get(name, ()))}; {basis} {_shown(values)}")
    for name in set(off) - {*plain, *fitted}:
        print(f"off  {name}: {_shown(has[name])}; rests on nothing")
    return bool(off)


def write(name: str, values: tuple[float, ...]) -> None:
    """Put a constant into factors.toml; those of [gpu] are written by hand, several to a line."""
    where, _, key = name.rpartition(" ")
    if where.startswith("gpu."):
        return
    written = [f"{value:.4g}" for value in values]
    quoted = f'"{key}"' if where == "class" else key
    put(where, {quoted: f"[{', '.join(written)}]" if len(written) > 1 else written[0]})


def _shown(values: tuple[float, ...]) -> str:
    return ", ".join(f"{value:.4g}" for value in values) or "nothing"
