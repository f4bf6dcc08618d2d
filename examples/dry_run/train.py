# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A training program that trainlint knows nothing of: a small U-Net learns to take noise out of pictures.

trainlint dry-run -t rtx-3060 -- python examples/dry_run/train.py --batch-size 32
"""

import argparse

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    """Smooth pictures of chance."""

    def __init__(self, count, size):
        self.count, self.size = count, size

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        coarse = torch.rand(1, 3, 8, 8, generator=torch.Generator().manual_seed(index))
        return F.interpolate(coarse, self.size, mode="bicubic")[0]


def block(before, after):
    return nn.Sequential(
        nn.Conv2d(before, after, 3, padding=1), nn.GroupNorm(8, after), nn.SiLU(),
        nn.Conv2d(after, after, 3, padding=1), nn.GroupNorm(8, after), nn.SiLU(),
    )  # fmt: skip


class UNet(nn.Module):
    def __init__(self, width):
        super().__init__()
        widths = [width, 2 * width, 4 * width]
        self.down = nn.ModuleList(block(*pair) for pair in zip([3, *widths], widths))
        self.middle = block(widths[-1], widths[-1])
        self.up = nn.ModuleList(block(each + widths[-1], widths[-1]) for each in reversed(widths))
        self.last = nn.Conv2d(widths[-1], 3, 1)

    def forward(self, x):
        kept = []
        for layer in self.down:
            x = layer(x)
            kept.append(x)
            x = F.max_pool2d(x, 2)
        x = self.middle(x)
        for layer in self.up:
            x = layer(torch.cat([F.interpolate(x, scale_factor=2), kept.pop()], dim=1))
        return self.last(x)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--size", type=int, default=128)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=100)
    args = parser.parse_args()

    model = UNet(args.width).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
    scaler = torch.amp.GradScaler("cuda")
    pictures = Pictures(20_000, args.size)
    loader = DataLoader(pictures, args.batch_size, shuffle=True, num_workers=4, drop_last=True)
    for epoch in range(args.epochs):
        for clean in loader:
            clean = clean.cuda(non_blocking=True)
            noisy = clean + 0.1 * torch.randn_like(clean)
            with torch.autocast("cuda", dtype=torch.float16):
                loss = F.mse_loss(model(noisy), clean)
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
        print(f"epoch {epoch}: loss {loss.item():.4f}")
        torch.save(model.state_dict(), "denoiser.pth")


if __name__ == "__main__":
    main()
