"""timm's training steps: train.py with its prefetching loader, and benchmark.py on one fixed batch.

Source: huggingface/pytorch-image-models 1.0.9: train.py, benchmark.py, timm/data/loader.py (PrefetchLoader).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from trainlint.errors import BadArgumentsError, CannotTraceError
from trainlint.trace.stage import Stage

RECIPES = {"timm.train": "Train", "timm.benchmark": "Benchmark"}

LOADER_STREAM = 1
"""The stream on which PrefetchLoader copies and normalises the next batch: an allocator pool of its own."""


class Train:
    """train.py: forward and loss under autocast, backward, step, zero_grad; the loader is one batch ahead.

    Read from the step: networks.generator.{arch,args}; crop.lq, the side of the input; channels; optimizers;
    precision; ema; options: classes (1000), fused_attention (timm's use of scaled_dot_product_attention).
    """

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        self.step, self.stage = step, stage
        self.options: Mapping[str, Any] = step.get("options") or {}
        self.precision = step.get("precision", "fp32")
        self.channels = int(step.get("channels", 3))
        self.net = self._network()
        if step.get("channels_last"):
            self.net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        stage.register("generator", self.net, arch=self.arch)
        self.model = stage.replicate("generator", self.net)
        self.optimizer = self._optimizer()
        self.scaler = stage.scaler(enabled=self.precision == "fp16")
        self.ahead: tuple[Tensor, Tensor] | None = None

    @property
    def arch(self) -> str:
        """The network's name in timm."""
        return str(self.step["networks.generator.arch"])

    @property
    def side(self) -> int:
        """Height and width of the network's input."""
        return int(self.step["crop.lq"])

    def _network(self) -> nn.Module:
        try:
            import timm  # noqa: PLC0415 - an optional library
        except ImportError as error:
            raise CannotTraceError("timm is not installed: pip install 'trainlint[networks]'") from error
        args = dict(self.step.get("networks.generator.args") or {})
        with _fused_attention(enabled=bool(self.options.get("fused_attention", True))):
            try:
                net: nn.Module = timm.create_model(self.arch, pretrained=False, **args)
            except (TypeError, ValueError, RuntimeError, AssertionError) as error:
                raise BadArgumentsError(f"{self.arch} cannot be built: {error}") from error
        return net.train()

    def _optimizer(self) -> torch.optim.Optimizer:
        found = next((entry for entry in self.step.get("optimizers") or ()), None)
        if found is None:
            raise CannotTraceError("no optimizer for the network")
        options = {name: value for name, value in found.items() if name not in ("role", "type", "lr")}
        kind = str(found.get("type"))
        return self.stage.optimizer("generator", self.net.parameters(), kind, lr=1e-3, **options)

    def train_step(self, batch: int) -> None:
        """One iteration of train_one_epoch; input, target and loss live until they are replaced."""
        if self.ahead is None:
            self.ahead = self._load(batch)
        ready = self.ahead
        self.ahead = self._load(batch)
        self.images, self.target = ready
        with self.stage.phase("generator forward"), self.stage.autocast(self.precision):
            self.loss = F.cross_entropy(self.model(self.images), self.target)
        with self.stage.phase("generator backward"):
            self.scaler.scale(self.loss).backward()  # type: ignore[no-untyped-call]
        with self.stage.phase("generator optimizer"):
            self.scaler.step(self.optimizer)
            self.scaler.update()
        self.optimizer.zero_grad()

    def _load(self, batch: int) -> tuple[Tensor, Tensor]:
        """Copy a batch of bytes and normalise it, as PrefetchLoader does on its own stream."""
        with self.stage.label("inputs", stream=LOADER_STREAM):
            raw = torch.empty(batch, self.channels, self.side, self.side, dtype=torch.uint8, device="meta")
            target = torch.empty(batch, dtype=torch.int64, device="meta")
            return raw.to(torch.float32), target

    def validate(self, height: int, width: int) -> None:
        """Classify one image without gradients."""
        self.net.eval()
        with torch.no_grad(), self.stage.autocast(self.precision):
            self.net(self.stage.input(1, self.channels, height, width))
        self.net.train()

    def checkpoint(self) -> dict[str, Any]:
        """Return what CheckpointSaver writes."""
        state = {
            "epoch": 0,
            "arch": self.arch,
            "state_dict": self.net.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "version": 2,
        }
        return {"checkpoint-N.pth.tar": state}


class Benchmark(Train):
    """benchmark.py: one batch, no loader; forward, loss and backward under autocast, no scaler.

    `options.zeroed_gradients`: zero_grad keeps the gradients (torch before 2.0).
    """

    def train_step(self, batch: int) -> None:
        """One timed step."""
        if not hasattr(self, "images"):
            self.images = self.stage.input(batch, self.channels, self.side, self.side)
        self.optimizer.zero_grad(set_to_none=not self.options.get("zeroed_gradients"))
        with self.stage.autocast(self.precision):
            with self.stage.phase("generator forward"):
                output = self.model(self.images)
            target = self.stage.input(batch, dtype=torch.int64)
            with self.stage.phase("generator backward"):
                F.cross_entropy(output, target).backward()  # type: ignore[no-untyped-call]
        with self.stage.phase("generator optimizer"):
            self.optimizer.step()


@contextmanager
def _fused_attention(*, enabled: bool) -> Iterator[None]:
    """Build networks that use scaled_dot_product_attention, or that write their attention out."""
    from timm.layers import set_fused_attn, use_fused_attn  # noqa: PLC0415 - an optional library

    before = bool(use_fused_attn())
    set_fused_attn(enable=enabled)
    try:
        yield
    finally:
        set_fused_attn(enable=before)
