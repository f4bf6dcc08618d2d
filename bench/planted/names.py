# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Slips in names: of networks and their arguments, losses, data sets, schedulers, metrics, optimizers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from bench.planted.keys import picked
from bench.planted.option_file import OptionFile, Planted
from bench.planted.words import misspelt
from trainlint.model.document import Path

Slip = Callable[[OptionFile], Planted | None]

NETWORKS = {
    "basicsr": ("network_g", "type"), "kair": ("netG", "net_type"), "mmsr": ("network_G", "which_model_G"),
}  # fmt: skip
MODELS = {"basicsr": ("model_type",), "kair": ("model",), "mmsr": ("model",)}
LOSSES = {
    "basicsr": ("train", "pixel_opt", "type"), "kair": ("train", "G_lossfn_type"),
    "mmsr": ("train", "pixel_criterion"),
}  # fmt: skip
DATASETS = {
    "basicsr": ("datasets", "train", "type"), "kair": ("datasets", "train", "dataset_type"),
    "mmsr": ("datasets", "train", "mode"),
}  # fmt: skip
SCHEDULERS = {
    "basicsr": ("train", "scheduler", "type"), "kair": ("train", "G_scheduler_type"),
    "mmsr": ("train", "lr_scheme"),
}  # fmt: skip
OPTIMIZERS = {"basicsr": ("train", "optim_g", "type"), "kair": ("train", "G_optimizer_type")}
SIZES = (
    "num_feat",
    "dim",
    "width",
    "embed_dim",
    "nf",
    "num_in_ch",
    "inp_channels",
    "in_nc",
    "n_feat",
    "img_channel",
)


def name_misspelt(option: OptionFile, paths: Mapping[str, Path]) -> Planted | None:
    """Misspell the name at one of these paths, so that nothing in the source has it."""
    path = paths.get(option.family)
    name = option.at(*map(str, path)) if path else None
    if not path or not isinstance(name, str) or not _is_read(option, path):
        return None
    wrong = misspelt(name)
    return None if option.checkout.has(wrong) else option.rewritten(path, _quoted(option, wrong))


def network_unknown(option: OptionFile) -> Planted | None:
    """Name a network of somebody else."""
    path = NETWORKS[option.family]
    name = "OmniFormerXL"
    usable = option.at(*path) is not None and not option.checkout.has(name)
    return option.rewritten(path, _quoted(option, name)) if usable else None


def metric_misspelt(option: OptionFile) -> Planted | None:
    """Misspell a metric of the validation."""
    metrics = option.at("val", "metrics")
    if option.family != "basicsr" or not isinstance(metrics, Mapping):
        return None
    name, metric = next(iter(metrics.items()))
    kind = metric.get("type") if isinstance(metric, Mapping) else None
    if not isinstance(kind, str) or not option.checkout.reads("metrics"):
        return None
    return option.rewritten(("val", "metrics", name, "type"), misspelt(kind))


def argument_misspelt(option: OptionFile) -> Planted | None:
    """Misspell an argument of the network."""
    path = _size(option)
    return option.renamed(path, misspelt(str(path[-1]))) if path else None


def argument_quoted(option: OptionFile) -> Planted | None:
    """Write a width of the network in quotes."""
    path = _size(option)
    value = option.at(*map(str, path)) if path else None
    return option.rewritten(path, f'"{value}"') if path and isinstance(value, int) else None


def argument_new(option: OptionFile) -> Planted | None:
    """Give a network of BasicSR an argument that no network has."""
    path = NETWORKS[option.family]
    if option.family != "basicsr" or option.at(*path) is None:
        return None
    number = option.line(path)
    line = option.document.source.line(number)
    lead = line[: len(line) - len(line.lstrip())]
    planted = option.with_line(
        number, f"{line}\n{lead}use_flash_path: true", "network_g.use_flash_path: true"
    )
    return Planted(planted.text, frozenset({number, number + 1}), planted.done)


def _size(option: OptionFile) -> Path | None:
    section = NETWORKS[option.family][0]
    names = [name for name in SIZES if option.at(section, name) is not None and option.checkout.has(name)]
    path = picked(option, names, "size")
    return path if path and path[0] == section else None


def _is_read(option: OptionFile, path: Path) -> bool:
    return option.checkout.reads(str(path[-1]))


def _quoted(option: OptionFile, name: str) -> str:
    return f'"{name}"' if option.document.format == "json" else name


KINDS: dict[str, Slip] = {
    "a misspelt network": partial(name_misspelt, paths=NETWORKS),
    "a network of somebody else": network_unknown,
    "a misspelt model": partial(name_misspelt, paths=MODELS),
    "a misspelt loss": partial(name_misspelt, paths=LOSSES),
    "a misspelt data set": partial(name_misspelt, paths=DATASETS),
    "a misspelt scheduler": partial(name_misspelt, paths=SCHEDULERS),
    "a misspelt optimizer": partial(name_misspelt, paths=OPTIMIZERS),
    "a misspelt metric": metric_misspelt,
    "a misspelt argument of the network": argument_misspelt,
    "a width of the network in quotes": argument_quoted,
    "an argument that the network does not take": argument_new,
}
