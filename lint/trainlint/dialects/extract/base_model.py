# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The shape of the model that a job trains further: by its config.json, or by its name.

A folder is only a name: that its model is the published one is an assumption, with which nothing fails.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from trainlint.dialects.extract.loading_bytes import again_bytes, loading_bytes
from trainlint.errors import UnreadableError
from trainlint.files.enclosing_folders import folders_above, inside
from trainlint.files.read_limits import FOREIGN_BYTES
from trainlint.files.text_source import regular_bytes
from trainlint.model.document import Document
from trainlint.model.spec import TrainSpec, Value

CONFIG: Final = "config.json"
DENOISE: Final = "denoise"
"""The objective of image models, whose parts have a config.json each."""
BYTES: Final = {"fp32": 4, "bf16": 2, "fp16": 2}
ONE_BYTE: Final = dict.fromkeys(("fp8", "qfloat8", "qint8"), 1)
"""Kinds of weights -> bytes of each."""
STORED_IN_FOUR: Final = {"quant.bits": 4, "quant.kind": "nf4", "quant.double": True}
"""How bitsandbytes stores weights that are quantised at the hub."""
PLAIN_TYPES: Final = (bool, int, float, str, type(None))
"""What of a config.json shapes a network: the rest is lists of names and nested tables."""


def with_base_model(spec: TrainSpec, document: Document) -> TrainSpec:
    """Return a spec with its base model's shape, where that is known."""
    if "model.config" in spec:
        return spec
    if "model.base" not in spec:
        return _with_image_model(spec, "") if spec.get("objective") == DENOISE else spec
    written, paths = str(spec["model.base"]), spec.at("model.base")
    if spec.get("objective") == DENOISE:
        return _with_image_model(spec, written)
    if (config := _beside(written, document)) is not None:
        return with_config(spec, config, written)
    from trainlint.catalogue.base_models import base_model  # noqa: PLC0415 - for language models alone

    base = base_model(written)
    if base is None:
        return _sized(spec, written)
    fields = dict(with_config(spec, base.model.config, base.model.name).fields)
    if base.quantised and "quant.bits" not in fields:
        fields |= {name: Value(value, paths, "derived") for name, value in STORED_IN_FOUR.items()}
    fields["model.parameters"] = Value(base.model.parameters, paths, "derived")
    if base.exact and not base.quantised:
        fields["model.download"] = Value(BYTES["bf16"] * base.model.parameters, paths, "derived")
    if not base.exact:
        assumed = f'"{written}" is taken for {base.model.name} by its name'
        fields["model.assumed"] = Value(assumed, paths, "derived")
    return TrainSpec(fields)


def _sized(spec: TrainSpec, written: str) -> TrainSpec:
    """Return a spec with the size of a model whose shape is not known, where that is published."""
    from trainlint.catalogue.model_sizes import size_of  # noqa: PLC0415 - for few models

    size, paths = size_of(written), spec.at("model.base")
    if size is None:
        return spec
    fields: dict[str, Any] = {"model.parameters": size.parameters}
    if size.quantised and "quant.bits" not in spec:
        fields |= STORED_IN_FOUR
    return TrainSpec(
        {**spec.fields, **{name: Value(value, paths, "derived") for name, value in fields.items()}}
    )


def _with_image_model(spec: TrainSpec, written: str) -> TrainSpec:
    from trainlint.catalogue.image_models import image_model  # noqa: PLC0415 - for image models alone

    model, paths = image_model(written, spec.get("model.family")), spec.at("model.base")
    if model is None or not (written or model.exact):  # without a name: a family of one shape
        return spec
    fields: dict[str, Any] = {"model.name": model.name, "model.config": model.config}
    if not model.exact:
        fields["model.assumed"] = f'"{written}" is taken for {model.name}'
    stored = ONE_BYTE if "quant.kind" in spec else BYTES
    if (weight_bytes := stored.get(str(spec.get("quant.kind", spec.get("weights.dtype"))))) is not None:
        fields["model.weight_bytes"] = weight_bytes * model.config["network"]["parameters"]
    if "loading" in spec and model.config["text_encoders"]:
        fields["model.loading_least"], fields["model.loading_most"] = loading_bytes(
            spec["loading"], model.config, str(spec.get("model.family"))
        )
    if (again := again_bytes(spec.get("sampling", {}), model.config)) > 0:
        fields["model.loaded_again"] = again
    return TrainSpec(
        {**spec.fields, **{name: Value(value, paths, "derived") for name, value in fields.items()}}
    )


def with_config(spec: TrainSpec, config: Mapping[str, Any], name: str) -> TrainSpec:
    """Return a spec whose base model has the shape of a config.json."""
    from trainlint.catalogue.base_models import modules_of  # noqa: PLC0415 - for language models alone

    paths, fields = spec.at("model.base"), dict(spec.fields)
    fields.pop("model.assumed", None)
    filled = {"model.name": name, "model.config": dict(config)}
    if modules := modules_of(config):
        filled["model.modules"] = modules
    return TrainSpec(fields | {key: Value(value, paths, "derived") for key, value in filled.items()})


def _beside(written: str, document: Document) -> Mapping[str, Any] | None:
    """Return what the config.json of a folder says that lies around the document."""
    for folder in folders_above(document.source.path):
        path = inside(folder, f"{written.rstrip('/')}/{CONFIG}")
        if path is not None:
            return read_config(str(path))
    return None


def read_config(path: str) -> Mapping[str, Any]:
    """Return what of a model's config.json shapes its network; UnreadableError where it is none."""
    try:
        read = json.loads(regular_bytes(path, FOREIGN_BYTES))
    except UnreadableError as error:
        raise UnreadableError(f"{path} {error}") from error
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"{path} is not JSON: {error}") from error
    if not isinstance(read, dict) or not isinstance(read.get("model_type"), str):
        raise UnreadableError(f'{path} is not a model\'s config.json: expected a mapping with "model_type"')
    return {key: value for key, value in read.items() if isinstance(value, PLAIN_TYPES)}
