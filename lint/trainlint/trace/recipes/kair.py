"""KAIR's training steps: model "plain", with further inputs "plain2" and "plain4", and "gan".

Source: cszn/KAIR fc1732f, models/{model_plain,model_plain2,model_plain4,model_gan,loss}.py and
data/dataset_{ffdnet,usrnet}.py.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from trainlint.errors import CannotTraceError
from trainlint.trace.build import network
from trainlint.trace.networks.vgg import VGGFeatureExtractor, vgg_layers
from trainlint.trace.recipes.basicsr import on_cpu
from trainlint.trace.stage import Stage

RECIPES = {"kair.plain": "Plain", "kair.plain2": "Plain2", "kair.plain4": "Plain4", "kair.gan": "Gan"}

EPSILON = 1e-9  # CharbonnierLoss's default


def _charbonnier(x: Tensor, y: Tensor) -> Tensor:
    diff = x - y
    return torch.mean(torch.sqrt(diff * diff + EPSILON))


def _l2sum(x: Tensor, y: Tensor) -> Tensor:
    return F.mse_loss(x, y, reduction="sum")


PIXEL = {"l1": F.l1_loss, "l2": F.mse_loss, "l2sum": _l2sum, "charbonnier": _charbonnier}


class Plain:
    """Generator, pixel loss, Adam, EMA copy E.

    Not played, for they need less than what is: the regularisers between steps (G_regularizer_orthstep: a
    few copies of one layer's weights, where the optimizer's lists are of all), and the steps after merge_bn.
    """

    roles: tuple[str, ...] = ("pixel",)

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        self.step, self.stage = step, stage
        self.options: Mapping[str, Any] = step.get("options") or {}
        self.decay = float(step.get("ema") or 0)
        self.losses = {loss.get("role"): loss for loss in step.get("losses") or ()}
        self.net, self.arch = network(step, "generator")
        stage.register("generator", self.net, arch=self.arch)
        self.net_g = stage.replicate("generator", self.net)
        self.build_discriminator()
        if self.decay > 0:
            self.net_e = copy.deepcopy(self.net).eval()
            stage.register("generator (EMA)", self.net_e, arch=self.arch, kind="ema")
        self.pixel = self._pixel()
        self.build_losses()
        self.optimizer_g = self.optimizer("generator", self.net)

    def build_discriminator(self) -> None:
        """Build what else is trained; nothing here."""

    def build_losses(self) -> None:
        """Build further losses; nothing here."""

    def _pixel(self) -> Any:
        for role, loss in self.losses.items():
            if role not in self.roles:
                raise CannotTraceError(f"unknown loss {loss.get('type')} in the role {role}")
        kind = self.losses.get("pixel", {}).get("type")
        if kind not in PIXEL:
            raise CannotTraceError(f"unknown loss {kind}")
        return PIXEL[kind]

    def weight(self, role: str) -> float:
        """Return a loss's weight; a loss that weighs nothing is not computed."""
        value = self.losses.get(role, {}).get("loss_weight", 1)
        if not isinstance(value, int | float):
            raise CannotTraceError(f'the weight of the {role} loss must be a number, is "{value}"')
        return float(value)

    def optimizer(self, role: str, net: nn.Module) -> torch.optim.Optimizer:
        """Build Adam (or AdamW) as the step says."""
        found = [entry for entry in self.step.get("optimizers") or () if entry.get("role") == role]
        kind = str(found[0].get("type")).lower() if found else "missing"
        if kind not in {"adam", "adamw"}:
            raise CannotTraceError(f"unknown optimizer {kind}")
        decay = found[0].get("weight_decay") or 0
        name = {"adam": "Adam", "adamw": "AdamW"}[kind]
        return self.stage.optimizer(role, self.trained(net), name, lr=1e-4, weight_decay=decay)

    def trained(self, net: nn.Module) -> Iterable[Any]:
        """Return what an optimizer is given: parameters, or groups of them."""
        return net.parameters()

    def train_step(self, batch: int) -> None:
        """Run one iteration of the training loop."""
        self.feed(batch, int(self.step["crop.lq"]), int(self.step["crop.lq"]), int(self.step["crop.hr"]))
        self.optimize()
        self.follow()

    def feed(self, batch: int, height: int, width: int, target: int | tuple[int, int]) -> None:
        """Receive L, then H."""
        channels = int(self.step.get("channels", 3))
        tall, wide = (target, target) if isinstance(target, int) else target
        self.low = self.stage.input(batch, channels, height, width)
        self.high = self.stage.input(batch, int(self.options.get("target_channels", channels)), tall, wide)

    def inputs(self) -> tuple[Any, ...]:
        """Return what the generator is called with."""
        return (self.low,)

    def optimize(self) -> None:
        """zero_grad, forward, loss, backward, clip, step."""
        self.optimizer_g.zero_grad()
        with self.stage.phase("generator forward"):
            self.out = self.net_g(*self.inputs())
        with self.stage.phase("losses"):
            loss = self.weight("pixel") * self.pixel(self.out, self.high)
        with self.stage.phase("generator backward"):
            loss.backward()
        with self.stage.phase("generator optimizer"):
            if self.step.get("gradient_clip"):
                self.stage.clip_grad_norm(self.net.parameters(), 1.0)
            self.optimizer_g.step()

    def follow(self) -> None:
        """Move the EMA copy, parameter by parameter."""
        if self.decay <= 0:
            return
        with self.stage.phase("EMA"):
            now = dict(self.net.named_parameters())
            for name, average in self.net_e.named_parameters():
                average.data.mul_(self.decay).add_(now[name].data, alpha=1 - self.decay)

    def validate(self, height: int, width: int) -> None:
        """Restore one image with the generator itself; the EMA copy is only saved."""
        scale = int(self.step.get("scale", 1))
        self.feed(1, height, width, (height * scale, width * scale))
        self.net.eval()
        with torch.no_grad():
            self.out = self.net(*self.inputs())
        self.net.train()

    def checkpoint(self) -> dict[str, Any]:
        """Return <iteration>_G.pth, _E.pth and, where asked for, the optimizer's state."""
        files: dict[str, Any] = {"10000_G.pth": on_cpu(self.net)}
        if self.decay > 0:
            files["10000_E.pth"] = on_cpu(self.net_e)
        if self.options.get("save_optimizer_g"):
            files["10000_optimizerG.pth"] = self.optimizer_g.state_dict()
        return files


class Plain2(Plain):
    """A second input, C: FFDNet's noise level, one number per sample."""

    def feed(self, batch: int, height: int, width: int, target: int | tuple[int, int]) -> None:
        """Receive L, C, then H."""
        self.level = self.stage.input(batch, 1, 1, 1)
        super().feed(batch, height, width, target)

    def inputs(self) -> tuple[Any, ...]:
        """Return the image and its noise level."""
        return self.low, self.level


KERNEL = 25
"""Side of the blur kernels that the data set draws."""
SCALES = (1, 2, 3, 4)
SCALE_OF_VALIDATION = 3
"""The data set's own where the options name none (scales, sf_validation)."""


class Plain4(Plain):
    """Four inputs for USRNet: image, blur kernel, scale, noise level. The scale is drawn for each batch.

    The smallest scale has the largest input, and its spectra are folded least: it needs the most.
    """

    def __init__(self, step: Mapping[str, Any], stage: Stage) -> None:
        super().__init__(step, stage)
        scales = self.options.get("scales") or SCALES
        self.scale = min(int(scale) for scale in scales)
        stage.note(
            f"every batch draws its scale from {', '.join(map(str, scales))}; scale {self.scale}, "
            "which needs the most, is traced"
        )
        stage.note(
            "USRNet as network_usrnet_v1 has it; the other file calls torch.rfft, gone since torch 1.8"
        )

    def train_step(self, batch: int) -> None:
        """Run one iteration at the scale that needs the most."""
        side = int(self.step["crop.hr"])
        low = -(-side // self.scale)
        self.feed(batch, low, low, side)
        self.optimize()
        self.follow()

    def feed(self, batch: int, height: int, width: int, target: int | tuple[int, int]) -> None:
        """Receive L, k, sigma, then H."""
        self.kernel = self.stage.input(batch, 1, KERNEL, KERNEL)
        self.sigma = self.stage.input(batch, 1, 1, 1)
        super().feed(batch, height, width, target)

    def inputs(self) -> tuple[Any, ...]:
        """Return image, kernel, scale and noise level."""
        return self.low, self.kernel, self.scale, self.sigma

    def validate(self, height: int, width: int) -> None:
        """Restore one image of that target at the data set's validation scale."""
        train, self.scale = self.scale, int(self.options.get("sf_validation") or SCALE_OF_VALIDATION)
        ratio = int(self.step.get("scale", 1))
        tall, wide = (-(-side * ratio // self.scale) for side in (height, width))
        self.feed(1, tall, wide, (height * ratio, width * ratio))
        self.net.eval()
        with torch.no_grad():
            self.out = self.net(*self.inputs())
        self.net.train()
        self.scale = train


class Features(nn.Module):
    """KAIR's perceptual loss: VGG19 features at layer numbers; one number alone is not cloned."""

    def __init__(self, loss: Mapping[str, Any]) -> None:
        super().__init__()
        numbers = loss.get("feature_layer", [2, 7, 16, 25, 34])
        self.several = isinstance(numbers, list | tuple)
        names = [name for name, _ in vgg_layers("vgg19")]
        wanted = [names[int(number)] for number in (numbers if self.several else [numbers])]
        normed, ranged = loss.get("use_input_norm", True), loss.get("use_range_norm", False)
        self.vgg = VGGFeatureExtractor(wanted, "vgg19", normed, ranged, copies=self.several)
        if loss.get("type") not in {"l1", "l2"}:
            raise CannotTraceError(f"unknown loss {loss.get('type')} of features")
        self.compare = nn.L1Loss() if loss.get("type") == "l1" else nn.MSELoss()

    def forward(self, x: Tensor, target: Tensor) -> Tensor:
        """Return the distance over all layers."""
        ours, theirs = self.vgg(x), self.vgg(target.detach())
        loss: Any = 0.0
        for name, feature in ours.items():
            loss += (
                1.0 * self.compare(feature, theirs[name])
                if self.several
                else self.compare(feature, theirs[name])
            )
        return loss  # type: ignore[no-any-return]


class Gan(Plain):
    """The generator with the discriminator frozen; then the discriminator on real and on fake."""

    roles = ("pixel", "perceptual", "gan")

    def build_discriminator(self) -> None:
        """Build the discriminator."""
        self.dis, arch = network(self.step, "discriminator")
        self.stage.register("discriminator", self.dis, arch=arch)
        self.net_d = self.stage.replicate("discriminator", self.dis)

    def build_losses(self) -> None:
        """Build the feature loss and the adversarial loss, and the discriminator's optimizer."""
        self.kind = self.losses.get("gan", {}).get("type")
        if self.kind not in {"gan", "ragan", "lsgan", "wgan", "softplusgan"}:
            raise CannotTraceError(f"unknown GAN loss {self.kind}")
        if self.weight("perceptual") > 0 and "perceptual" in self.losses:
            self.features = Features(self.losses["perceptual"])
            self.stage.register("perceptual", self.features, arch="VGG19", kind="losses")
        self.optimizer_d = self.optimizer("discriminator", self.dis)

    def adversarial(self, pred: Tensor, real: bool) -> Tensor:
        """Return the adversarial loss of a prediction."""
        if self.kind == "wgan":
            return -1 * pred.mean() if real else pred.mean()
        if self.kind == "softplusgan":
            return F.softplus(-pred).mean() if real else F.softplus(pred).mean()
        label = torch.empty_like(pred).fill_(float(real))
        if self.kind == "lsgan":
            return F.mse_loss(pred, label)
        return F.binary_cross_entropy_with_logits(pred, label)

    def optimize(self) -> None:
        """Train the generator, then the discriminator."""
        kept = self._generator()
        with self.stage.phase("discriminator step"):
            kept += self._discriminator()
        del kept

    def _generator(self) -> tuple[Any, ...]:
        self.dis.requires_grad_(False)
        self.optimizer_g.zero_grad()
        with self.stage.phase("generator forward"):
            self.out = self.net_g(self.low)
        total: Any = 0
        kept: list[Any] = []
        with self.stage.phase("losses"):
            if self.weight("pixel") > 0:
                kept.append(self.weight("pixel") * self.pixel(self.out, self.high))
                total += kept[-1]
            if hasattr(self, "features"):
                kept.append(self.weight("perceptual") * self.features(self.out, self.high))
                total += kept[-1]
            loss, preds = self._deceive()
            total += loss
        with self.stage.phase("generator backward"):
            total.backward()
        with self.stage.phase("generator optimizer"):
            self.optimizer_g.step()
        return total, *kept, loss, *preds

    def _deceive(self) -> tuple[Tensor, tuple[Tensor, ...]]:
        weight = self.weight("gan")
        if self.kind != "ragan":
            fake = self.net_d(self.out)
            return weight * self.adversarial(fake, True), (fake,)
        real = self.net_d(self.high).detach()
        fake = self.net_d(self.out)
        of_real = self.adversarial(real - torch.mean(fake, 0, True), False)
        of_fake = self.adversarial(fake - torch.mean(real, 0, True), True)
        return weight * (of_real + of_fake) / 2, (real, fake)

    def _discriminator(self) -> tuple[Any, ...]:
        self.dis.requires_grad_(True)
        self.optimizer_d.zero_grad()
        kept = self._relativistic() if self.kind == "ragan" else self._plain()
        self.optimizer_d.step()
        self.log = [torch.mean(pred.detach()) for pred in kept[:2]]
        return kept

    def _plain(self) -> tuple[Any, ...]:
        real = self.net_d(self.high)
        of_real = self.adversarial(real, True)
        of_real.backward()
        fake = self.net_d(self.out.detach().clone())
        of_fake = self.adversarial(fake, False)
        of_fake.backward()
        return real, fake, of_real, of_fake

    def _relativistic(self) -> tuple[Any, ...]:
        fake = self.net_d(self.out).detach()
        real = self.net_d(self.high)
        of_real = 0.5 * self.adversarial(real - torch.mean(fake, 0, True), True)
        of_real.backward()
        fake = self.net_d(self.out.detach())
        of_fake = 0.5 * self.adversarial(fake - torch.mean(real.detach(), 0, True), False)
        of_fake.backward()
        return real, fake, of_real, of_fake

    def checkpoint(self) -> dict[str, Any]:
        """Return the generator's files and the discriminator's."""
        files = super().checkpoint() | {"10000_D.pth": on_cpu(self.dis)}
        if self.options.get("save_optimizer_d"):
            files["10000_optimizerD.pth"] = self.optimizer_d.state_dict()
        return files
