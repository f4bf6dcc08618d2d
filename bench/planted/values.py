# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Slips in values: a wrong type, a number that cannot be, numbers that do not go together."""

from __future__ import annotations

import json
import re

from bench.planted.keys import picked
from bench.planted.option_file import OptionFile, Planted
from trainlint.model.document import Path

RATES = ("lr", "G_optimizer_lr", "lr_G")
BATCHES = ("batch_size_per_gpu", "dataloader_batch_size", "batch_size")
WORKERS = ("num_worker_per_gpu", "dataloader_num_workers", "n_workers")
FREQUENCIES = ("print_freq", "save_checkpoint_freq", "checkpoint_print", "checkpoint_save")
TRUTHS = ("use_hflip", "use_rot", "use_flip", "dataloader_shuffle", "geometric_augs", "use_mask")
PRETRAINED = ("pretrain_network_g", "pretrain_model_G", "pretrain_model")
CROPS = {"basicsr": "gt_size", "kair": "H_size", "mmsr": "GT_size"}
PAIRED = {"basicsr": ("PairedImageDataset",), "kair": ("sr",), "mmsr": ("LQGT",)}
"""Data sets that crop the small image by the large one's size and the scale."""
RANGES = ("blur_sigma", "blur_sigma2")
LISTS = ("resize_prob", "kernel_prob", "resize_prob2", "kernel_prob2")
MOST_GPUS = 2
"""Cards of the machine that the bench checks for."""


def _read(option: OptionFile, names: tuple[str, ...], kind: str) -> Path | None:
    return picked(option, filter(option.checkout.reads, names), kind)


def _value(option: OptionFile, path: Path | None) -> object:
    return None if path is None else option.at(*map(str, path))


def number_as_string(option: OptionFile) -> Planted | None:
    """Write 2e-4, which YAML takes for a word; in JSON in quotes."""
    path = _read(option, RATES, "number")
    value = _value(option, path)
    if path is None or not isinstance(value, float) or isinstance(value, bool):
        return None
    mantissa, exponent = f"{value:e}".split("e")
    word = f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"
    return option.rewritten(path, word if option.document.format == "yaml" else f'"{word}"')


def comma_after_number(option: OptionFile) -> Planted | None:
    """Leave a comma after a number, or quotes around it."""
    path = _read(option, BATCHES, "comma")
    value = _value(option, path)
    if path is None or not isinstance(value, int):
        return None
    return option.rewritten(path, f"{value}," if option.document.format == "yaml" else f'"{value}"')


def list_for_number(option: OptionFile) -> Planted | None:
    """Give a list where one number is read."""
    path = _read(option, RATES, "list")
    value = _value(option, path)
    return option.rewritten(path, f"[{value!r}]") if path and isinstance(value, float) else None


def half_a_worker(option: OptionFile) -> Planted | None:
    """Give a fraction where things are counted."""
    path = _read(option, WORKERS, "half")
    return option.rewritten(path, "2.5") if path else None


def frequency_zero(option: OptionFile) -> Planted | None:
    """Turn something off by 0 where the trainer divides by it."""
    path = _read(option, FREQUENCIES, "zero")
    if path is None or not re.search(
        rf"%\s*(int\()?\w*(\.?\w+)*(\[\s*['\"]\w+['\"]\s*\])*\[\s*['\"]{path[-1]}['\"]",
        option.checkout.source,
    ):
        return None
    return option.rewritten(path, "0")


def batch_zero(option: OptionFile) -> Planted | None:
    """Ask for batches of nothing."""
    path = _read(option, BATCHES, "batch")
    return option.rewritten(path, "0") if path else None


def quoted_truth(option: OptionFile) -> Planted | None:
    """Write "false" in quotes, which is true."""
    path = _read(option, TRUTHS, "truth")
    return option.rewritten(path, '"false"') if path and isinstance(_value(option, path), bool) else None


def none_as_word(option: OptionFile) -> Planted | None:
    """Write None in YAML, which is a word."""
    path = _read(option, PRETRAINED, "none")
    if path is None or option.document.format != "yaml" or not option.document.raw(path).strip():
        return None
    return option.rewritten(path, "None")


def number_for_pair(option: OptionFile) -> Planted | None:
    """Give one number for Adam's two betas."""
    path = ("train", "optim_g", "betas")
    return option.rewritten(path, "0.9") if isinstance(option.at(*path), list) else None


def scale_wrong(option: OptionFile) -> Planted | None:
    """Change the scale, and forget the network's own."""
    section = {"basicsr": "network_g", "kair": "netG", "mmsr": "network_G"}[option.family]
    scale = option.at("scale")
    own = next(
        (
            key
            for key in ("upscale", "scale")
            if option.at(section, key) == scale and option.checkout.reads(key)
        ),
        None,
    )
    if own is None or scale not in (2, 3, 4) or not _paired(option):
        return None
    path = (section, own)
    planted = option.rewritten(path, {2: "4", 3: "4"}.get(scale, "2"))
    return Planted(planted.text, planted.lines | {option.line(("scale",))}, planted.done)


def _paired(option: OptionFile) -> bool:
    train = option.at("datasets", "train") or {}
    return any(train.get(key) in PAIRED[option.family] for key in ("type", "dataset_type", "mode"))


def milestones_beyond(option: OptionFile) -> Planted | None:
    """Write a zero too many into the last milestone."""
    place = {"basicsr": ("train", "scheduler", "milestones"), "mmsr": ("train", "lr_steps")}.get(
        option.family
    )
    total = {"basicsr": ("train", "total_iter"), "mmsr": ("train", "niter")}.get(option.family)
    steps = option.at(*place) if place else None
    if place is None or total is None or not isinstance(steps, list) or not steps:
        return None
    planted = option.rewritten(place, json.dumps([*steps[:-1], int(steps[-1]) * 10]))
    return Planted(planted.text, planted.lines | {option.line(total)}, planted.done)


def warmup_beyond(option: OptionFile) -> Planted | None:
    """Warm up for longer than the run is."""
    path = ("train", "warmup_iter")
    total = ("train", "total_iter" if option.family == "basicsr" else "niter")
    if (
        option.at(*path) is None
        or not isinstance(option.at(*total), int | float)
        or not option.checkout.reads("warmup_iter")
    ):
        return None
    planted = option.rewritten(path, str(int(option.at(*total)) * 2))
    return Planted(planted.text, planted.lines | {option.line(total)}, planted.done)


def restarts_short(option: OptionFile) -> Planted | None:
    """Give one restart fewer weights than periods."""
    periods = option.at("train", "scheduler", "periods")
    path = ("train", "scheduler", "restart_weights")
    weights = option.at(*path)
    if not isinstance(periods, list) or not isinstance(weights, list) or len(periods) != len(weights):
        return None
    planted = option.rewritten(path, json.dumps([*weights, 1]))
    return Planted(
        planted.text, planted.lines | {option.line(("train", "scheduler", "periods"))}, planted.done
    )


def crop_not_multiple(option: OptionFile) -> Planted | None:
    """Choose a crop that the scale does not divide."""
    path, scale = option.leaves.get(CROPS[option.family]), option.at("scale")
    size = _value(option, path)
    if (
        path is None
        or not isinstance(size, int)
        or scale not in (2, 3, 4)
        or size % scale
        or not _paired(option)
    ):
        return None
    return option.rewritten(path, str(size + 1))


def resumed_from_weights(option: OptionFile) -> Planted | None:
    """Resume from weights, not from a training state."""
    path = ("path", "resume_state")
    if path not in option.document.places or not option.document.raw(path).strip():
        return None
    weights = "net_g_5000.pth" if option.family == "basicsr" else "5000_G.pth"
    return option.rewritten(path, f"../experiments/first/models/{weights}")


def file_misspelt(option: OptionFile) -> Planted | None:
    """Misspell the path of a file that the checkout has."""
    for name in ("meta_info_file", "meta_info", "meta_info_file_val"):
        path = option.leaves.get(name)
        value = _value(option, path)
        if path and isinstance(value, str) and (option.checkout.folder / value).is_file():
            stem, dot, ending = value.rpartition(".")
            return option.rewritten(path, f"{stem}s{dot}{ending}")
    return None


def probabilities_short(option: OptionFile) -> Planted | None:
    """Give fewer probabilities than there are choices."""
    path = _read(option, LISTS, "probabilities")
    value = _value(option, path)
    return (
        option.rewritten(path, json.dumps(value[:-1]))
        if path and isinstance(value, list) and len(value) > 1
        else None
    )


def range_reversed(option: OptionFile) -> Planted | None:
    """Write a range of degradations from high to low, which the source asserts it is not."""
    path = _read(option, RANGES, "range")
    value = _value(option, path)
    if path is None or not isinstance(value, list) or not option.checkout.has("Wrong sigma_x_range"):
        return None
    return option.rewritten(path, json.dumps(value[::-1]))


def gpus_not_there(option: OptionFile) -> Planted | None:
    """Name cards that the machine does not have."""
    if option.family == "basicsr":
        number = option.at("num_gpu")
        fits = isinstance(number, int) and number <= MOST_GPUS
        return option.rewritten(("num_gpu",), "8") if fits else None
    fits = option.at("gpu_ids") == [0] and option.checkout.has("CUDA_VISIBLE_DEVICES")
    return option.rewritten(("gpu_ids",), "[2, 3]") if fits else None


KINDS = {
    "a number that is read as a word (2e-4)": number_as_string,
    "a comma after a number, or quotes around it": comma_after_number,
    "a list for a number": list_for_number,
    "2.5 worker processes": half_a_worker,
    "every 0 iterations": frequency_zero,
    "a batch of 0": batch_zero,
    'a truth in quotes ("false")': quoted_truth,
    "None, a word in YAML": none_as_word,
    "one number for two betas": number_for_pair,
    "the network's scale is another": scale_wrong,
    "a milestone beyond the end": milestones_beyond,
    "a warm-up longer than the run": warmup_beyond,
    "restart weights that do not match the periods": restarts_short,
    "a crop that the scale does not divide": crop_not_multiple,
    "resumed from weights": resumed_from_weights,
    "a misspelt path of a file of the checkout": file_misspelt,
    "fewer probabilities than choices": probabilities_short,
    "a range from high to low": range_reversed,
    "GPUs that are not there": gpus_not_there,
}
