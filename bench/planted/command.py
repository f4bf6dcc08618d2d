# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Slips in the command that starts the training, in a script of its own at the checkout's root."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePosixPath

from bench.planted.checkout import Checkout
from bench.planted.option_file import OptionFile, Planted

NAME = "planted_run.sh"
TIMM = {
    "sail-sg/volo": ("main.py", "volo_d1"),
    "okojoalg/sequencer": ("train.py", "sequencer2d_s"),
    "Vision-wck/inceptionnext": ("train.py", "inceptionnext_tiny"),
}
"""Forks of timm's training script -> the script, and a model of theirs."""
TIMM_WORDS = (
    "--opt adamw --sched cosine --epochs 300 -b 32 --lr 1e-3 --weight-decay 0.05 --warmup-epochs 5"
    " --aa rand-m9-mstd0.5-inc1 --mixup 0.8 --reprob 0.25 --remode pixel"
)


@dataclass(frozen=True)
class Command:
    """A command, the folder in which it is started, and what it starts."""

    checkout: Checkout
    folder: str
    words: str
    script: str
    option: str = ""

    @property
    def text(self) -> str:
        """Return the script that runs it."""
        return f"#!/bin/bash\ncd {self.folder}\n{self.words}\n"

    def replaced(self, old: str, new: str) -> Planted | None:
        """Write something else in place of some words."""
        if not re.search(old, self.words):
            return None
        words = re.sub(old, new, self.words, count=1)
        return Planted(replace(self, words=words).text, frozenset({3}), words)

    def followed(self, words: str) -> Planted:
        """Write more words behind it."""
        return Planted(replace(self, words=f"{self.words} {words}").text, frozenset({3}), words)


def of_option(option: OptionFile) -> Command | None:
    """Return the command that trains by an option file."""
    checkout = option.checkout
    names = {
        "basicsr": ("realesrgan/train.py", "basicsr/train.py"),
        "kair": ("main_train_gan.py",) if option.at("netD") else ("main_train_psnr.py",),
        "mmsr": ("codes/train.py", "train.py"),
    }[option.family]
    script = checkout.file(*names)
    if script is None:
        return None
    folder = (
        str(PurePosixPath(script).parent)
        if option.family == "mmsr"
        else str(PurePosixPath(script).parents[len(PurePosixPath(names[0]).parents) - 1])
    )
    if not option.name.startswith("" if folder == "." else f"{folder}/"):
        return None
    below = partial(_below, folder)
    flag = "--opt" if option.family == "kair" else "-opt"
    words = f"python {below(script)} {flag} {below(option.name)}"
    return Command(checkout, folder, words, below(script), below(option.name))


def of_timm(checkout: Checkout) -> Command | None:
    """Return a command of a fork of timm's script."""
    script, model = TIMM.get(checkout.name, ("", ""))
    return (
        Command(checkout, ".", f"python {script} /data/imagenet --model {model} {TIMM_WORDS}", script)
        if script
        else None
    )


def _below(folder: str, path: str) -> str:
    return path if folder == "." else str(PurePosixPath(path).relative_to(folder))


def option_missing(command: Command) -> Planted | None:
    """Name an option file that is not there."""
    stem, _, ending = command.option.rpartition(".")
    return command.replaced(re.escape(command.option), f"{stem}_v2.{ending}") if command.option else None


def script_missing(command: Command) -> Planted | None:
    """Name a script that is not there."""
    path = PurePosixPath(command.script)
    return command.replaced(re.escape(command.script), str(path.with_name(f"{path.stem}_dist.py")))


def flag_unknown(command: Command) -> Planted | None:
    """Misspell a flag of the parser that the script has."""
    if not command.checkout.reads("--launcher") or not command.option:
        return None
    return command.followed("--laucnher pytorch")


def choice_unknown(command: Command) -> Planted | None:
    """Give a value that is none of a flag's choices."""
    choices = re.search(r"--launcher['\"],[^)]*choices=\[[^\]]*\]", command.checkout.source)
    return command.followed("--launcher torchrun") if choices and command.option else None


def too_many_processes(command: Command) -> Planted | None:
    """Start more processes than there are cards."""
    if command.option and not command.checkout.reads("--launcher"):
        return None
    rest = " --launcher pytorch" if command.option else ""
    return command.replaced(r"^python (.*)", rf"torchrun --nproc_per_node=8 \1{rest}")


def override_unknown(command: Command) -> Planted | None:
    """Override a key that the option file does not have."""
    if not command.checkout.reads("--force_yml") or not command.option:
        return None
    return command.followed("--force_yml train:total_itre=1000")


def timm_word(command: Command, old: str, new: str) -> Planted | None:
    """Change a word of a command of timm."""
    return None if command.option else command.replaced(old, new)


Slip = Callable[[Command], Planted | None]

KINDS: dict[str, Slip] = {
    "a command's option file that is not there": option_missing,
    "a command's script that is not there": script_missing,
    "a misspelt flag": flag_unknown,
    "a value that is none of a flag's choices": choice_unknown,
    "more processes than cards": too_many_processes,
    "an override of a key that is not there": override_unknown,
    "timm: a misspelt model": partial(timm_word, old=r"(--model \w+)", new=r"\1x"),
    "timm: a misspelt optimizer": partial(timm_word, old="--opt adamw", new="--opt adawm"),
    "timm: a misspelt scheduler": partial(timm_word, old="--sched cosine", new="--sched cosin"),
    "timm: a misspelt augmentation": partial(timm_word, old="--aa rand", new="--aa rnad"),
    "timm: a misspelt flag": partial(timm_word, old="--weight-decay", new="--weigth-decay"),
    "timm: a word for a number": partial(timm_word, old="-b 32", new="-b 32x2"),
    "timm: a fraction for a count": partial(timm_word, old="--epochs 300", new="--epochs 3e2"),
}
