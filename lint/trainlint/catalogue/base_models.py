# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Published language models by their names on the hub: base_models.csv, a row for each shape.

`names` are those of one shape, the first its own; `other` are further keys of its config.json. A row is there
where what is built of it has the published number of parameters, to the last one; `checked` says which number
that was. An owner of MIRRORS keeps the name that a model has elsewhere, and ends it where it is quantised.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from io import StringIO
from typing import Any, Final

from trainlint.shipped.resource_paths import resource

FILE: Final = "base_models.csv"
SHAPE: Final = (
    "vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads",
    "num_key_value_heads", "head_dim", "max_position_embeddings",
)  # fmt: skip
MIRRORS: Final = ("unsloth", "NousResearch", "hugging-quants")
QUANTISED: Final = ("-unsloth-bnb-4bit", "-bnb-4bit", "-bnb-nf4-bf16", "-bnb-nf4")
"""Ends of names whose weights are stored as bitsandbytes quantises them: nf4, with quantised scales."""
OTHERWISE_BUILT: Final = ("phi",)
"""Families that a mirror publishes as another one."""

_ATTENTION: Final = ("q_proj", "k_proj", "v_proj", "o_proj")
_GATED: Final = (*_ATTENTION, "gate_proj", "up_proj", "down_proj")
_OF_GATED: Final = (
    "llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2", "gemma3_text", "olmo2", "olmo3", "stablelm",
    "seed_oss", "smollm3", "granite", "hunyuan_v1_dense",
)  # fmt: skip
MODULES: Final[Mapping[str, Sequence[str]]] = {
    **dict.fromkeys(_OF_GATED, _GATED),
    **dict.fromkeys(("mixtral", "qwen3_moe"), _ATTENTION),  # the experts are no linear layers
    "qwen2_moe": (*_GATED, "shared_expert_gate"),  # but one that is shared
    "apertus": (*_ATTENTION, "up_proj", "down_proj"),
    "starcoder2": (*_ATTENTION, "c_fc", "c_proj"),
    "phi3": ("qkv_proj", "o_proj", "gate_up_proj", "down_proj"),
    **dict.fromkeys(("glm", "glm4"), (*_ATTENTION, "gate_up_proj", "down_proj")),
    "phi": ("q_proj", "k_proj", "v_proj", "dense", "fc1", "fc2"),
    "gpt_neox": ("query_key_value", "dense", "dense_h_to_4h", "dense_4h_to_h"),
    "falcon": ("query_key_value", "dense", "dense_h_to_4h", "dense_4h_to_h"),
}
"""Type of a model -> the linear layers of a block, as transformers 5 names them."""


MODELSCOPE_POINT: Final = "___"
"""What the folders of ModelScope's cache have for a point in a model's name."""


@dataclass(frozen=True, slots=True, eq=False)
class BaseModel:
    """One shape: its own name, and what its config.json says of it."""

    name: str
    config: Mapping[str, Any]
    parameters: int


@dataclass(frozen=True, slots=True)
class Found:
    """A model found under a name, and how: `exact` is by a name on the hub, otherwise by a folder's."""

    model: BaseModel
    exact: bool
    quantised: bool


def base_model(written: str) -> Found | None:
    """Return the model that a config names, by the hub or by a path; None for one that is not known."""
    path = written.replace("\\", "/").replace(MODELSCOPE_POINT, ".")
    parts = [part for part in path.split("/") if part not in {"", ".", ".."}]
    if not parts:
        return None
    whole = "/".join(parts).lower()
    bare, quantised = without_end(parts[-1].lower())
    owner = parts[-2].lower() if len(parts) > 1 else ""
    hub = len(parts) == 2 and written[0] not in "./~\\" and written.count("/") == 1  # noqa: PLR2004 - owner/name
    known = _table().get(whole) or _table().get(f"{owner}/{bare}")
    if known is None and owner in map(str.lower, MIRRORS):
        known = _mirrored(bare)
        hub = hub and known is not None
    elif known is None:
        known, hub = _bare_names().get(bare), False
    if known is None:
        return None
    return Found(known, exact=hub, quantised=quantised)


def modules_of(config: Mapping[str, Any]) -> list[str]:
    """Return the linear layers of a block of such a model; none where its type is not known."""
    return list(MODULES.get(str(config.get("model_type")), ()))


def without_end(name: str) -> tuple[str, bool]:
    """Return a name without the end that says its weights are quantised, and whether it had one."""
    end = next((end for end in QUANTISED if name.endswith(end)), "")
    return name.removesuffix(end), bool(end)


def _mirrored(name: str) -> BaseModel | None:
    model = _bare_names().get(name)
    return None if model is None or model.config["model_type"].startswith(OTHERWISE_BUILT) else model


@cache
def models() -> Sequence[BaseModel]:
    """Return every model of the table."""
    return tuple(dict.fromkeys(_table().values()))


@cache
def _table() -> Mapping[str, BaseModel]:
    rows = csv.DictReader(StringIO(resource(FILE).read_text(encoding="utf-8")))
    return {name.lower(): model for row in rows for model in [_model(row)] for name in row["names"].split()}


@cache
def _bare_names() -> Mapping[str, BaseModel]:
    return {name.rpartition("/")[2]: model for name, model in _table().items()}


def _model(row: Mapping[str, str]) -> BaseModel:
    shape = {name: int(row[name]) for name in SHAPE}
    other = json.loads(row["other"]) if row["other"] else {}
    tied = row["tie_word_embeddings"] == "true"
    config = {"model_type": row["model_type"], **shape, "tie_word_embeddings": tied, **other}
    return BaseModel(row["names"].split()[0], config, int(row["parameters"]))
