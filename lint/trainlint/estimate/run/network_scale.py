# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The up-sampling factor of a job's generator: what the config passes, or the architecture's default."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from trainlint.catalogue.signature import signature
from trainlint.model.spec import TrainSpec, Value

if TYPE_CHECKING:
    from trainlint.repository.trainer.own_classes import Own

SCALE_ARGUMENTS = ("scale", "upscale", "upscale_factor", "upscaling_factor", "scale_factor")
"""How architectures of this family call their up-sampling factor: RRDBNet and EDVR `scale`, EDSR, SwinIR
and HAT `upscale`, PLKSR `upscaling_factor` (the networks of the zoo and their papers' code)."""

SCALED_ARCHITECTURES = (
    "HAT",
    "SwinIR",
    "DRCT",
    "DAT",
    "RGT",
    "CAT",
    "OmniSR",
    "PLKSR",
    "ESC",
    "MambaIR",
    "MambaIRv2",
)
"""Architectures without a file of their own whose scale argument means what it says (their papers' code).

Others may call something else so: an arbitrary-scale network, a Uformer that keeps its size."""

OTHER_SCALES: Final = {"RRDBNet": ((1, 2, 4), 4)}
"""Architectures that take any number and know a few: those, and by what all others enlarge.

RRDBNet shuffles pixels for 1 and 2, and up-samples twice whatever it is given
(basicsr/archs/rrdbnet_arch.py).
"""


def with_network_scale(spec: TrainSpec, own: Own | None = None) -> TrainSpec:
    """Add `networks.generator.scale`: what the config passes, else the architecture's own default.

    `own` are the classes that the trainer's repository defines: their defaults are not ours, and what an
    argument of theirs means is known of those alone that are named as published ones.
    """
    name = "networks.generator.scale"
    arch = spec.get("networks.generator.arch")
    if name in spec or arch is None:
        return spec
    args = spec.get("networks.generator.args") or {}
    paths = spec.at("networks.generator.args")[:1]
    network = own.networks.get(str(arch)) if own is not None else None
    published = signature(str(spec.get("dialect", "")), str(arch))
    if published is None and arch not in SCALED_ARCHITECTURES:
        return spec
    known = network.signature if network else published
    scale_argument = next(((key, args[key]) for key in SCALE_ARGUMENTS if _is_scale(args.get(key))), None)
    if scale_argument is not None:
        said = scale_argument[1] if network else _enlarges(str(arch), scale_argument[1])
        value = Value(said, tuple((*path, scale_argument[0]) for path in paths))
    else:
        defaults = known.defaults if known else {}
        key = next((key for key in SCALE_ARGUMENTS if _is_scale(defaults.get(key))), None)
        if key is None or any(key in args for key in SCALE_ARGUMENTS):
            return spec
        value = Value(defaults[key], tuple((*path, key) for path in paths), "default")
    return TrainSpec({**spec.fields, name: value})


def _enlarges(arch: str, written: int) -> int:
    """Return by how much a published architecture enlarges that is given a scale."""
    known, otherwise = OTHER_SCALES.get(arch, ((written,), written))
    return written if written in known else otherwise


def _is_scale(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
