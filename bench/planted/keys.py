# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Slips in keys and in the syntax around them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import sha256

from bench.planted.option_file import OptionFile, Planted, dotted
from bench.planted.words import misspelt
from trainlint.model.document import Path

ASKED_KEYS = {
    "basicsr": (
        "total_iter", "batch_size_per_gpu", "num_worker_per_gpu", "print_freq", "save_checkpoint_freq",
        "val_freq", "optim_g", "scheduler", "model_type", "network_g", "datasets", "gt_size", "io_backend",
        "dataroot_gt",
    ),
    "kair": (
        "dataloader_batch_size", "dataloader_num_workers", "G_lossfn_type", "G_lossfn_weight",
        "G_optimizer_lr", "G_scheduler_type", "G_scheduler_milestones", "checkpoint_save",
        "checkpoint_test", "checkpoint_print", "dataset_type", "net_type", "gan_type", "D_optimizer_lr",
    ),
    "mmsr": (
        "batch_size", "GT_size", "lr_G", "niter", "lr_steps", "lr_scheme", "print_freq",
        "save_checkpoint_freq",
        "which_model_G", "mode", "model", "network_G", "n_workers", "lr_gamma",
    ),
}  # fmt: skip
"""Keys that training stops without, where the source asks for them."""

OPTIONAL = {
    "basicsr": (
        "ema_decay",
        "warmup_iter",
        "pixel_opt",
        "perceptual_opt",
        "gan_opt",
        "use_hflip",
        "use_rot",
        "use_flip",
        "mixing_augs",
        "use_grad_clip",
        "net_d_start_iter",
    ),
    "kair": ("E_decay", "G_optimizer_wd", "G_optimizer_clipgrad", "G_regularizer_orthstep"),
    "mmsr": ("use_flip", "use_rot", "warmup_iter", "weight_decay_G", "gradient_clipping", "beta1"),
}
"""Keys without which something else is trained, where the source has them and they say something."""
OFF_VALUES = (None, False, 0, -1)

OLDER = {
    "basicsr": {
        "num_worker_per_gpu": "n_workers", "batch_size_per_gpu": "batch_size", "total_iter": "niter",
        "network_g": "network_G", "gt_size": "GT_size", "dataroot_gt": "dataroot_GT",
    },
    "kair": {"dataloader_batch_size": "batch_size", "netG": "network_g", "dataset_type": "type"},
    "mmsr": {"n_workers": "num_worker_per_gpu", "batch_size": "batch_size_per_gpu", "niter": "total_iter"},
}  # fmt: skip
"""A key -> what another release, or a relative of the trainer, calls it."""


def picked(option: OptionFile, names: Iterable[str], kind: str) -> Path | None:
    """Return one of the keys that the file has, another one in each file."""
    here = [name for name in names if name in option.leaves]
    if not here:
        return None
    return option.leaves[min(here, key=lambda name: sha256(f"{kind} {option.name} {name}".encode()).digest())]


def asked_misspelt(option: OptionFile) -> Planted | None:
    """Misspell a key that the trainer asks for."""
    path = picked(option, filter(option.checkout.asks_for, ASKED_KEYS[option.family]), "asked")
    return _renamed(option, path, misspelt(str(path[-1]))) if path else None


def optional_misspelt(option: OptionFile) -> Planted | None:
    """Misspell a key that has a default."""
    names = (
        name
        for name in filter(option.checkout.reads, OPTIONAL[option.family])
        if name in option.leaves and option.at(*map(str, option.leaves[name])) not in OFF_VALUES
    )
    path = picked(option, names, "optional")
    return _renamed(option, path, misspelt(str(path[-1]))) if path else None


def asked_missing(option: OptionFile) -> Planted | None:
    """Leave out a key that the trainer asks for."""
    path = picked(option, filter(option.checkout.asks_for, ASKED_KEYS[option.family]), "missing")
    return option.commented(path) if path else None


def discriminator_missing(option: OptionFile) -> Planted | None:
    """Train a GAN without its discriminator's section."""
    section = {"basicsr": "network_d", "kair": "netD", "mmsr": "network_D"}[option.family]
    if section not in option.leaves or not option.checkout.reads(section):
        return None
    gan = {"basicsr": "gan_opt", "kair": "gan_type", "mmsr": "gan_type"}[option.family]
    return option.commented((section,)) if gan in option.leaves else None


def older_name(option: OptionFile) -> Planted | None:
    """Call a key as another release does."""
    names = {old: new for old, new in OLDER[option.family].items() if not option.checkout.reads(new)}
    path = picked(option, filter(option.checkout.asks_for, names), "older")
    return _renamed(option, path, names[str(path[-1])]) if path else None


def twice(option: OptionFile) -> Planted | None:
    """Write a key twice, with two values, the wrong one last."""
    names = (
        "batch_size_per_gpu",
        "gt_size",
        "total_iter",
        "batch_size",
        "GT_size",
        "niter",
        "dataloader_batch_size",
        "H_size",
    )
    path = picked(option, filter(option.checkout.reads, names), "twice")
    if path is None:
        return None
    number = option.line(path)
    line = option.document.source.line(number)
    value = option.at(*map(str, path))
    again = re.sub(r"(:\s*)[\d.]+", rf"\g<1>{value // 2}", line, count=1) if isinstance(value, int) else line
    if again == line or (option.document.format == "json" and not line.lstrip().startswith(",")):
        return None
    planted = option.with_line(number, f"{line}\n{again}", f"{dotted(path)} twice, then {value // 2}")
    return Planted(planted.text, frozenset({number, number + 1}), planted.done)


def tab(option: OptionFile) -> Planted | None:
    """Indent a line with a tab."""
    number = _some_line(option, "tab")
    line = option.document.source.line(number)
    if option.document.format != "yaml" or not line.startswith(" "):
        return None
    return option.with_line(number, "\t" + line.lstrip(), "a tab for spaces")


def separator_missing(option: OptionFile) -> Planted | None:
    """Forget the colon of YAML, or the comma of JSON."""
    number = _some_line(option, "separator")
    line = option.document.source.line(number)
    changed = re.sub(r"^(\s*\w+):", r"\1", line)
    if option.document.format == "json":
        changed = re.sub(r"^(\s*),", r"\1", line)
    return None if changed == line else option.with_line(number, changed, "no colon, or no comma", around=1)


def indent_wrong(option: OptionFile) -> Planted | None:
    """Indent a line by one space more than those around it."""
    number = _some_line(option, "indent")
    line = option.document.source.line(number)
    if option.document.format != "yaml" or not line.startswith(" "):
        return None
    return option.with_line(number, " " + line, "one space too many", around=1)


def bracket_open(option: OptionFile) -> Planted | None:
    """Forget the closing bracket of a list."""
    text = option.document.source.text
    for number, line in enumerate(text.splitlines(), start=1):
        if re.match(r"[^#/]*:\s*\[[^\]#/]*\]\s*(#.*|//.*)?$", line):
            return option.with_line(number, line.replace("]", "", 1), "no closing bracket", around=1)
    return None


def _some_line(option: OptionFile, kind: str) -> int:
    """Return the line of a key with a plain value whose line before it has one, too."""
    lines = ["", *option.document.source.text.splitlines()]
    plain = re.compile(r'^\s+,?\s*"?\w+"?:\s+[^\s#/\[{&|>-]')
    fitting = [
        n
        for n in range(2, len(lines))
        if plain.match(lines[n]) and plain.match(lines[n - 1]) and _indent(lines[n]) == _indent(lines[n - 1])
    ]
    return min(fitting, key=lambda n: sha256(f"{kind} {lines[n]}".encode()).digest(), default=1)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _renamed(option: OptionFile, path: Path, name: str) -> Planted | None:
    return None if option.checkout.reads(name) else option.renamed(path, name)


KINDS = {
    "a misspelt key that the trainer asks for": asked_misspelt,
    "a misspelt key that has a default": optional_misspelt,
    "a key that the trainer asks for left out": asked_missing,
    "a GAN without its discriminator's section": discriminator_missing,
    "a key as another release calls it": older_name,
    "a key twice, with two values": twice,
    "a tab in YAML": tab,
    "a colon or comma forgotten": separator_missing,
    "one space too many": indent_wrong,
    "a bracket that is never closed": bracket_open,
}
