# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What could never be traced is said without torch, in the same words as with it."""

from __future__ import annotations

import ast
import re

import pytest

from trainlint.catalogue.zoo.packages import own
from trainlint.errors import CannotTraceError
from trainlint.estimate.tapes import untraceable
from trainlint.estimate.tapes.tape_source import TapeSource

STEP = {"recipe": "transformers.SFT", "objective": "sft", "sequence.length": 16}


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"objective": "dpo"}, 'the step of the objective "dpo" is not known; trainlint dry-run -- COMMAND'),
        (
            {"loss.kernel": "unsloth"},
            "Unsloth's own kernels and checkpointing are not known; trainlint dry-run",
        ),
        ({"sequence.length": None}, "how many tokens a sample has is not known: no length bounds it"),
        ({"quant.kind": "int8"}, "what int8 weights take in a step has not been compared with a measurement"),
        (
            {"optimizers": [{"role": "model", "type": "adamw_torch_8bit"}]},
            'what the optimizer "adamw_torch_8bit" keeps is not known; trainlint dry-run -- COMMAND',
        ),
        ({"adapter.kind": "oft"}, 'what adapters of the kind "oft" keep is not known; trainlint dry-run'),
        (
            {"attention.implementation": "flex_attention"},
            'what the attention "flex_attention" keeps is not known; trainlint dry-run',
        ),
    ],
)
def test_language_models(changed: dict[str, object], reason: str) -> None:
    with pytest.raises(CannotTraceError, match=reason.replace("(", r"\(")):
        untraceable.check_known({**STEP, **changed})


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"adapter.kind": "lokr"}, 'what adapters of the kind "lokr" keep is not known, only that of lora'),
        ({"adapter.kind": "networks.dylora"}, "networks.dylora trains one rank of each layer in a step"),
        (
            {"adapter.kind": "lycoris.kohya"},
            "what LyCORIS (lycoris.kohya) keeps hangs on its file and release",
        ),
        ({"adapter.kind": "lycoris.dora"}, "dora_wd keeps more or less by the kernel that LyCORIS chooses"),
        ({"adapter.kind": "lycoris.full of SDXL"}, "full weights have the type of the checkpoint's file"),
        (
            {"model.config": {"network": {"class": "LTXVideoTransformer3DModel"}}},
            "what LTXVideoTransformer3DModel is given in a step is not known; trainlint dry-run",
        ),
        ({"quant.kind": "float8"}, "what float8 weights take in a step is not known; trainlint dry-run"),
    ],
)
def test_image_models(changed: dict[str, object], reason: str) -> None:
    with pytest.raises(CannotTraceError, match=re.escape(reason)):
        untraceable.check_known({"recipe": "diffusers.Denoiser", "adapter.kind": "lora", **changed})


def test_networks_that_a_recipe_gives_something() -> None:
    (source,) = own().folder.glob("diffusers/recipes/model_inputs.py")
    (table,) = (
        node.value
        for node in ast.parse(source.read_text("utf-8")).body
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "INPUTS"
    )
    assert isinstance(table, ast.Dict)
    assert [ast.literal_eval(key) for key in table.keys if key] == list(untraceable.DENOISERS)


@pytest.mark.parametrize(
    "kind", ["none", "dora", "lycoris.lokr", "lycoris.loha", "lycoris.locon", "lycoris.ia3", "lycoris.full"]
)
def test_adapters_that_a_recipe_has_are_traced(kind: str) -> None:
    untraceable.check_known({"recipe": "diffusers.Denoiser", "adapter.kind": kind})


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"quant.kind": "nf4"},
        {"quant.kind": "fp4"},
        {"adapter.kind": "dora", "attention.implementation": "eager"},
        *({"optimizers": [{"type": name}]} for name in ("PagedAdamW8bit", "transformers.Adafactor", "Muon")),
    ],
)
def test_what_a_recipe_has_is_traced(more: dict[str, object]) -> None:
    untraceable.check_known({**STEP, **more})


@pytest.mark.torch
def test_the_same_steps_are_known_to_the_recipes() -> None:
    sft = pytest.importorskip("trainlint_zoo.transformers.recipes.sft")
    four_bit = pytest.importorskip("trainlint_zoo.blocks.four_bit")
    assert untraceable.OBJECTIVES == sft.OBJECTIVES
    assert untraceable.QUANTISED == four_bit.KINDS
    denoiser = pytest.importorskip("trainlint_zoo.diffusers.recipes.denoiser")
    uintx = pytest.importorskip("trainlint_zoo.blocks.uintx")
    assert set(untraceable.STORED) == {*denoiser.STORED, *denoiser.EIGHT_BITS, *uintx.BITS}


def test_a_step_is_traced_where_its_library_is_too(monkeypatch: pytest.MonkeyPatch) -> None:
    installed = {"torch"}
    monkeypatch.setattr(
        "trainlint.estimate.tapes.tape_source.find_spec", lambda name: name in installed or None
    )
    tapes = TapeSource(())
    assert tapes.can_trace()
    assert tapes.can_trace({"recipe": "basicsr.SRModel"})
    assert not tapes.can_trace({"recipe": "diffusers.Denoiser"})
    installed.add("diffusers")
    assert tapes.can_trace({"recipe": "diffusers.Denoiser"})
