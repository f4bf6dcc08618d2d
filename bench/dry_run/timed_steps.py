# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A training program of a few lines that prints what each of its steps takes: bare on meta, or in a dry run.

    python timed_steps.py NETWORK DEVICE

Its interpreter has torch, basicsr, timm, transformers, peft and diffusers.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.nn import functional as F

STEPS: Final = 4
Step = tuple[Callable[[], Tensor], Iterator[nn.Parameter]]
"""What gives a loss, and what is trained."""


def rrdbnet() -> Step:
    """Return RRDBNet as BasicSR has it, a batch of 16 crops of 32 pixels."""
    from basicsr.archs.rrdbnet_arch import RRDBNet  # noqa: PLC0415 - one network needs it

    network = RRDBNet(3, 3)
    return lambda: F.l1_loss(
        network(torch.rand(16, 3, 32, 32)), torch.rand(16, 3, 128, 128)
    ), network.parameters()


def vit() -> Step:
    """Return ViT-S as timm has it, a batch of 8 images."""
    import timm  # noqa: PLC0415 - as above

    network = timm.create_model("vit_small_patch16_224", num_classes=10)
    return lambda: network(torch.rand(8, 3, 224, 224)).square().mean(), network.parameters()


def unet() -> Step:
    """Return the UNet of Stable Diffusion 1, one latent of 64 pixels."""
    from diffusers import UNet2DConditionModel  # noqa: PLC0415 - as above

    network = UNet2DConditionModel(sample_size=64, cross_attention_dim=768, attention_head_dim=8)

    def loss() -> Tensor:
        latents, times, texts = torch.rand(1, 4, 64, 64), torch.ones(1), torch.rand(1, 77, 768)
        return F.mse_loss(network(latents, times, texts).sample, latents)

    return loss, network.parameters()


def llama() -> Step:
    """Return Llama 3.2 1B with LoRA on queries and values, 512 tokens."""
    from peft import LoraConfig, get_peft_model  # noqa: PLC0415 - as above
    from transformers import LlamaConfig, LlamaForCausalLM  # noqa: PLC0415 - as above

    config = LlamaConfig(
        vocab_size=128256, hidden_size=2048, intermediate_size=8192, num_hidden_layers=16,
        num_attention_heads=32, num_key_value_heads=8, tie_word_embeddings=True,
    )  # fmt: skip
    lora: Any = LoraConfig(r=32, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM")
    network = get_peft_model(LlamaForCausalLM(config).bfloat16(), lora)
    tokens = torch.ones(1, 512, dtype=torch.long)
    trained = (parameter for parameter in network.parameters() if parameter.requires_grad)
    return lambda: network(input_ids=tokens, labels=tokens).loss, trained


NETWORKS: Final = {"rrdbnet": rrdbnet, "vit": vit, "unet": unet, "llama": llama}

if __name__ == "__main__":
    name, device = sys.argv[1:]
    with torch.device(device):
        loss, trained = NETWORKS[name]()
        optimizer = torch.optim.AdamW(trained, lr=1e-4)
        for _ in range(STEPS):
            began = time.process_time()
            optimizer.zero_grad()
            torch.autograd.backward(loss())
            optimizer.step()
            print(f"step: {time.process_time() - began:.3f}", flush=True)
