# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""traiNNer-redux's training steps: SRModel and RealESRGANModel (on-the-fly degradation, with a pool).

Source: the-database/traiNNer-redux 6862931, traiNNer/models.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from trainlint.errors import CannotTraceError
from trainlint.trace.building.build import build
from trainlint.trace.stage import Stage
from trainlint.trace.torch_private import foreach_lerp_
from trainlint_zoo.common import tiles
from trainlint_zoo.common.layout import in_format
from trainlint_zoo.common.pool import Pooled
from trainlint_zoo.redux.recipes.loss_table import build_loss

RECIPES = {
    "trainner-redux.SRModel": "SRModel",
    "trainner-redux.RealESRGANModel": "RealESRGANModel",
}

WITHOUT_FP16 = (
    "atd", "cfsr", "camixersr", "dat", "drct", "hat_", "hma", "rgt", "srformer", "swinir", "swin2sr",
    "swin2mose", "hit_",
)  # fmt: skip
"""Beginnings of ARCHS_WITHOUT_FP16: the trainer takes bf16 where fp16 is asked for."""
OPTIMIZERS = {
    name.upper(): name
    for name in (
        "Adadelta",
        "Adagrad",
        "Adam",
        "AdamW",
        "Adamax",
        "ASGD",
        "SGD",
        "RAdam",
        "Rprop",
        "RMSprop",
        "NAdam",
    )
}


class SRModel:
    """A list of losses, optionally a discriminator, AMP, accumulation, EMA."""

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        self.step, self.stage = step, stage
        self.options: Mapping[str, Any] = step.get("options") or {}
        self.channels = int(step.get("channels", 3))
        self.accumulate = int(step.get("accumulate") or 1)
        self.losses = [loss for loss in step.get("losses") or () if _weight(loss) > 0]
        self.refuse()
        self.precision = self._precision()
        last = self.precision != "fp32" and bool(step.get("channels_last"))
        self.format = torch.channels_last if last else torch.preserve_format
        self.net = self._network("generator")
        self.net_g = stage.replicate("generator", self.net)
        self.gan = any(_kind(loss) == "ganloss" for loss in self.losses)
        if self.gan:
            self.dis = self._network("discriminator")
            self.net_d = stage.replicate("discriminator", self.dis)
        scaling = self.precision == "fp16"
        self.scaler_g, self.scaler_d = stage.scaler(enabled=scaling), stage.scaler(enabled=scaling)
        self.averaging = float(step.get("ema") or 0) > 0
        if self.averaging:
            self.net_ema = copy.deepcopy(self.net).requires_grad_(False)
            stage.register("generator (EMA)", self.net_ema, kind="ema")
        self.criteria = {_kind(loss): self._criterion(loss) for loss in self.losses}
        self.optimizer_g = self._optimizer("generator", self.net)
        if self.gan:
            self.optimizer_d = self._optimizer("discriminator", self.dis)

    def refuse(self) -> None:
        """Say what is not modeled, and what the trainer refuses."""
        if not self.losses:
            raise CannotTraceError("at least one loss must be defined")
        if any(_kind(loss) == "ldlloss" for loss in self.losses) and not float(self.step.get("ema") or 0) > 0:
            raise CannotTraceError("ldlloss needs ema_decay: it compares with the average's output")
        if self.options.get("use_moa"):
            self.stage.note("the mixture of augmentations (use_moa) is not traced")

    def _precision(self) -> str:
        asked = str(self.step.get("precision", "fp32"))
        arch = str(self.step.get("networks.generator.arch", ""))
        return "bf16" if asked == "fp16" and arch.startswith(WITHOUT_FP16) else asked

    def _network(self, role: str) -> nn.Module:
        arch = self.step.get(f"networks.{role}.arch")
        if not isinstance(arch, str):
            raise CannotTraceError(f"no {role} network is named")
        args = dict(self.step.get(f"networks.{role}.args") or {})
        if role == "generator":
            args["scale"] = int(self.step.get("scale", 1))
        net = in_format(build("trainner-redux", arch, args), self.format)
        self.stage.register(role, net, arch=arch)
        return net

    def _criterion(self, loss: Mapping[str, Any]) -> nn.Module:
        criterion = in_format(build_loss(loss), self.format)
        if any(True for _ in criterion.parameters()) or any(True for _ in criterion.buffers()):
            self.stage.register(
                str(loss.get("role", _kind(loss))), criterion, arch=_kind(loss), kind="losses"
            )
        return criterion

    def _optimizer(self, role: str, net: nn.Module) -> torch.optim.Optimizer:
        entries = [entry for entry in self.step.get("optimizers") or () if entry.get("role") == role]
        if not entries:
            raise CannotTraceError(f"no optimizer for the {role}")
        kind = OPTIMIZERS.get(str(entries[0].get("type")).upper())
        if kind is None:
            raise CannotTraceError(f"unknown optimizer {entries[0].get('type')}")
        options = {name: value for name, value in entries[0].items() if name not in ("role", "type", "lr")}
        trained = [p for p in net.parameters() if p.requires_grad]
        return self.stage.optimizer(role, trained, kind, lr=1e-4, **options)

    def train_step(self, batch: int) -> None:
        """Run as many micro-batches as one update takes."""
        for number in range(1, self.accumulate + 1):
            self.feed(batch)
            self.optimize(update=number == self.accumulate)
        if self.averaging:
            with self.stage.phase("EMA"):
                averages = [average.data for average in self.net_ema.parameters()]
                foreach_lerp_(averages, [now.data for now in self.net.parameters()], 0.001)

    def feed(self, batch: int) -> None:
        """Receive a batch."""
        lq, hr = int(self.step["crop.lq"]), int(self.step["crop.hr"])
        self.lq, self.gt = self.clip(batch, lq, lq), self.image(batch, hr, hr)

    def clip(self, batch: int, height: int, width: int) -> Tensor:
        """Return a batch of inputs: images, or the frames of a clip, whose middle one is the target's."""
        frames = int(self.step.get("frames") or 1)
        if frames == 1:
            return self.image(batch, height, width)
        if self.format is torch.channels_last:
            raise CannotTraceError("use_channels_last is for images alone: torch refuses it for clips")
        return self.stage.input(batch, frames, self.channels, height, width)

    def image(self, batch: int, height: int, width: int) -> Tensor:
        """Return a batch of images in the run's memory format."""
        if self.format is torch.channels_last:
            return self.stage.input(batch, height, width, self.channels).permute(0, 3, 1, 2)
        return self.stage.input(batch, self.channels, height, width)

    def optimize(self, *, update: bool) -> None:
        """Run the generator's half, then the discriminator's."""
        log: dict[str, Tensor] = {}
        kept = self._generator(log, update=update)
        if self.gan:
            with self.stage.phase("discriminator step"):
                kept += self._discriminator(log, update=update)
        del kept

    def _generator(self, log: dict[str, Tensor], *, update: bool) -> tuple[Any, ...]:
        if self.gan:
            self.dis.requires_grad_(False)
        pred = averaged = None  # the trainer's local names: they live until its step ends
        with self.stage.autocast(self.precision):
            with self.stage.phase("generator forward"):
                self.output = self.net_g(self.lq)
                total = torch.tensor(0.0, device=self.output.device)
            with self.stage.phase("losses"):
                for kind, criterion in self.criteria.items():
                    if kind == "ganloss":
                        pred = self.net_d(self.output)
                        loss = criterion(pred, True, is_disc=False)
                    elif kind == "ldlloss":
                        with torch.no_grad():
                            averaged = self.net_ema(self.lq)
                        loss = criterion(self.output, averaged, self.gt)
                    else:
                        loss = criterion(self.output, self.gt)
                    total += loss * 1.0 / self.accumulate
                    log[kind] = loss
            with self.stage.phase("generator backward"), torch.autocast("cuda", enabled=False):
                self.scaler_g.scale(total).backward()
            if update:
                self._step("generator", self.scaler_g, self.optimizer_g, self.net)
        return total, pred, averaged

    def _step(self, role: str, scaler: Any, optimizer: torch.optim.Optimizer, net: nn.Module) -> None:
        """Clip, step, and free the gradients."""
        with self.stage.phase(f"{role} optimizer"):
            if self.step.get("gradient_clip"):
                scaler.unscale_(optimizer)
                self.stage.clip_grad_norm(net.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()

    def _discriminator(self, log: dict[str, Tensor], *, update: bool) -> tuple[Any, ...]:
        self.dis.requires_grad_(True)
        criterion = self.criteria["ganloss"]
        with self.stage.autocast(self.precision):
            real = self.net_d(self.gt)
            of_real = criterion(real, True, is_disc=True)
            log["out real"] = torch.mean(real.detach())
            fake = self.net_d(self.output.detach())
            of_fake = criterion(fake, False, is_disc=True)
            log["out fake"] = torch.mean(fake.detach())
        self.scaler_d.scale((of_real + of_fake) / self.accumulate).backward()
        if update:
            self._step("discriminator", self.scaler_d, self.optimizer_d, self.dis)
        return real, fake, of_real, of_fake

    def validate(self, height: int, width: int) -> None:
        """Restore one image with the EMA copy if there is one."""
        scale = int(self.step.get("scale", 1))
        self.lq = self.clip(1, height, width)
        self.gt = self.image(1, height * scale, width * scale)
        self.stage.mark("validation")
        net = self.net_ema if self.averaging else self.net
        net.eval()
        with self.stage.autocast(self.precision), torch.no_grad():
            self.output = self.restored(net, scale)
        if not self.averaging:
            net.train()

    def restored(self, net: nn.Module, scale: int) -> Tensor:
        """Run a network on the validation image, in one piece or in the tiles that the config asks for."""
        tile, overlap = (int(self.step.get(f"validation.{name}") or 0) for name in ("tile", "overlap"))
        if not tile:
            out: Tensor = net(self.lq)
            return out
        if self.lq.dim() > 4:  # noqa: PLR2004 - a clip
            raise CannotTraceError("the tiles of a clip are not known")
        if overlap >= tile:
            raise CannotTraceError(f"tiles of {tile} cannot overlap by {overlap}")
        return tiles.blended(net, self.lq, scale, tile, overlap)

    def checkpoint(self) -> dict[str, Any]:
        """Return the weights, averaged and plain, the discriminator's and the training state."""
        suffix = str(self.options.get("save_checkpoint_format", "safetensors"))
        files: dict[str, Any] = {}
        if self.averaging:
            files[f"net_g_ema_N.{suffix}"] = self._saved(self.net_ema, "params_ema", suffix)
        files[f"net_g_N.{suffix}"] = self._saved(self.net, "params", suffix)
        if self.gan:
            files[f"net_d_N.{suffix}"] = self._saved(self.dis, "params", suffix)
        optimizers = [self.optimizer_g, *([self.optimizer_d] if self.gan else [])]
        files["1000000.state"] = {
            "epoch": 0, "iter": 100, "optimizers": [o.state_dict() for o in optimizers],
            "schedulers": [torch.optim.lr_scheduler.MultiStepLR(o, [1]).state_dict() for o in optimizers],
        }  # fmt: skip
        return files

    def _saved(self, net: nn.Module, key: str, suffix: str) -> dict[str, Any]:
        tensors: dict[str, Any] = {name: tensor.cpu() for name, tensor in net.state_dict().items()}
        return tensors if suffix == "safetensors" else {key: tensors}


class RealESRGANModel(Pooled, SRModel):
    """SRModel on images degraded on the GPU and mixed in a pool; the degradation itself is not traced."""

    def feed(self, batch: int) -> None:
        """Degrade, put into the pool, take another batch out."""
        super().feed(batch)
        self.mix(batch)


def _kind(loss: Mapping[str, Any]) -> str:
    return str(loss.get("type")).lower()


def _weight(loss: Mapping[str, Any]) -> float:
    value = loss.get("loss_weight", 1)
    if not isinstance(value, int | float):
        raise CannotTraceError(f'the weight of {loss.get("type")} must be a number, is "{value}"')
    return float(value)
