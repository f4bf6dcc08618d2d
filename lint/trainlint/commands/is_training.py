# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Whether a command trains: by the name of its script, or by a flag."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trainlint.commands.flags import Argument
from trainlint.commands.launch import Launch
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
_TRAINERS = frozenset(("textual_inversion.py", "textual_inversion_sdxl.py"))
"""Scripts that train though their names do not say so: diffusers' examples."""
_MAY_TRAIN = later(r"train|tune|\btrl\b|" + "|".join(map(re.escape, sorted(_ENTRY))), re.IGNORECASE)
_SAYS_SO = frozenset("train t do_train is_train training".split())  # noqa: SIM905  # words in one text read better
_MODES = frozenset("mode phase task p stage job_type".split())  # noqa: SIM905  # words in one text read better
_HELP = frozenset(("--help", "-h"))


def may_train(text: str) -> bool:
    """Say whether a text could hold a training command at all: a quick look before it is cut into words."""
    return _MAY_TRAIN.search(text) is not None


def trains(launch: Launch, arguments: Sequence[Argument]) -> bool:
    """Say whether a command trains, as far as its script's name and its flags say it."""
    flags = {argument.name for argument in arguments}
    if launch.script is None or any(word.text in _HELP for word in launch.arguments):
        return False
    if launch.trains:
        return True
    name = launch.script.replace("\\", "/").rpartition("/")[2]
    if _OTHER.match(name):
        return False
    if name in _TRAINERS or _TRAINS.search(name) or _CAMEL.search(name):
        return True
    modes = [argument.words[0].text for argument in arguments if argument.name in _MODES and argument.words]
    return name in _ENTRY and (bool(flags & _SAYS_SO) or "train" in modes)
