# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The arguments of a network that the repository defines itself, completed by its constructor's defaults.

What they decide (the channels of its output) is then known to rules, and to the step where `--python` has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from trainlint.model.spec import TrainSpec, Value

if TYPE_CHECKING:
    from trainlint.repository.trainer.own_classes import Own, OwnNetwork

ROLES: Final = ("generator", "discriminator")


def with_own_arguments(spec: TrainSpec, own: Own | None) -> TrainSpec:
    """Return a spec whose own networks have all their arguments; as it is where the step is another one."""
    if own is None or own.unknown_step() is not None:
        return spec
    networks = {role: own.network(str(spec.get(f"networks.{role}.arch"))) for role in ROLES}
    completed = {
        f"networks.{role}.args": _completed(spec, role, network)
        for role, network in networks.items()
        if network is not None and network.differs is not None
    }
    return TrainSpec({**spec.fields, **completed}) if completed else spec


def _completed(spec: TrainSpec, role: str, network: OwnNetwork) -> Value:
    name = f"networks.{role}.args"
    written: Mapping[str, Any] = spec.get(name) or {}
    defaults = network.signature.defaults if network.signature is not None else {}
    return Value(
        {**defaults, **written}, spec.at(name), spec.fields[name].origin if name in spec else "default"
    )
