# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What could never be traced, said without torch, which need not be installed for that."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from trainlint.catalogue.signature import locate
from trainlint.catalogue.zoo import library_networks
from trainlint.catalogue.zoo.packages import listed
from trainlint.catalogue.zoo.recipes import place
from trainlint.errors import CannotTraceError, most_alike
from trainlint.expressions.patterns import later
from trainlint.tape.step import ROLES

LANGUAGE: Final = "transformers."
IMAGE: Final = "diffusers."
ADAPTERS: Final = (
    "none", "lora", "dora",
    "lycoris.lokr", "lycoris.loha", "lycoris.locon", "lycoris.ia3", "lycoris.full",
)  # fmt: skip
"""Kinds of trainlint_zoo/diffusers/recipes/denoiser.py and lycoris_adapters.py."""
DENOISERS: Final = (
    "UNet2DConditionModel", "UNet2DModel", "FluxTransformer2DModel", "ChromaTransformer2DModel",
    "AuraFlowTransformer2DModel", "SD3Transformer2DModel", "PixArtTransformer2DModel",
    "SanaTransformer2DModel", "Lumina2Transformer2DModel",
)  # fmt: skip
"""Networks of diffusers whose inputs trainlint_zoo/diffusers/recipes/model_inputs.py makes."""
STORED: Final = ("qfloat8", "qint8", "fp8", *(f"uint{bits}" for bits in range(2, 8)))
"""Kinds of weights of that file and of packed_weights.py next to it."""
ONETRAINER: Final = "onetrainer"
"""Who makes the adapters, of a trainer whose configs are read and whose steps are not played."""
SD_SCRIPTS: Final = "sd-scripts"
"""Who trains the whole of a transformer of its own, some of whose blocks may be swapped."""
NOT_PLAYED: Final = {
    "networks.dylora": "trains one rank of each layer in a step, drawn at random",
    "networks.lora_fa": "trains the second matrix of each pair alone",
    "networks.oft": "turns each layer's weight by blocks, in fp32, in each forward",
    "networks.oft_flux": "turns each layer's weight by blocks, in fp32, in each forward",
    "networks.lora_sd3": "adapts both CLIPs but for --network_train_unet_only and encodes what is not cached",
}
"""Modules of sd-scripts (48d368f, networks/) -> what they do otherwise than LoRA."""
LYCORIS: Final = "lycoris"
"""How the kind begins where LyCORIS plays the adapters."""
BY_KERNEL: Final = (
    "keeps more or less by the kernel that LyCORIS chooses when it runs: fused, compiled or torch's"
)
OF_LYCORIS: Final = {
    "lycoris.dora": f"dora_wd {BY_KERNEL}",
    "lycoris.bypass": f"bypass_mode {BY_KERNEL}",
    "lycoris.glora": f"GLoRA {BY_KERNEL}",
    "lycoris.diag-oft": f"OFT {BY_KERNEL}",
    "lycoris.boft": f"BOFT {BY_KERNEL}",
    "lycoris.dylora": "DyLoRA trains a block of ranks in a step, drawn at random for each layer",
    "lycoris.full of SDXL": "its full weights have the type of the checkpoint's file, 16 bits or 32",
}
"""Kinds of LyCORIS 4.1 (lycoris/modules, lycoris/kernels/select.py) -> why they are not played."""
SFT: Final = "transformers.SFT"
OBJECTIVES: Final = ("sft", "pt")
ATTENTION: Final = ("flash_attention_2", "flash_attention_3", "sdpa", "eager")
"""Of trainlint_zoo/transformers/recipes/sft.py."""
TRAINED: Final = ("none", "freeze", "lora", "dora")
"""What of a language model is trained (trainlint_zoo/transformers/recipes/adapters.py)."""
QUANTISED: Final = ("nf4", "fp4")
"""Weights' kinds of trainlint_zoo/blocks/four_bit.py."""
RUN_IT: Final = "trainlint dry-run -- COMMAND plays the program itself"
_CLASS: Final = later(r"(transformers\.)?[A-Z]\w*")
"""How an optimizer's class is written; a name of another form is a trainer's, which no dialect knows."""
OWN_NAMES: Final = ("timm.", "trainlint")
"""Recipes whose networks are named in their own way (timm's model names, module:Class)."""
_OWN: Final = later(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
"""A class of the user's: package.module:Class."""


LARGEST_LIST_SUM: Final = 100_000
"""What the numbers of one list (depths, heads, sizes) may come to: constructors expand such lists before the
first module is made, of which trace/building/build.py counts 30,000. Published ones come to some hundreds."""


def check_known(step: Mapping[str, Any]) -> None:
    """Raise CannotTraceError where a language or image model is trained in a way that no recipe has."""
    if str(step.get("recipe")).startswith(IMAGE):
        options = step.get("options") or {}
        if options.get("adapters") == ONETRAINER:
            raise CannotTraceError(f"OneTrainer casts, checkpoints and offloads in its own way; {RUN_IT}")
        if options.get("trained_by") == SD_SCRIPTS:
            raise CannotTraceError(f"sd-scripts trains a whole transformer in its own way; {RUN_IT}")
        denoiser = ((step.get("model.config") or {}).get("network") or {}).get("class", DENOISERS[0])
        if denoiser not in DENOISERS:
            raise CannotTraceError(f"what {denoiser} is given in a step is not known; {RUN_IT}")
        _check_image_model(str(step.get("adapter.kind", "none")), step.get("quant.kind"))
    if not str(step.get("recipe")).startswith(LANGUAGE):
        return
    objective = str(step.get("objective", "sft"))
    if objective not in OBJECTIVES:
        raise CannotTraceError(f'the step of the objective "{objective}" is not known; {RUN_IT}')
    if step.get("loss.kernel") == "unsloth":
        raise CannotTraceError(f"Unsloth's own kernels and checkpointing are not known; {RUN_IT}")
    _check_parts(step)
    kind = step.get("quant.kind")
    if kind is not None and kind not in QUANTISED:
        raise CannotTraceError(f"what {kind} weights take in a step has not been compared with a measurement")
    if not step.get("sequence.length"):
        raise CannotTraceError("how many tokens a sample has is not known: no length bounds it")


def _check_parts(step: Mapping[str, Any]) -> None:
    """Raise CannotTraceError for a language model's optimizer, adapter or attention that is not played."""
    optimizer = next((str(entry.get("type", "AdamW")) for entry in step.get("optimizers") or ()), "AdamW")
    if not _CLASS.fullmatch(optimizer):
        raise CannotTraceError(f'what the optimizer "{optimizer}" keeps is not known; {RUN_IT}')
    adapter = str(step.get("adapter.kind", "none"))
    if adapter not in TRAINED:
        raise CannotTraceError(f'what adapters of the kind "{adapter}" keep is not known; {RUN_IT}')
    attention = step.get("attention.implementation", "sdpa")
    if step.get("recipe") == SFT and attention not in ATTENTION:
        raise CannotTraceError(f'what the attention "{attention}" keeps is not known; {RUN_IT}')


def _check_image_model(kind: str, stored: str | None) -> None:
    """Raise CannotTraceError for an image model's adapters or weights that are not played."""
    if stored is not None and stored not in STORED:
        raise CannotTraceError(f"what {stored} weights take in a step is not known; {RUN_IT}")
    if kind in ADAPTERS:
        return
    if kind in OF_LYCORIS:
        raise CannotTraceError(f"{OF_LYCORIS[kind]}, which is not played; {RUN_IT}")
    if kind.partition(".")[0] == LYCORIS:
        raise CannotTraceError(
            f"what LyCORIS ({kind}) keeps hangs on its file and release, and is not known; {RUN_IT}"
        )
    if kind in NOT_PLAYED:
        raise CannotTraceError(f"{kind} {NOT_PLAYED[kind]}, which is not played; {RUN_IT}")
    raise CannotTraceError(
        f'what adapters of the kind "{kind}" keep is not known, only that of lora; {RUN_IT}'
    )


def check_allowed(step: Mapping[str, Any]) -> None:
    """Raise CannotTraceError where a network is the user's own code, which nothing here may run."""
    for role in ROLES:
        arch = step.get(f"networks.{role}.arch")
        if isinstance(arch, str) and _OWN.fullmatch(arch) and not str(step.get("recipe")).startswith("timm."):
            raise CannotTraceError(
                f'network "{arch}" is code of your own: allow it with --python PATH, an interpreter that can '
                f"import {arch.partition(':')[0]} and torch 2.6 or later"
            )


def check_countable(step: Mapping[str, Any]) -> None:
    """Raise CannotTraceError where a list of a network's arguments counts more than is worked through."""
    for role in ROLES:
        for name, value in dict(step.get(f"networks.{role}.args") or {}).items():
            if isinstance(value, list | tuple) and (count := _counted(value)) > LARGEST_LIST_SUM:
                raise CannotTraceError(
                    f"{name} of {step.get(f'networks.{role}.arch')} comes to {count:,} in all, and a step is "
                    f"traced up to {LARGEST_LIST_SUM:,}"
                )


def _counted(value: Any) -> int:
    """Return the sum of the whole numbers in a value."""
    if isinstance(value, list | tuple):
        return sum(map(_counted, value))
    return abs(value) if isinstance(value, int) else 0


def check_listed(step: Mapping[str, Any], paths: Sequence[Path]) -> None:
    """Raise CannotTraceError where the user's own files list what the step asks for under another name."""
    recipe, dialect = str(step.get("recipe", "")), str(step.get("dialect", ""))
    try:
        place(recipe, paths)
    except CannotTraceError as error:
        _raise_meant(error.reason, "RECIPES", recipe, paths)
    for role in ROLES:
        arch = step.get(f"networks.{role}.arch")
        if not isinstance(arch, str) or recipe.startswith(OWN_NAMES) or _exists(dialect, arch):
            continue
        if locate(dialect, arch, paths) is None:
            _raise_meant(library_networks.unknown(dialect, arch), "BUILDERS", arch, paths)


def _raise_meant(reason: str, table: str, name: str, paths: Sequence[Path]) -> None:
    """Raise CannotTraceError where a file lists a name almost so, or a folder of a folder has files."""
    from trainlint.catalogue.zoo.file_check import entries  # noqa: PLC0415 - as above
    from trainlint.files.nested_files import nested  # noqa: PLC0415 - for what is unknown

    places = {
        key.value: f"{file}:{key.lineno}"
        for file in listed(paths)
        for kind, key, _ in entries(file)
        if kind == table and isinstance(key, ast.Constant)
    }
    if (near := most_alike(name, [*map(str, places)])) is not None:
        raise CannotTraceError(f'{reason}; did you mean "{near}", at {places[near]}?')
    for folder in filter(Path.is_dir, paths):
        if lost := nested(folder, ".py", rf"^{table}\b", paths):
            raise CannotTraceError(f"{reason}; {lost}")


def check_exists(step: Mapping[str, Any]) -> None:
    """Raise CannotTraceError where no recipe or network of this name exists, with torch or without."""
    recipe = str(step.get("recipe", ""))
    place(recipe)
    if recipe.startswith(OWN_NAMES):
        return
    dialect = str(step.get("dialect", ""))
    for role in ROLES:
        arch = step.get(f"networks.{role}.arch")
        if isinstance(arch, str) and not _exists(dialect, arch):
            raise CannotTraceError(library_networks.unknown(dialect, arch))


def _exists(dialect: str, arch: str) -> bool:
    return library_networks.entry(dialect, arch) is not None or locate(dialect, arch) is not None
