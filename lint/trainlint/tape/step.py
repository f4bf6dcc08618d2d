# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The step: what of a spec shapes its memory, in one canonical JSON-able mapping, and the key made of it.

Two specs with the same step have the same tape. What is left out is safe to leave out: names, paths,
learning rates. A weight is kept as on or off: trainers skip what weighs nothing (perceptual_weight 0).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from typing import Any, Final

from trainlint.catalogue.signature import signature
from trainlint.model.spec import SHAPES_MEMORY, TrainSpec

ON_OR_OFF: Final = frozenset(
    {
        "dampening",  # SGD keeps another copy of the first gradient
        "adapter.dropout",
        "ema",
        "gradient_clip",
        "layer_weights",  # of a perceptual loss: which layers, not how much
        "loss_weight",
        "momentum",  # SGD's buffer exists where it is not 0
        "perceptual_weight",
        "style_weight",
        "weight",
        "weight_decay",  # Adam's multi-tensor step holds another list of gradients
    }
)
"""Numbers of which only zero or not matters."""
DROPPED_ARGUMENTS: Final = frozenset(
    {
        "betas", "data_list", "eps", "fake_label_val", "initial_lr", "lr", "lr_start_epoch_decay", "lr_step",
        "manual_seed", "model_type", "name", "real_label_val", "resize_range", "resize_range2", "rho", "seed",
        "template", "validation_epochs", "validation_passes",
    }
)  # fmt: skip
"""Arguments that never shape memory."""
SUFFIXES_DROPPED: Final = ("_path", "_root", "_file", "_dir")
"""Endings of names whose values are places on the user's disk."""
SHARED_PREFIX: Final = "transformers."
"""Prefix of recipes that several trainers call: their steps are the same, whatever config they are from."""
MODEL_CONFIG: Final = "model.config"
"""A field whose every key says something of the network."""
DEFAULTS: Final[Mapping[str, Any]] = {"accumulate": 1, "precision": "fp32", "parallel": "none", "frames": 1}
"""Fields whose value here means the same as their absence."""
MOST_MICRO_BATCHES: Final = 2
"""Micro-batches of a step that are traced at most: from the second one on each finds the gradients there."""
DDP_ONLY: Final = frozenset({"find_unused_parameters"})
"""Options that only DistributedDataParallel reads."""
ON_THE_GPU: Final = frozenset({"cuda", "prefetcher"})
"""Values of prefetch.mode that keep a further batch on the GPU."""
ROLES: Final = ("generator", "discriminator")
GIVEN_MODULE: Final = "given"
"""The module of a network that the caller has at hand: `given:Class` (trace/given_network.py)."""
AS_THEY_ARE: Final = (str, int)
"""Types of values that a step holds as they are written."""
LIBRARY_PREFIX: Final = "timm."
"""Prefix of recipes whose networks are a library's: a name of ours means another network there."""


def step_of(spec: TrainSpec) -> dict[str, Any]:
    """Return the canonical step of a placed spec (`parallel` decided by the machine)."""
    step: dict[str, Any] = {}
    shared = str(spec.get("recipe", "")).startswith(SHARED_PREFIX)
    for name in (*SHAPES_MEMORY, "parallel"):
        if name not in spec or (shared and name == "dialect"):
            continue
        value = dict(sorted(spec[name].items())) if name == MODEL_CONFIG else _canonical(spec[name], name)
        if name == "accumulate" and isinstance(value, int):
            value = min(value, MOST_MICRO_BATCHES)
        if value in (None, False, {}, []) or value in (0, DEFAULTS.get(name)):
            continue
        if name == "prefetch.mode" and value not in ON_THE_GPU:
            continue
        step[name] = value
    if _alone(spec):
        step.pop("parallel", None)
    return dict(sorted(_without_others(step).items()))


def built(step: Mapping[str, Any]) -> dict[str, Any]:
    """Return a step with its networks' arguments as they are built: what is not written is the default.

    So two configs of the same network have the same key, whatever of its arguments they write out. Only for
    networks that trainlint builds itself: the user's own class of the same name has defaults of its own.
    """
    if str(step.get("recipe")).startswith(LIBRARY_PREFIX):
        return dict(step)
    whole = dict(step)
    for role in ROLES:
        arch, name = step.get(f"networks.{role}.arch"), f"networks.{role}.args"
        written = step.get(name) or {}
        if isinstance(arch, str) and isinstance(written, Mapping):
            whole[name] = {**_defaults(str(step.get("dialect", "")), arch), **written}
            if not whole[name]:
                del whole[name]
    return whole


@cache
def _defaults(dialect: str, arch: str) -> Mapping[str, Any]:
    """Return the defaults of a network that trainlint builds itself, as a step holds them."""
    known = signature(dialect, arch)
    defaults: dict[str, Any] = _canonical(known.defaults, "") if known else {}
    return defaults


def _without_others(step: dict[str, Any]) -> dict[str, Any]:
    """Drop the options of a parallel mode that the step does not run in."""
    if step.get("parallel") == "ddp" or not DDP_ONLY.intersection(step.get("options", ())):
        return step
    kept = {name: value for name, value in step["options"].items() if name not in DDP_ONLY}
    rest = {name: value for name, value in step.items() if name != "options"}
    return {**rest, "options": kept} if kept else rest


def _alone(spec: TrainSpec) -> bool:
    """Return whether DataParallel has one GPU only: it then calls the module as it is."""
    whole = spec.get("batch.per_process")
    return spec.get("parallel") == "dp" and whole is not None and whole == spec.get("batch.per_replica")


def _canonical(value: Any, name: str) -> Any:
    """Return `value`, held under `name`, without what does not shape memory."""
    if name in ON_OR_OFF:
        return _switch(value)
    if value is None or isinstance(value, AS_THEY_ARE):  # most are; to ask for a Mapping takes far longer
        return value
    if isinstance(value, Mapping):
        return {
            key: _canonical(item, key)
            for key, item in sorted(value.items(), key=lambda pair: str(pair[0]))
            if key not in DROPPED_ARGUMENTS and not str(key).endswith(SUFFIXES_DROPPED)
        }
    if isinstance(value, list | tuple):
        return [_canonical(item, "") for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _switch(value: Any) -> Any:
    """Replace numbers, alone or in a mapping or list, by their sign: 1 is on, 0 is off."""
    if isinstance(value, Mapping):
        return {str(key): _switch(item) for key, item in sorted(value.items(), key=lambda pair: str(pair[0]))}
    if isinstance(value, list | tuple):
        return [_switch(item) for item in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return (value > 0) - (value < 0)
    return value


def key_of(step: Mapping[str, Any]) -> str:
    """Return the sha256 of a step, in hexadecimal."""
    text = json.dumps(step, sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=str)
    return sha256(text.encode()).hexdigest()
