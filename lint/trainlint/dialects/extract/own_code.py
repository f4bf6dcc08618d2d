# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What of a job is code of its trainer's repository that is not published: where it lies, for the tracer.

    own = {"root": folder, "why": what differs, "networks": {name in the config: "path/of/file.py:Class"},
           "package": the trainer's, "form": "toml" where its option files are}

The arguments of such a network are completed by its own constructor's defaults: what they decide (the
channels of its output) is then known to the step. Where the step itself is its own, its model class runs:

    own = {"root", "why", "model": "path/of/file.py:Class", "files": [what it names is defined in],
           "package", "form", "config": the options without the user's disk, as JSON}
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from trainlint.dialects.extract.fork_classes import package_of
from trainlint.dialects.schema.dialect import Dialect
from trainlint.model.document import Document
from trainlint.model.spec import UNCOUNTED_FIELD, TrainSpec, Value
from trainlint.model.trainer import Trainer

if TYPE_CHECKING:
    from trainlint.repository.trainer.own_classes import Own, OwnNetwork

ROLES: Final = ("generator", "discriminator")
TOML: Final = "toml"
KEYS_OUTSIDE_MODEL: Final = frozenset(
    {"name", "logger", "dist_params", "manual_seed", "num_gpu", "launcher", "dist", "auto_resume"}
)
"""Keys of a config that its model class has nothing to do with."""
OTHER_FILES: Final = ("_base_", "defaults")
"""Keys that name files which may set anything: no model class is given those."""
DISK: Final = (
    "dataroot",
    "meta_info",
    "io_backend",
    "num_worker",
    "batch_size",
    "prefetch",
    "dataset_enlarge",
)
"""Beginnings of keys of the training set that say where data lies and how it is read."""


def with_own_code(
    spec: TrainSpec, document: Document, dialect: Dialect, trainer: Trainer, own: Own | None
) -> TrainSpec:
    """Return a spec that says which of its code is the repository's; as it is where nothing has to run."""
    if own is None or own.error is not None or own.altered is not None:
        return spec
    if trainer.root is None or dialect.trainer.own is None:
        return spec
    why = own.unknown_step()
    form = {"form": document.format} if document.format == TOML else {}
    if why is not None:
        code = _model(own, document.value, trainer, dialect.trainer.own)
        return _with(_counted(spec), {"root": str(trainer.root), "why": why, **code, **form})
    networks: dict[str, str] = {}
    fields = dict(spec.fields)
    for role in ROLES:
        arch = str(spec.get(f"networks.{role}.arch"))
        network = own.network(arch)
        if network is not None and network.differs is not None:
            networks[arch] = _place(network.where, network.name)
            fields[f"networks.{role}.args"] = _completed(spec, role, network)
    if not networks:
        return spec
    why, package = own.unknown_network(networks), package_of(trainer, dialect.trainer.own)
    code = {"root": str(trainer.root), "why": why, "networks": networks, "package": package, **form}
    return _with(TrainSpec(fields), code)


def _counted(spec: TrainSpec) -> TrainSpec:
    """Return a spec without the terms that are on a model class's tape: all that it does with its options."""
    if UNCOUNTED_FIELD not in spec:
        return spec
    terms = zip(spec[UNCOUNTED_FIELD], spec.at(UNCOUNTED_FIELD), strict=True)
    kept = [
        (term, path)
        for term, path in terms
        if term.get("only") or path[0] == "datasets" or path[-1] in OTHER_FILES
    ]
    fields = {name: value for name, value in spec.fields.items() if name != UNCOUNTED_FIELD}
    if kept:
        fields[UNCOUNTED_FIELD] = Value([term for term, _ in kept], tuple(path for _, path in kept))
    return TrainSpec(fields)


def _with(spec: TrainSpec, code: Mapping[str, Any]) -> TrainSpec:
    return TrainSpec({**spec.fields, "own": Value(code, origin="derived")})


def _model(own: Own, config: Mapping[str, Any], trainer: Trainer, notes: Mapping[str, Any]) -> dict[str, Any]:
    """Return what runs a model class: the repository's own, or the installed package's with its losses."""
    name = str(config.get(notes["step"]))
    files = {_place(where, "").rstrip(":") for where in own.places.values()}
    return {
        "model": _place(own.places[name], name) if name in own.places else f":{name}",
        "files": sorted(files),
        "package": package_of(trainer, notes),
        "config": json.dumps(_trimmed(config), default=str),
    }


def _trimmed(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a model class may read of a config; paths of weights are only there or not."""
    kept = {
        str(key): value
        for key, value in config.items()
        if key not in (*KEYS_OUTSIDE_MODEL, "datasets", "path")
    }
    datasets = config.get("datasets")
    train = datasets.get("train") if isinstance(datasets, Mapping) else None
    if isinstance(train, Mapping):
        items = ((str(key), value) for key, value in train.items())
        kept["datasets"] = {"train": {key: value for key, value in items if not key.startswith(DISK)}}
    paths = config.get("path")
    if isinstance(paths, Mapping):
        kept["path"] = {
            str(key): "there" if value and isinstance(value, str | list) else value
            for key, value in paths.items()
        }
    return kept


def _place(where: str, name: str) -> str:
    return f"{where.rpartition(':')[0]}:{name}"


def _completed(spec: TrainSpec, role: str, network: OwnNetwork) -> Value:
    name = f"networks.{role}.args"
    written: Mapping[str, Any] = spec.get(name) or {}
    defaults = network.signature.defaults if network.signature is not None else {}
    return Value(
        {**defaults, **written}, spec.at(name), spec.fields[name].origin if name in spec else "default"
    )
