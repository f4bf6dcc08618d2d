# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a command asks of torch's allocator by PYTORCH_ALLOC_CONF (PYTORCH_CUDA_ALLOC_CONF before torch 2.9).

Memory is figured for the allocator as it is without: what changes that is not counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from trainlint.model.document import Document
from trainlint.model.spec import UNCOUNTED_FIELD, TrainSpec, Value

NAMES: Final = ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF")
DIRECTIONS: Final[Mapping[str, str | None]] = {
    "expandable_segments": None,
    "garbage_collection_threshold": None,
    "graph_capture_record_stream_reuse": None,
    "pinned_num_register_threads": None,
    "pinned_use_background_threads": None,
    "pinned_use_cuda_host_register": None,
    "release_lock_on_cudamalloc": None,
    "release_lock_on_hipmalloc": None,
    "per_process_memory_fraction": "more",
}
"""An option and whether the run then needs more of the card than is figured; None: not more, and a fail stays
one. Any other may change it either way. (torch 2.13, c10/cuda/CUDAAllocatorConfig.h)"""
AS_IT_IS: Final = ("backend:native", "expandable_segments:False", "per_process_memory_fraction:1.0")


def allocator_of(document: Document) -> str:
    """Return what a command's environment sets; "" where it says nothing."""
    environment = document.meta.get("env", {})
    return next((f"{name}={environment[name]}" for name in NAMES if environment.get(name)), "")


def with_allocator(spec: TrainSpec, allocator: str) -> TrainSpec:
    """Return a spec with the terms that a setting of the allocator leaves uncounted."""
    terms = list(_terms(allocator))
    if not terms:
        return spec
    old = spec.fields.get(UNCOUNTED_FIELD, Value([]))
    return TrainSpec(
        {**spec.fields, UNCOUNTED_FIELD: Value([*old.value, *terms], (*old.paths, *[()] * len(terms)))}
    )


def _terms(allocator: str) -> Iterator[dict[str, str]]:
    name, _, options = allocator.partition("=")
    for option in options.replace(" ", "").split(","):
        direction = DIRECTIONS.get(option.partition(":")[0], "unknown")
        if option and option not in AS_IT_IS and direction is not None:
            yield {"what": f'the allocator\'s "{option}" ({name})', "direction": direction}
