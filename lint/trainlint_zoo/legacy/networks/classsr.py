"""ClassSR's networks: CARN-M, FSRCNN, its RCAN, and three of one kind behind a classifier of patches.

Source: XPixelGroup/ClassSR 6c253b0, codes/models/{networks.py,archs}.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from trainlint.signature import Positive
from trainlint_zoo.basicsr.networks.msrresnet import MSRResNet
from trainlint_zoo.basicsr.networks.rcan import ChannelAttention
from trainlint_zoo.blocks.residual import Upsample

BUILDERS = {
    "basicsr-legacy:CARN_M": "CARN",
    "basicsr-legacy:fsrcnn": "FSRCNN",
    "basicsr-legacy:RCAN": "RCAN",
    "basicsr-legacy:classSR_3class_carn": "classsr_carn",
    "basicsr-legacy:classSR_3class_fsrcnn_net": "classsr_fsrcnn",
    "basicsr-legacy:classSR_3class_srresnet": "classsr_srresnet",
    "basicsr-legacy:classSR_3class_rcan": "classsr_rcan",
}

SCALE: Literal[4] = 4
"""ClassSR's three networks enlarge so much, whatever the options say."""


def mean_shift() -> nn.Conv2d:
    """Return the shift of the mean colour: a 1x1 convolution, trained (only the module's flag says no)."""
    return nn.Conv2d(3, 3, 1)


class EResidualBlock(nn.Module):
    """Two grouped convolutions and a pointwise one in a residual."""

    def __init__(self, nf: int, group: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(nf, nf, 3, 1, 1, groups=group),
            nn.ReLU(inplace=True),
            nn.Conv2d(nf, nf, 3, 1, 1, groups=group),
            nn.ReLU(inplace=True),
            nn.Conv2d(nf, nf, 1),
        )

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.body(x)
        return F.relu(out + x)


def fuse(cin: int, cout: int) -> nn.Module:
    """Return a pointwise convolution with a norm."""
    return nn.Sequential(nn.Conv2d(cin, cout, 1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True))


class Cascade(nn.Module):
    """Three blocks; each one's output joins all before and is fused with them."""

    def __init__(self, nf: int) -> None:
        super().__init__()
        self.c1 = fuse(nf * 2, nf)
        self.c2 = fuse(nf * 3, nf)
        self.c3 = fuse(nf * 4, nf)

    def cascade(self, x: Tensor, *blocks: nn.Module) -> Tensor:
        """Run the three blocks; every step has a name in the original and lives until the call returns."""
        alive = [x]
        kept = out = x
        for block, fusion in zip(blocks, (self.c1, self.c2, self.c3), strict=True):
            made = block(out)
            kept = torch.cat([kept, made], dim=1)
            out = fusion(kept)
            alive += [made, kept, out]
        return out


class CascadeBlock(Cascade):
    """A cascade of one residual block, run three times."""

    def __init__(self, nf: int, group: int) -> None:
        super().__init__(nf)
        self.b1 = EResidualBlock(nf, group)

    def forward(self, x: Tensor) -> Tensor:
        return self.cascade(x, self.b1, self.b1, self.b1)


class CARN(Cascade):
    """CARN-M: a cascade of three cascades, then grouped upsampling."""

    def __init__(
        self,
        *,
        in_nc: Positive = 3,
        out_nc: Positive = 3,
        nf: Positive = 64,
        scale: Positive = 4,
        group: Positive = 4,
    ) -> None:
        super().__init__(nf)
        self.sub_mean, self.add_mean = mean_shift(), mean_shift()
        self.entry = nn.Conv2d(in_nc, nf, 3, 1, 1)
        self.b1 = CascadeBlock(nf, group)
        self.b2 = CascadeBlock(nf, group)
        self.b3 = CascadeBlock(nf, group)
        steps = [3] if scale == 3 else [2] * (scale.bit_length() - 1)
        up: list[nn.Module] = []
        for step in steps:
            up += [
                nn.Conv2d(nf, nf * step**2, 3, 1, 1, groups=group), nn.ReLU(inplace=True),
                nn.PixelShuffle(step),
            ]  # fmt: skip
        self.upsample = nn.Sequential(*up)
        self.exit = nn.Conv2d(nf, out_nc, 3, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        x = self.entry(self.sub_mean(x))
        out = self.upsample(self.cascade(x, self.b1, self.b2, self.b3))
        return self.add_mean(self.exit(out))  # type: ignore[no-any-return]


class FSRCNN(nn.Module):
    """A narrow chain at the input's size; one transposed 9x9 convolution at the end."""

    def __init__(
        self,
        *,
        input_channels: Positive = 3,
        upscale: Positive = 4,
        d: Positive = 64,
        s: Positive = 12,
        m: Positive = 4,
    ) -> None:
        super().__init__()
        self.head_conv = nn.Sequential(nn.Conv2d(input_channels, d, 5, 1, 2), nn.PReLU())
        self.body_conv = nn.Sequential(
            nn.Sequential(nn.Conv2d(d, s, 1), nn.PReLU()),
            *(nn.Conv2d(s, s, 3, 1, 1) for _ in range(m)),
            nn.PReLU(),
            nn.Sequential(nn.Conv2d(s, d, 1), nn.PReLU()),
        )
        self.tail_conv = nn.ConvTranspose2d(d, input_channels, 9, upscale, 3, output_padding=1)

    def forward(self, x: Tensor) -> Tensor:
        return self.tail_conv(self.body_conv(self.head_conv(x)))  # type: ignore[no-any-return]


class InPlaceResidual(nn.Module):
    """A body whose output takes its input on top, in place."""

    def __init__(self, *body: nn.Module) -> None:
        super().__init__()
        self.body = nn.Sequential(*body)

    def forward(self, x: Tensor) -> Tensor:
        res: Tensor = self.body(x)
        res += x
        return res


class RCAN(nn.Module):
    """RCAN with residuals in place and trained mean shifts; `res_scale` is not used."""

    def __init__(
        self,
        *,
        n_resgroups: Positive,
        n_resblocks: Positive,
        n_feats: Positive,
        res_scale: float,  # noqa: ARG002
        n_colors: Positive,
        rgb_range: float,  # noqa: ARG002
        scale: Positive,
        reduction: Positive,
    ) -> None:
        super().__init__()

        def conv() -> nn.Module:
            return nn.Conv2d(n_feats, n_feats, 3, 1, 1)

        def block() -> nn.Module:
            attention = ChannelAttention(n_feats, reduction)
            return InPlaceResidual(conv(), nn.ReLU(inplace=True), conv(), attention)

        groups = [InPlaceResidual(*(block() for _ in range(n_resblocks)), conv()) for _ in range(n_resgroups)]
        self.sub_mean, self.add_mean = mean_shift(), mean_shift()
        self.head = nn.Sequential(nn.Conv2d(n_colors, n_feats, 3, 1, 1))
        self.body = nn.Sequential(*groups, conv())
        self.tail = nn.Sequential(Upsample(scale, n_feats), nn.Conv2d(n_feats, n_colors, 3, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        x = self.head(self.sub_mean(x))
        res: Tensor = self.body(x)
        res += x
        x = self.tail(res)
        return self.add_mean(x)  # type: ignore[no-any-return]


class Classifier(nn.Module):
    """Tells how hard a patch is: easy, medium, hard."""

    def __init__(self) -> None:
        super().__init__()
        self.lastOut = nn.Linear(32, 3)
        self.CondNet = nn.Sequential(
            nn.Conv2d(3, 128, 4, 4), nn.LeakyReLU(0.1, inplace=True),
            nn.Conv2d(128, 128, 1), nn.LeakyReLU(0.1, inplace=True),
            nn.Conv2d(128, 128, 1), nn.LeakyReLU(0.1, inplace=True),
            nn.Conv2d(128, 128, 1), nn.LeakyReLU(0.1, inplace=True),
            nn.Conv2d(128, 32, 1),
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.CondNet(x)
        out = F.avg_pool2d(out, out.shape[2])
        return self.lastOut(out.view(out.size(0), -1))  # type: ignore[no-any-return]


class ClassSR(nn.Module):
    """All three networks on every patch, weighed by its class; patch by patch, unless `whole`.

    (b, 3, h, w) -> the patches (b, 3, 4h, 4w) and their classes (b, 3). Without `train` a patch goes through
    the network of its class alone: through the largest here, which needs the most.
    """

    def __init__(self, make: Callable[[int], nn.Module], widths: tuple[int, int, int]) -> None:
        super().__init__()
        self.classifier = Classifier()
        self.net1, self.net2, self.net3 = (make(width) for width in widths)

    def forward(self, x: Tensor, train: bool) -> tuple[Tensor, Tensor]:
        results: Tensor
        classes: Tensor
        for i in range(len(x)):
            found = self.classifier(x[i].unsqueeze(0))
            p = F.softmax(found, dim=1)
            if train:
                out1 = self.net1(x[i].unsqueeze(0))
                out2 = self.net2(x[i].unsqueeze(0))
                out3 = self.net3(x[i].unsqueeze(0))
                out = out1 * p[0][0] + out2 * p[0][1] + out3 * p[0][2]
            else:
                out = self.net3(x[i].unsqueeze(0))
            if i == 0:
                results, classes = out, p
            else:
                results = torch.cat((results, out), 0)
                classes = torch.cat((classes, p), 0)
        return results, classes


class ClassRCAN(ClassSR):
    """The one on RCAN: a batch at once."""

    def forward(self, x: Tensor, train: bool) -> tuple[Tensor, Tensor]:
        found = self.classifier(x / 255.0)
        p = F.softmax(found, dim=1)
        if not train:
            return self.net3(x), p
        out1, out2, out3 = self.net1(x), self.net2(x), self.net3(x)
        p1, p2, p3 = (p[:, i].unsqueeze(1).unsqueeze(2).unsqueeze(3) for i in range(3))
        return p1 * out1 + p2 * out2 + p3 * out3, p


def classsr_carn(*, in_nc: Positive = 3, out_nc: Positive = 3) -> nn.Module:
    """Return ClassSR-CARN."""
    return ClassSR(lambda nf: CARN(in_nc=in_nc, out_nc=out_nc, nf=nf, scale=SCALE, group=4), (36, 52, 64))


def classsr_fsrcnn(*, in_nc: Positive = 3, out_nc: Positive = 3) -> nn.Module:  # noqa: ARG001  ignored there
    """Return ClassSR-FSRCNN."""
    return ClassSR(lambda d: FSRCNN(input_channels=in_nc, upscale=SCALE, d=d), (16, 36, 56))


def classsr_srresnet(*, in_nc: Positive = 3, out_nc: Positive = 3) -> nn.Module:
    """Return ClassSR-SRResNet."""
    return ClassSR(lambda nf: MSRResNet(in_nc, out_nc, nf, 16, SCALE), (36, 52, 64))


def classsr_rcan(*, in_nc: Positive = 3, out_nc: Positive = 3) -> nn.Module:  # noqa: ARG001  ignored there
    """Return ClassSR-RCAN."""

    def make(n_feats: int) -> nn.Module:
        return RCAN(
            n_resgroups=10, n_resblocks=20, n_feats=n_feats, res_scale=1, n_colors=3, rgb_range=1,
            scale=SCALE, reduction=16,
        )  # fmt: skip

    return ClassRCAN(make, (36, 50, 64))
