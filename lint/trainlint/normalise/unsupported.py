# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Families of configs that no dialect reads, known by their own keys: so that a message can name them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

LISTED: Final = "defaults[]"
"""Stands for `defaults` where it is a list in Hydra's grammar; Jekyll has a key of that name too."""

FAMILIES: Final = (
    ("axolotl", {"base_model", "micro_batch_size"}),
    ("axolotl", {"base_model", "gradient_accumulation_steps"}),
    ("the Hugging Face Trainer", {"per_device_train_batch_size"}),
    ("Hugging Face Accelerate", {"distributed_type", "compute_environment"}),
    ("Hugging Face Accelerate", {"distributed_type", "num_processes"}),
    ("Hydra", {"hydra"}),
    ("Hydra", {"_target_"}),
    ("Hydra", {LISTED}),
)
"""A family, and keys that only its files have together, as its own source names them: axolotl's
ModelInputConfig and HyperparametersConfig (src/axolotl/utils/schemas/), transformers' TrainingArguments
(training_args.py), ClusterConfig (src/accelerate/commands/config/config_args.py), Hydra's pages on the
Defaults List and on instantiating objects (hydra.cc/docs/advanced)."""


def family_of(value: Any) -> str | None:
    """Name the family of a document's value; None where it is of none of these."""
    if not isinstance(value, Mapping):
        return None
    found = set(_keys(value))
    return next((name for name, keys in FAMILIES if keys <= found), None)


def _keys(value: Mapping[Any, Any]) -> Iterator[str]:
    """Yield the outermost keys; and that a value is an object of Hydra's, or its list of defaults."""
    yield from (key for key in value if isinstance(key, str))
    if any(isinstance(inner, Mapping) and "_target_" in inner for inner in value.values()):
        yield "_target_"
    listed = value.get("defaults")
    if isinstance(listed, list) and listed and all(map(_is_default, listed)):
        yield LISTED


def _is_default(entry: Any) -> bool:
    """Return whether an entry is a name of a config, or one group and its option."""
    return isinstance(entry, str) or (isinstance(entry, Mapping) and len(entry) == 1)
