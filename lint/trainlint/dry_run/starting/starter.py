# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What torchrun, accelerate launch, deepspeed and their kin make of a command: the first of their processes.

Each tells a process by variables who it is. Names and values are from torch/distributed/run.py and launch.py,
accelerate/utils/launch.py and deepspeed/launcher/launch.py.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from trainlint.config.yaml import parse_yaml
from trainlint.dry_run.starting.program import Program
from trainlint.errors import UnreadableError, UsageError
from trainlint.files.text_source import regular_bytes, source_of

STARTERS: Final = ("torchrun", "accelerate", "deepspeed")
MODULES: Final = {
    "torch.distributed.run": "torchrun",
    "torch.distributed.launcher": "torchrun",
    "torch.distributed.launch": "torch.distributed.launch",
    "accelerate.commands.launch": "accelerate",
    "accelerate.commands.accelerate_cli": "accelerate",
    "deepspeed.launcher.runner": "deepspeed",
}
"""Module -> the starter that it is."""
SWITCHES: Final = frozenset(
    (
        "bind_cores_to_core", "cpu", "debug", "downcast_bf16", "dynamo_use_dynamic", "dynamo_use_fullgraph",
        "dynamo_use_regional_compilation", "enable_cpu_affinity", "enable_each_rank_log",
        "enable_elastic_training", "force_multi", "log_line_prefix_template_", "m", "module", "mps",
        "multi_gpu", "no_color", "no_local_rank", "no_python", "no_ssh", "no_ssh_check", "q", "quiet",
        "run_path", "same_network", "signals_to_handle_", "standalone", "tpu", "use_deepspeed", "use_env",
        "use_fsdp", "use_megatron_lm", "use_parallelism_config", "use_tp", "use_xpu", "virtual_local_rank",
        "zero3_init_flag_",
    )
)  # fmt: skip
"""Options without a value; every other takes the next word."""
PORT: Final = "29500"
CONFIG: Final = 65536
"""Bytes of accelerate's config; `accelerate config` writes 600."""
PER_GPU: Final = ("gpu", "auto", "cuda")
"""Words that mean: as many processes as there are GPUs."""


def started(name: str, words: Sequence[str], interpreter: str) -> Program:
    """Return the program that a starter runs; UsageError where its words name none."""
    if name == "accelerate":
        if words and words[0] != "launch" and not words[0].startswith("-") and not words[0].endswith(".py"):
            raise UsageError(f'"accelerate {words[0]}" trains nothing: expected accelerate launch ...')
        words = words[1:] if words and words[0] == "launch" else words
    options, rest = _options(words)
    if not rest:
        raise UsageError(f'"{name}" is given no script to start')
    make = {
        "torchrun": _torchrun,
        "torch.distributed.launch": _launch,
        "accelerate": _accelerate,
        "deepspeed": _deepspeed,
    }
    return make[name](options, _plain(rest, options, interpreter))


def _options(words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Return a starter's own options by name, and what follows them."""
    options: dict[str, str] = {}
    position = 0
    while position < len(words) and words[position].startswith("-"):
        name, equals, value = words[position].lstrip("-").partition("=")
        key = name.replace("-", "_")
        if equals:
            options[key] = value
        elif key in SWITCHES or position + 1 >= len(words):
            options[key] = "true"
        else:
            options[key] = words[position + 1]
            position += 1
        position += 1
    return options, list(words[position:])


def _plain(rest: Sequence[str], options: Mapping[str, str], interpreter: str) -> Program:
    """Return the program as one process of it runs."""
    if "no_python" in options:
        raise UsageError(f'"{rest[0]}" is started without Python: name the Python command itself')
    if {"m", "module"} & options.keys():
        return Program((), interpreter, ("-m", *rest), f"python -m {rest[0]}", position=2)
    return Program((), interpreter, tuple(rest), rest[0], position=1)


def _count(text: str | None, option: str) -> int | None:
    """Return a number of processes; 0 where it is that of the GPUs, None where nothing is said."""
    if text is None:
        return None
    if text.lower() in PER_GPU:
        return 0
    first = text.partition(":")[0]  # 1:4, as an elastic run has it, begins with as few
    if not first.isdecimal() or not int(first):
        raise UsageError(f'"{option} {text}" is not a number of processes')
    return int(first)


def ranked(program: Program, processes: int, nodes: int = 1) -> dict[str, str]:
    """Return the variables by which torchrun tells the first of so many processes who it is."""
    world = str(processes * nodes)
    return {
        "RANK": "0", "LOCAL_RANK": "0", "GROUP_RANK": "0", "ROLE_RANK": "0", "ROLE_NAME": "default",
        "WORLD_SIZE": world, "LOCAL_WORLD_SIZE": str(processes), "GROUP_WORLD_SIZE": str(nodes),
        "ROLE_WORLD_SIZE": world, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": PORT,
        "TORCHELASTIC_RESTART_COUNT": "0", "TORCHELASTIC_MAX_RESTARTS": "0", "TORCHELASTIC_RUN_ID": "none",
        "TORCH_NCCL_ASYNC_ERROR_HANDLING": "1",
        **({"OMP_NUM_THREADS": "1"} if processes > 1 and "OMP_NUM_THREADS" not in os.environ else {}),
        **program.environment,
    }  # fmt: skip


def _torchrun(options: Mapping[str, str], program: Program) -> Program:
    given = options.get("nproc_per_node", options.get("nproc-per-node"))
    count = _count(given, "--nproc_per_node")
    nodes = _count(options.get("nnodes"), "--nnodes") or 1
    return replace(program, starter="torchrun", processes=1 if count is None else count, nodes=nodes)


def _launch(options: Mapping[str, str], program: Program) -> Program:
    launch = _torchrun(options, program)
    if "use_env" in options:
        return replace(launch, starter="torch.distributed.launch")
    words = (*launch.arguments[: launch.position], "--local-rank=0", *launch.own_words)
    return replace(launch, arguments=words, starter="torch.distributed.launch")


def _deepspeed(options: Mapping[str, str], program: Program) -> Program:
    count = _count(options.get("num_gpus"), "--num_gpus") or _listed(options.get("include", options.get("i")))
    nodes = _count(options.get("num_nodes"), "--num_nodes") or 1
    words = program.arguments
    if "no_local_rank" not in options:
        words = (*program.arguments[: program.position], "--local_rank=0", *program.own_words)
    environment = {"CROSS_RANK": "0", "CROSS_SIZE": str(nodes), "LOCAL_SIZE": str(count or 1)}
    return replace(
        program,
        starter="deepspeed",
        processes=count or 0,
        nodes=nodes,
        arguments=words,
        environment=environment,
    )


def _listed(include: str | None) -> int:
    """Return how many GPUs `localhost:0,1` lists; 0 where it says nothing."""
    return len(include.rpartition(":")[2].split(",")) if include and ":" in include else 0


def _accelerate(options: Mapping[str, str], program: Program) -> Program:
    """Read accelerate's options, with those of its config behind them."""
    config = _config(options.get("config_file"))
    value = {**config, **options}
    kind = str(config.get("distributed_type", "NO"))
    several = "multi_gpu" in options or kind not in ("NO", "MULTI_CPU")
    deepspeed, fsdp = (
        "use_deepspeed" in options or kind == "DEEPSPEED",
        "use_fsdp" in options or kind == "FSDP",
    )
    alone = not (several or deepspeed or fsdp) and bool(config) and "num_processes" not in options
    count = 1 if alone else _count(_text(value.get("num_processes")), "--num_processes") or 0
    nodes = _count(_text(value.get("num_machines")), "--num_machines") or 1
    environment = {
        "ACCELERATE_MIXED_PRECISION": str(value.get("mixed_precision", "no")).lower(),
        "ACCELERATE_USE_CPU": "false",
        "ACCELERATE_DEBUG_MODE": "false",
        "ACCELERATE_DYNAMO_BACKEND": _dynamo(value, config),
    }  # fmt: skip
    if "gradient_accumulation_steps" in value:
        environment["ACCELERATE_GRADIENT_ACCUMULATION_STEPS"] = str(value["gradient_accumulation_steps"])
    if fsdp:
        environment |= {"ACCELERATE_USE_FSDP": "true", **_named("FSDP_", "fsdp_", config, options)}
    if deepspeed:
        environment |= {
            "ACCELERATE_USE_DEEPSPEED": "true",
            **_named("ACCELERATE_DEEPSPEED_", "", config, options),
        }
    return replace(
        program,
        starter="accelerate launch",
        processes=count,
        nodes=nodes if count else 1,
        environment=environment,
    )


def _dynamo(value: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    """Return which compiler is asked for, NO where none is."""
    inner = _inside(config, "dynamo_config").get("dynamo_backend", "NO")
    return str(value.get("dynamo_backend", inner)).upper()


def _named(prefix: str, key: str, config: Mapping[str, Any], options: Mapping[str, str]) -> dict[str, str]:
    """Return a plugin's settings as variables: FSDP_SHARDING_STRATEGY, ACCELERATE_DEEPSPEED_ZERO_STAGE."""
    section = _inside(config, "fsdp_config" if key else "deepspeed_config")
    given = {**section, **{name: value for name, value in options.items() if key and name.startswith(key)}}
    if not key:
        given |= {
            name: value for name, value in options.items() if name in ("zero_stage", "gradient_clipping")
        }
        given |= {
            "config_file": given.pop("deepspeed_config_file", None) or options.get("deepspeed_config_file")
        }
    named = {name.removeprefix(key).upper(): value for name, value in given.items() if value is not None}
    return {f"{prefix}{name}": _switch(value) for name, value in named.items()}


def _switch(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _inside(config: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    setting = config.get(name)
    return setting if isinstance(setting, Mapping) else {}


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _config(named: str | None) -> dict[str, Any]:
    """Return accelerate's config: the file that is named, else the user's own; {} where there is none."""
    cache = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "huggingface")
    own = Path(cache, "accelerate", "default_config.yaml").expanduser()
    path = Path(named) if named is not None else own
    if named is None and not path.is_file():
        return {}
    try:
        documents = parse_yaml(source_of(regular_bytes(str(path), CONFIG), str(path)))
    except (UnreadableError, OSError) as error:
        raise UsageError(f'accelerate\'s config "{path}" cannot be read: {error}') from error
    value = documents[0].value if documents else None
    if not isinstance(value, Mapping):
        raise UsageError(f'"{path}" is not a config of accelerate: expected keys such as num_processes')
    return {str(name): item for name, item in value.items() if item is not None}
