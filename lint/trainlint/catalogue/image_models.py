# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Published image models by their names on the hub: image_models.toml, a table for each shape.

A model is the network that denoises, its VAE and its text encoders, each by the class that has it and the
keys of its config.json. A checkpoint of a family that has one shape alone (SD 1.5, SDXL) needs no name.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from trainlint.expressions.patterns import later
from trainlint.shipped.resource_paths import resource

FILE: Final = "image_models.toml"
NEXT_GENERATION: Final = later(r"flux[._-]?2(?![0-9])")
"""Names of models that have no shape of their family: FLUX.2 is none of FLUX.1's."""


@dataclass(frozen=True, slots=True)
class ImageModel:
    """A model, and how it was found: `exact` is by its name on the hub, or by a family of one shape."""

    name: str
    config: Mapping[str, Any]
    exact: bool


def image_model(written: str, family: str | None) -> ImageModel | None:
    """Return the model that a config names, or that of its family; None where neither is known.

    A name on the hub decides, then a family of one shape. A file's or a folder's name, and the model that
    most checkpoints of a family are, are assumptions.
    """
    family = (family or "").replace("_", "-")
    if (known := _names().get(written.lower())) is not None:
        return _model(known, exact=True)
    models = _tables()["model"]
    if models.get(family, {}).get("only"):
        return _model(family, exact=True)
    if NEXT_GENERATION.search(written.lower()):
        return None
    bare = written.replace("\\", "/").rstrip("/").rpartition("/")[2].lower().removesuffix(".safetensors")
    known = _bare_names().get(bare)
    usual = next((name for name, table in models.items() if table.get("usual") == family != ""), None)
    fits = known is not None and (known.startswith(family) or models[known].get("pipeline") == family)
    name = known if fits else usual
    return None if name is None else _model(name, exact=False)


def models() -> list[ImageModel]:
    """Return every model of the table."""
    return [_model(key, exact=True) for key in _tables()["model"]]


@cache
def _tables() -> Mapping[str, Any]:
    return tomllib.loads(resource(FILE).read_text(encoding="utf-8"))


@cache
def _names() -> Mapping[str, str]:
    return {name.lower(): key for key, table in _tables()["model"].items() for name in table["names"]}


@cache
def _bare_names() -> Mapping[str, str]:
    return {name.rpartition("/")[2]: key for name, key in _names().items()}


def _part(kind: str, name: str) -> Mapping[str, Any]:
    table = _tables()[kind][name]
    return {"class": table["class"], "config": table["config"], "parameters": table["parameters"]}


@cache
def _model(key: str, *, exact: bool) -> ImageModel:
    table = _tables()["model"][key]
    config = {
        "model_type": key,
        "network": {"class": table["network"], "config": table["config"], "parameters": table["parameters"]},
        "tokens": table["tokens"],
        "vae": _part("vae", table["vae"]),
        "text_encoders": [_part("text_encoder", name) for name in table["text_encoders"]],
    }
    return ImageModel(table["names"][0], config, exact)
