# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What of a job is code of its trainer's repository that nobody published: where it lies, for the tracer.

    own = {"root": folder, "networks": {name in the config: "path/of/file.py:Class"}}

The arguments of such a network are completed by its own constructor's defaults: what they decide (the
channels of its output) is then known to the step.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from trainlint.spec import TrainSpec, Value
from trainlint.trainer import Own, Trainer
from trainlint.trainer.own import Network

ROLES: Final = ("generator", "discriminator")


def with_own_code(spec: TrainSpec, trainer: Trainer, own: Own | None) -> TrainSpec:
    """Return a spec that says which of its code is the repository's; as it is where nothing has to run."""
    if own is None or own.error is not None or trainer.root is None or own.unknown_step() is not None:
        return spec
    fields = dict(spec.fields)
    networks: dict[str, str] = {}
    for role in ROLES:
        found = own.networks.get(str(spec.get(f"networks.{role}.arch")))
        if found is not None and found.differs is not None:
            networks[found.name] = _place(found)
            fields[f"networks.{role}.args"] = _completed(spec, role, found)
    if not networks:
        return spec
    why = own.unknown_network(networks)
    fields["own"] = Value({"root": str(trainer.root), "why": why, "networks": networks}, origin="derived")
    return TrainSpec(fields)


def _place(found: Network) -> str:
    return f"{found.where.rpartition(':')[0]}:{found.name}"


def _completed(spec: TrainSpec, role: str, found: Network) -> Value:
    name = f"networks.{role}.args"
    written: Mapping[str, Any] = spec.get(name) or {}
    defaults = found.signature.defaults if found.signature is not None else {}
    return Value(
        {**defaults, **written}, spec.at(name), spec.fields[name].origin if name in spec else "default"
    )
