# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Progressive training: the stages of a run, each with its own crop and batch.

The loader delivers what the config says of the whole run; a stage takes a part of that batch where its own is
smaller, and cuts a crop out where its own is smaller (swz30/Restormer 861974ad, basicsr/train.py): neither is
ever larger than the loader's. Without a launcher that trainer draws one GPU's batch for all of them; its own
scripts always use one, so a stage's batch is taken per GPU. A stage of the full batch takes all of it.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from trainlint.estimate.memory.card import Share, share_of
from trainlint.model.spec import TrainSpec


class RunPart(Struct, frozen=True):
    """A stretch of the run with one step: what it changes of the spec's, and its share of samples.

    `number` counts stages from 1; 0 is a run without stages.
    """

    number: int
    crops: Mapping[str, int]
    share: Share

    @property
    def crop(self) -> int:
        """The side of its target crops in pixels (0 where the spec alone knows)."""
        return self.crops.get("crop.hr", 0)


def parts(spec: TrainSpec) -> tuple[RunPart, ...]:
    """Return the stages of a placed spec, or the whole run as one; CannotTraceError without a batch."""
    share = share_of(spec)
    stages = spec.get("stages") or ()
    if not stages:
        return (RunPart(0, {}, share),)
    scale = spec.get("scale", 1) or 1
    loaded = spec.get("batch.per_gpu", share.batch)
    run_parts = []
    for number, stage in enumerate(stages, start=1):
        crop = min(int(stage["size"]), spec.get("crop.hr") or int(stage["size"]))
        crops = {"crop.hr": crop, "crop.lq": crop // scale}
        batch = int(stage["batch"])
        run_parts.append(RunPart(number, crops, share.at(batch) if batch < loaded else share))
    return tuple(run_parts)


def heaviest(spec: TrainSpec) -> RunPart:
    """Return the part with the most pixels in a step: the guess where nothing is traced yet."""
    return max(parts(spec), key=lambda part: part.share.batch * part.crop**2)
