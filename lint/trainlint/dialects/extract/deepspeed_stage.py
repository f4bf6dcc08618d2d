# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which stage of ZeRO a job asks for: in its own text, in the DeepSpeed file it names, or in accelerate's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from trainlint.commands.accelerate_config import accelerate_config
from trainlint.errors import UnreadableError
from trainlint.files.enclosing_folders import folders_above, inside
from trainlint.files.read_limits import FOREIGN_BYTES
from trainlint.files.text_source import regular_bytes
from trainlint.model.document import Document
from trainlint.model.spec import TrainSpec, Value

FIELD: Final = "zero_stage"
HIGHEST_STAGE: Final = 3


def with_zero_stage(spec: TrainSpec, document: Document) -> TrainSpec:
    """Return a spec of a language model with its stage of ZeRO, where what it names says that."""
    if not isinstance(document.value, Mapping):
        return spec
    stage, key = _stage(document.value.get("deepspeed"), document), "deepspeed"
    if stage is None:
        stage, key = _of_accelerate(document), "@launcher"
    return spec if stage is None else TrainSpec({**spec.fields, FIELD: Value(stage, ((key,),), "derived")})


def _of_accelerate(document: Document) -> int | None:
    """Return the stage that accelerate's own config sets, or the DeepSpeed file that it names."""
    config = accelerate_config(document)
    own = config.get("deepspeed_config") if config is not None else None
    if config is None or config.get("distributed_type") != "DEEPSPEED" or not isinstance(own, Mapping):
        return None
    if (named := own.get("deepspeed_config_file")) is not None:
        return _stage(named, document)
    return _number(own.get("zero_stage"))


def _stage(written: Any, document: Document) -> int | None:
    """Return the stage of a DeepSpeed config, which is written there or named."""
    config = _file(written, document) if isinstance(written, str) else written
    zero = config.get("zero_optimization") if isinstance(config, Mapping) else None
    return _number(zero.get("stage")) if isinstance(zero, Mapping) else None


def _number(stage: Any) -> int | None:
    return (
        stage
        if isinstance(stage, int) and not isinstance(stage, bool) and 0 <= stage <= HIGHEST_STAGE
        else None
    )


def _file(named: str, document: Document) -> Any:
    """Return what a JSON file next to the document or above it holds; None where there is none."""
    paths = (inside(folder, named) for folder in folders_above(document.source.path))
    path = next((path for path in paths if path is not None), None)
    try:
        return None if path is None else json.loads(regular_bytes(str(path), FOREIGN_BYTES))
    except (UnreadableError, ValueError, RecursionError):
        return None
