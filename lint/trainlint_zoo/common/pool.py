# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The training pool of Real-ESRGAN and its descendants: samples of many degradations, mixed on the GPU."""

from __future__ import annotations

import torch
from torch import Tensor

from trainlint.trace.stage import Stage

RECIPES: dict[str, str] = {}


class Pooled:
    """Adds `mix` to a recipe that holds its batch as `lq` and `gt`: _dequeue_and_enqueue with a full pool.

    Each step shuffles both pools (a second copy of each lives meanwhile) and exchanges one batch.
    """

    stage: Stage
    lq: Tensor
    gt: Tensor

    def mix(self, batch: int) -> None:
        """Put this batch into the pool and take another out."""
        if not hasattr(self, "queue_lr"):
            self.queue_lr = self.stage.pool(*self.lq.shape[1:])
            self.queue_gt = self.stage.pool(*self.gt.shape[1:])
        with self.stage.label("queue"):
            order = torch.empty(len(self.queue_lr), dtype=torch.int64, device=self.stage.device)
            self.queue_lr = self.queue_lr[order]
            self.queue_gt = self.queue_gt[order]
        with self.stage.label("inputs"):
            lq, gt = self.queue_lr[:batch].clone(), self.queue_gt[:batch].clone()
            self.queue_lr[:batch] = self.lq.clone()
            self.queue_gt[:batch] = self.gt.clone()
        self.lq, self.gt = lq, gt
