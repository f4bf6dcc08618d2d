# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which script a command runs, and what launches it: python, torchrun, accelerate, srun ..."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from trainlint.commands.flags import Argument, arguments_of, dest
from trainlint.commands.shell.shell_raw import Word
from trainlint.expressions.patterns import later

_VARIABLE = later(r"\$(?:\w+|\{\w+(?:\[@\])?\})")
_CONTAINERS = frozenset(("docker", "podman", "nvidia-docker", "singularity", "apptainer"))
_PYTHON = later(r"(?:python|pypy|ipython)\d*(?:\.\d+)*w?|py")
_OWN_NAME = frozenset(("torchrun", "accelerate", "deepspeed"))
_MODULES = {
    "torchrun": "torchrun",
    "torch.distributed.launch": "torch.distributed.launch",
    "torch.distributed.run": "torch.distributed.run",
    "torch.distributed.launcher": "torch.distributed.run",
    "accelerate.commands.launch": "accelerate",
    "deepspeed.launcher.runner": "deepspeed",
}
WRAPPERS = frozenset(
    (
        *(
            "nohup",
            "time",
            "sudo",
            "env",
            "start",
            "call",
            "srun",
            "sbatch",
            "mpirun",
            "mpiexec",
            "horovodrun",
        ),
        *(
            "stdbuf",
            "nice",
            "ionice",
            "numactl",
            "taskset",
            "xvfb-run",
            "timeout",
            "setsid",
            "chrt",
            "caffeinate",
        ),
        *("uv", "uvx", "poetry", "pipenv", "conda", "mamba", "micromamba", "pixi", "hatch", "rye", "pdm"),
        *("command", "exec", "winpty", "proxychains4", "singularity", "apptainer", "docker"),
    )
)
"""Programs that run the command given to them; of `docker run ...` only what follows python counts."""
_SPAWNERS = frozenset(("srun", "mpirun", "mpiexec", "horovodrun"))
"""Wrappers that start several processes: they are the launcher where no other is."""
_SWITCHES = frozenset(
    (
        *(
            "standalone",
            "use_env",
            "no_python",
            "run_path",
            "virtual_local_rank",
            "module",
        ),  # torch 2.13's run.py
        *(
            "multi_gpu",
            "cpu",
            "tpu",
            "mps",
            "ipex",
            "use_xpu",
            "use_deepspeed",
            "use_fsdp",
            "use_megatron_lm",
        ),
        *(
            "same_network",
            "quiet",
            "q",
            "debug",
            "enable_cpu_affinity",
            "dynamo_use_dynamic",
        ),  # accelerate launch
        *("no_local_rank", "force_multi", "no_ssh", "enable_each_rank_log"),  # deepspeed
    )
)
"""Launcher flags without a value; any other takes one word, unless a flag or a script follows it."""
TIMM_LAUNCHER = "distributed_train.sh"
"""timm's own launcher, "distributed_train.sh N WORDS": torchrun --nproc_per_node=N train.py WORDS."""
_TRAINING: dict[str, frozenset[str]] = {
    "llamafactory-cli": frozenset(("train",)),
    "lmf": frozenset(("train",)),
    "axolotl": frozenset(("train",)),
    "trl": frozenset(("sft", "dpo", "kto", "orpo", "cpo", "grpo", "rloo", "reward")),
    "yolo": frozenset(("train", "mode=train")),
    "litgpt": frozenset(
        ("pretrain", "finetune", "finetune_lora", "finetune_full", "finetune_adapter", "finetune_adapter_v2")
    ),
    "swift": frozenset(("sft", "pt", "rlhf")),
    "megatron": frozenset(("sft", "pt", "rlhf")),
    "xtuner": frozenset(("train",)),
}
"""Programs with commands of their own, and which of these train; "NAME COMMAND" is the script."""
_TASKS: dict[str, frozenset[str]] = {
    "yolo": frozenset(("detect", "segment", "semantic", "depth", "classify", "pose", "obb")),
}
"""Words that may stand before such a command."""
_STARTERS = _OWN_NAME | {TIMM_LAUNCHER} | set(_TRAINING)
SHELLS = frozenset(("sh", "bash", "zsh", "dash"))
_RUNS_TEXT = later(r"-[a-z]*c")
_PYTHON_TAKES = frozenset(("-W", "-X", "--check-hash-based-pycs"))


class Launch(Struct, frozen=True):
    """A script and its arguments; `name` is the launcher (None for plain python), `options` its flags."""

    name: str | None
    script: str | None
    arguments: tuple[Word, ...]
    options: tuple[Argument, ...] = ()
    name_word: Word | None = None
    script_word: Word | None = None
    module: bool = False
    trains: bool = False
    """The program's command says so, whatever its flags are."""


def launch_of(words: Sequence[Word]) -> Launch | None:
    """Find what a command runs; None where it is no Python script."""
    index = _program(words)
    if index is None:
        return None
    word = words[index]
    name = base_name(word.text)
    if name.endswith(".py"):
        launch: Launch | None = Launch(None, word.text, tuple(words[index + 1 :]), script_word=word)
    elif name == TIMM_LAUNCHER:
        launch = _started(word, words[index + 1 :])
    elif name in _TRAINING:
        launch = _trained(name, word, words[index + 1 :])
    elif name in _OWN_NAME:
        skip = 1 if name == "accelerate" else 0
        if skip and [later.text for later in words[index + 1 : index + 2]] != ["launch"]:
            return None
        launch = _launched(name, word, words[index + 1 + skip :])
    else:
        launch = _python(words[index + 1 :])
    spawner = next((before for before in words[:index] if base_name(before.text) in _SPAWNERS), None)
    if launch and spawner and launch.name is None:
        options = arguments_of(words[words.index(spawner) + 1 : index])
        kept = tuple(replace(option, words=option.words[:1]) for option in options if option.name)
        return replace(launch, name=base_name(spawner.text), name_word=spawner, options=kept)
    return launch


def script_call(words: Sequence[Word]) -> tuple[Word, tuple[Word, ...]] | None:
    """Return the shell script that a command calls, and what it is given; None where it calls none."""
    for index, word in enumerate(words):
        name = base_name(word.text)
        if name in SHELLS:
            if any(_RUNS_TEXT.fullmatch(option.text) for option in words[index + 1 : index + 3]):
                return None
            rest = [rest_word for rest_word in words[index + 1 :] if not rest_word.text.startswith("-")]
            return (rest[0], _after(words, rest[0])) if rest else None
        if name.endswith((".sh", ".bash", ".sbatch", ".slurm")):
            return word, tuple(words[index + 1 :])
        if index == 0 and name.lower() not in WRAPPERS:
            return None
    return None


def _after(words: Sequence[Word], word: Word) -> tuple[Word, ...]:
    """Return the words behind one of them."""
    return tuple(words[words.index(word) + 1 :])


def in_container(text: str) -> str:
    """Return what a container is started for, of a command that starts one; the text itself of another."""
    words = text.split()
    if not words or words[0] not in _CONTAINERS:
        return text
    for index, word in enumerate(words):
        name = base_name(word)
        if name in SHELLS or name in _STARTERS or _PYTHON.fullmatch(name.lower()):
            return " ".join(words[index:])
    return text


def base_name(text: str) -> str:
    """Return the name of a program by its path."""
    name = text.replace("\\", "/").rpartition("/")[2]
    return name[:-4] if name.lower().endswith(".exe") else name


def _program(words: Sequence[Word]) -> int | None:
    """Return where the interpreter, launcher or script is, behind wrappers and their options."""
    wrapped = False
    for index, word in enumerate(words):
        name = base_name(word.text)
        if _PYTHON.fullmatch(name.lower()) or name in _STARTERS or (name.endswith(".py") and not wrapped):
            return index
        script = base_name(words[index + 1].text) if index + 1 < len(words) else ""
        by_shell = name in SHELLS and script == TIMM_LAUNCHER
        if not wrapped and not by_shell and name.lower() not in WRAPPERS:
            return None
        wrapped = True
    return None


def _started(word: Word, words: Sequence[Word]) -> Launch | None:
    """Read what follows timm's launcher: the number of processes, then train.py's words."""
    if not words or words[0].text.startswith("-"):
        return None
    processes = Argument("nproc_per_node", words[0].start, words[0].end, (words[0],))
    return Launch("torchrun", "train.py", tuple(words[1:]), (processes,), word, word)


def _trained(name: str, word: Word, words: Sequence[Word]) -> Launch | None:
    """Read what follows a program that has commands of its own; None where this one does not train."""
    if words and (words[0].text in _TASKS.get(name, ()) or words[0].text.startswith("task=")):
        words = words[1:]
    if not words or words[0].text not in _TRAINING[name]:
        return None
    command = words[0].text.removeprefix("mode=")
    return Launch(None, f"{name} {command}", tuple(words[1:]), script_word=word, trains=True)


def _python(words: Sequence[Word]) -> Launch | None:
    """Read what follows `python`: its own options, then a script, a module, or code (no script)."""
    index = 0
    while index < len(words) and words[index].text.startswith("-"):
        option = words[index].text
        if option == "-m" or (option.endswith("m") and re.fullmatch(r"-[A-Za-z]+m", option)):
            return _module(words[index + 1 :])
        if option in ("-c", "-", "--version", "--help", "-V", "-h"):
            return None
        index += 2 if option in _PYTHON_TAKES else 1
    if index >= len(words):
        return None
    word = words[index]
    return Launch(None, word.text, tuple(words[index + 1 :]), script_word=word)


def _module(words: Sequence[Word]) -> Launch | None:
    if not words:
        return None
    word = words[0]
    if word.text in _MODULES:
        return _launched(_MODULES[word.text], word, words[1:])
    return Launch(None, _path(word.text), tuple(words[1:]), script_word=word, module=True)


def _path(module: str) -> str:
    return module if module.endswith(".py") else module.replace(".", "/") + ".py"


def _launched(name: str, name_word: Word, words: Sequence[Word]) -> Launch | None:
    """Read a launcher's own options, then its script (or module, by -m or --module)."""
    options: list[Argument] = []
    module = False
    index = 0
    while index < len(words) and words[index].text.startswith("-"):
        word = words[index]
        flag, equals, _ = word.text.lstrip("-").partition("=")
        key = dest(flag)
        if word.text in ("-m", "--module"):
            module = True
            index += 1
        elif equals or key in _SWITCHES or index + 1 >= len(words) or _is_script(words[index + 1]):
            options.extend(arguments_of([word]))
            index += 1
        else:
            options.append(Argument(key, word.start, word.end, (words[index + 1],)))
            index += 2
    before, after = words[index : index + 1], words[index + 1 : index + 2]
    if before and after and _VARIABLE.fullmatch(before[0].text) and after[0].text.endswith(".py"):
        index += 1  # options that only the shell knows
    if index >= len(words):
        return None
    script = words[index]
    text = _path(script.text) if module else script.text
    return Launch(name, text, tuple(words[index + 1 :]), tuple(options), name_word, script, module)


def _is_script(word: Word) -> bool:
    return word.text.endswith(".py") or word.text.startswith("-")
