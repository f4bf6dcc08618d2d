# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Families of configs that no dialect reads, known by their own keys: so that a message can name them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

DEFAULTS_LIST: Final = "defaults[]"
"""Represents `defaults` where it is a list in Hydra's grammar; Jekyll has a key of that name too."""

RECORDS: Final = "*.tfrecord"
"""Represents a path to TensorFlow's own kind of data set."""

FAMILIES: Final = (
    ("the Hugging Face Trainer", {"per_device_train_batch_size"}),
    ("Hugging Face Accelerate", {"distributed_type", "compute_environment"}),
    ("Hugging Face Accelerate", {"distributed_type", "num_processes"}),
    ("Hydra", {"hydra"}),
    ("Hydra", {"_target_"}),
    ("Hydra", {DEFAULTS_LIST}),
    ("TensorFlow's Model Garden", {"runtime.distribution_strategy"}),
    ("TensorFlow's Model Garden", {"task.train_data", "trainer.optimizer_config"}),
    ("ISR, a TensorFlow trainer", {"generators", "feature_extractor", "session.training"}),
    ("a TensorFlow trainer", {"solver.qat", "networks.which_model"}),
    ("a TensorFlow trainer", {RECORDS}),
)
"""A family, and keys that only its files have together, as its own source names them: transformers'
TrainingArguments (training_args.py), ClusterConfig (src/accelerate/commands/config/config_args.py), Hydra's
pages on the Defaults List and on instantiating objects (hydra.cc/docs/advanced), RuntimeConfig, TaskConfig
and TrainerConfig of tensorflow/models (official/core/config_definitions.py), utils.py of ISR
(github.com/idealo/image-super-resolution), solver.py of NJU-Jet/SR_Mobile_Quantization."""


def family_of(value: Any) -> str | None:
    """Name the family of a document's value; None where it is of none of these."""
    if not isinstance(value, Mapping):
        return None
    keys_present = set(_keys(value))
    return next((name for name, keys in FAMILIES if keys <= keys_present), None)


def _keys(value: Mapping[Any, Any]) -> Iterator[str]:
    """Yield the keys of two levels, the inner ones as "outer.inner", and what represents a kind of value."""
    for key, inner in value.items():
        if isinstance(key, str):
            yield key
        if isinstance(inner, Mapping):
            yield from (f"{key}.{name}" for name in inner)
    if any(isinstance(text, str) and text.endswith(".tfrecord") for text in _texts(value)):
        yield RECORDS
    if any(isinstance(inner, Mapping) and "_target_" in inner for inner in value.values()):
        yield "_target_"
    listed = value.get("defaults")
    if isinstance(listed, list) and listed and all(map(_is_default, listed)):
        yield DEFAULTS_LIST


def _texts(value: Mapping[Any, Any]) -> Iterator[Any]:
    """Yield the values of two levels."""
    for inner in value.values():
        yield from inner.values() if isinstance(inner, Mapping) else (inner,)


def _is_default(entry: Any) -> bool:
    """Return whether an entry is a name of a config, or one group and its option."""
    return isinstance(entry, str) or (isinstance(entry, Mapping) and len(entry) == 1)
