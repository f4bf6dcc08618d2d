# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Supervised fine-tuning by TRL: transformers' step with TRL's own losses, and batches without padding.

Read: huggingface/trl, trainer/sft_trainer.py of 0.26.2 to 1.16.0 (__init__, compute_loss; adapters on
quantised weights are in bfloat16), data_utils.py (pack_dataset); transformers 5.24, masking_utils.py
(create_causal_mask: positions that begin anew have a mask made); bitsandbytes 0.50.2, autograd/_functions.py
(MatMul4Bit.backward restores weights in the precision that they had), nn/modules.py (set_compute_type).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor

from trainlint.trace.stage import Stage
from trainlint_zoo.blocks.four_bit import FourBitLinear
from trainlint_zoo.transformers.recipes.sft import WITHOUT_MASK, Sft
from trainlint_zoo.transformers.recipes.trl_loss import KERNELS, MEASURED, loss_without_logits, measure

RECIPES = {"transformers.TRL": "TrlSft"}


class TrlSft(Sft):
    """One update, its loss by the version of TRL.

    Read from the step besides: sequence.flat: the batch is one row of all its tokens, whose mask keeps
    samples apart where the kernel is told no lengths.
    """

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        self.flat = bool(step.get("sequence.flat"))
        self.own_kernel = str(step.get("loss.kernel", "fp32"))
        known = self.own_kernel in KERNELS
        super().__init__({**step, "loss.kernel": "fp32"} if known else step, stage)

    def _trainable(self, net: Any) -> Any:
        net = super()._trainable(net)
        for layer in net.modules():
            if isinstance(layer, FourBitLinear):
                layer.restored = partial(_restored, layer, layer.dtype)  # type: ignore[method-assign]
                if self.step.get("weights.upcast"):  # what comes from norms in fp32 is computed in it
                    layer.dtype = torch.float32
        return net

    def _inputs(self, batch: int) -> dict[str, Any]:
        if not self.flat:
            return super()._inputs(batch)
        tokens = batch * self.length
        made: dict[str, Any] = {
            name: self.stage.input(1, tokens, dtype=torch.int64)
            for name in ("input_ids", "labels", "position_ids")
        }
        if self.attention not in WITHOUT_MASK:
            made["attention_mask"] = self._masks_of(1, tokens)
        return made

    def _loss(self, inputs: dict[str, Any]) -> Tensor:
        if self.own_kernel not in KERNELS:
            return super()._loss(inputs)
        labels = inputs.pop("labels")
        with self.stage.autocast(self.precision):
            if self.own_kernel != MEASURED:
                return loss_without_logits(self.own_kernel, self.model, self.net, inputs, labels)
            outputs = self.model(**inputs, labels=labels)
        logits = outputs.logits if self.precision == "fp32" else outputs.logits.float()
        loss: Tensor = outputs.loss
        del outputs
        measure(logits)
        return loss


def _restored(layer: FourBitLinear, stored: torch.dtype, dtype: torch.dtype) -> Tensor:
    """Return a layer's weight in the precision that it had, converted; the forward restores the input's."""
    own = dtype if dtype == layer.dtype else stored
    return FourBitLinear.restored(layer, own).to(dtype)
