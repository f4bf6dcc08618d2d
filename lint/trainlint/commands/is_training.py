# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether a command trains: by the name of its script, by a flag, or as its dry run is stored."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from trainlint.commands.flags import Argument
from trainlint.commands.launch import Launch
from trainlint.commands.stored_scripts import stored_scripts
from trainlint.expressions.patterns import later

_TRAINS = later(
    r"(?:^|[_./-])(?:re|pre|fine)?_?-?(?:train(?:er|ing)?|finetune|tune)(?=$|[_.\d-])", re.IGNORECASE
)
_CAMEL = later(r"(?:^|[a-z])Train(?:er|ing)?(?=$|[A-Z_.])")
_OTHER = later(
    r"^(?:test|eval|evaluate|infer|inference|predict|demo|sample|prepare|preprocess|convert|plot|export|check|merge)_",
    re.IGNORECASE,
)
_ENTRY = frozenset("main.py run.py cli.py __main__.py launch.py".split())  # noqa: SIM905  # words in one text read better
_TRAINERS = frozenset(
    (
        "textual_inversion.py", "textual_inversion_sdxl.py",
        "sft.py", "dpo.py", "kto.py", "orpo.py", "cpo.py", "grpo.py", "rloo.py",
    )
)  # fmt: skip
"""Scripts that train though their names do not say so: diffusers' examples, and TRL's."""
_MAY_TRAIN = later(
    r"train|tune|\b(?:trl|swift|megatron)\b|" + "|".join(map(re.escape, sorted(_ENTRY | _TRAINERS))),
    re.IGNORECASE,
)
_SAYS_SO = frozenset("train t do_train is_train training".split())  # noqa: SIM905  # words in one text read better
_MODES = frozenset("mode phase task p stage job_type".split())  # noqa: SIM905  # words in one text read better
_OF_TRAINING = frozenset(
    "epochs lr learning_rate opt optimizer sched weight_decay warmup_epochs lr_scheduler".split()  # noqa: SIM905  # words in one text read better
)
"""Flags of which one by itself says little and two say that a script trains."""
_OF_TRAINERS = frozenset(
    (
        "per_device_train_batch_size", "train_batch_size", "num_train_epochs", "max_train_steps",
        "gradient_accumulation_steps", "gradient_checkpointing", "warmup_ratio", "do_train",
    )
)  # fmt: skip
"""Flags that only a training has, whatever its script is called (transformers/training_args.py and diffusers'
examples, Apache-2.0)."""
_CONFIG = frozenset("cfg config opt config_file".split())  # noqa: SIM905  # words in one text read better
_ELSE = frozenset(
    "eval evaluate test test_only eval_only inference infer predict demo sample throughput benchmark export"  # noqa: SIM905  # words in one text read better
    " validate val resume_eval".split()
)
_HELP = frozenset(("--help", "-h"))


def may_train(text: str) -> bool:
    """Say whether a text could hold a training command at all: a quick look before it is cut into words."""
    return _MAY_TRAIN.search(text) is not None or any(script in text for script in stored_scripts.get()())


def trains(launch: Launch, arguments: Sequence[Argument]) -> bool:
    """Say whether a command trains, as far as its script, its flags and stored dry runs say it."""
    flags = {argument.name for argument in arguments if argument.name is not None}
    if launch.script is None or any(word.text in _HELP for word in launch.arguments):
        return False
    if launch.trains or (launch.script in stored_scripts.get()() and not flags & _ELSE):
        return True
    name = launch.script.replace("\\", "/").rpartition("/")[2]
    if _OTHER.match(name):
        return False
    if name in _TRAINERS or _TRAINS.search(name) or _CAMEL.search(name):
        return True
    if len(flags & _OF_TRAINERS) > 1 and not flags & _ELSE:
        return True
    modes = [argument.words[0].text for argument in arguments if argument.name in _MODES and argument.words]
    return name in _ENTRY and (
        bool(flags & _SAYS_SO) or "train" in modes or (not modes and _could_only_train(flags))
    )


def _could_only_train(flags: AbstractSet[str]) -> bool:
    """Say whether an entry point's flags are those of a training: `main.py --cfg FILE`, and no other mode."""
    return not flags & _ELSE and (len(flags & _OF_TRAINING) > 1 or bool(flags & _CONFIG))
