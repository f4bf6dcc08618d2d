# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Adapters by the installed PEFT, on layers in four bits too.

Read: huggingface/peft 0.21.2, tuners/lora/bnb.py (Linear4bit.forward), utils/other.py
(prepare_model_for_kbit_training).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import torch
from torch import Tensor, nn

from trainlint.errors import CannotTraceError
from trainlint.trace.building.refusal import fitting
from trainlint.trace.building.torch_imports import library
from trainlint_zoo.blocks.four_bit import FourBitLinear, quantised
from trainlint_zoo.common.language import DTYPES

MISSING: Final = "peft is not installed: pip install 'trainlint[finetune]'"
ALL: Final = "all-linear"
DROPOUT: Final = 0.1
"""Where there is dropout: how much of it changes no tensor."""
LORA: Final = ("lora", "dora")


def quantise(net: Any, step: Mapping[str, Any]) -> None:
    """Put the linear layers into four bits, but for the head."""
    head = net.get_output_embeddings()
    options = {
        "double": bool(step.get("quant.double")),
        "keeps_inputs": bool(step.get("quant.keeps_inputs")),
    }
    for parent in list(net.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, nn.Linear) and child is not head:
                setattr(parent, name, quantised(child, **options))


def upcast(net: nn.Module) -> None:
    """Put what is in half precision into fp32, as PEFT does before it trains on quantised weights."""
    for parameter in net.parameters():
        if parameter.dtype in {torch.float16, torch.bfloat16}:
            parameter.data = parameter.data.float()


def upcast_ends(net: Any) -> None:
    """Put norms, embeddings and the head into fp32, as axolotl does before it trains all weights."""
    ends = {net.get_input_embeddings(), net.get_output_embeddings()}
    for name, module in net.named_modules():
        if module in ends or "norm" in name:
            module.float()


def adapted(net: Any, step: Mapping[str, Any]) -> Any:
    """Return the network with the adapters that a step asks for."""
    peft = library("peft", MISSING)
    kind = str(step.get("adapter.kind"))
    if kind not in LORA:
        raise CannotTraceError(f'adapters of the kind "{kind}" are not traced: {" and ".join(LORA)} are')
    targets = list(step.get("adapter.targets") or ()) or None
    if targets is not None and ALL in targets:
        targets = sorted(_linear_names(net))
    config = peft.LoraConfig(
        task_type="CAUSAL_LM",
        r=int(step.get("adapter.rank") or 8),
        lora_dropout=DROPOUT if step.get("adapter.dropout") else 0.0,
        target_modules=targets,
        modules_to_save=list(step.get("adapter.saved") or ()) or None,
        use_dora=kind == "dora",
    )
    if step.get("quant.bits"):
        config._register_custom_module({FourBitLinear: _adapted_linear()})  # noqa: SLF001 - PEFT's documented way
    with fitting("the adapters do not fit the model", "adapter.targets"):
        made = peft.get_peft_model(net, config, autocast_adapter_dtype=False)
    dtype = DTYPES[str(step.get("adapter.dtype", "fp32"))]
    for name, parameter in made.named_parameters():
        if parameter.requires_grad and "lora_" in name:
            parameter.data = parameter.data.to(dtype)
    return made


def _linear_names(net: Any) -> set[str]:
    head = net.get_output_embeddings()
    return {
        name.rpartition(".")[2]
        for name, module in net.named_modules()
        if isinstance(module, (nn.Linear, FourBitLinear)) and module is not head
    }


def _adapted_linear() -> type[nn.Module]:
    """Return the layer that PEFT puts around one in four bits."""
    linear: Any = library("peft.tuners.lora.layer", MISSING).Linear

    class AdaptedFourBit(linear):  # type: ignore[misc]  # of a library without types
        """Copies what the layer gives, and adds the adapter's in the precision that is computed in."""

        def forward(self, x: Tensor, *_args: Any, **_kwargs: Any) -> Tensor:
            result: Tensor = self.base_layer(x).clone()
            name = self.active_adapters[0]
            first, second, dropout = self.lora_A[name], self.lora_B[name], self.lora_dropout[name]
            converts = not torch.is_autocast_enabled()
            own = x.to(first.weight.dtype) if converts else x
            if name in self.lora_variant:
                result = self.lora_variant[name].forward(self, active_adapter=name, x=own, result=result)
                return result.to(x.dtype) if converts else result
            added: Tensor = second(first(dropout(own))) * self.scaling[name]
            return result + (added.to(result.dtype) if converts else added)

    return AdaptedFourBit
