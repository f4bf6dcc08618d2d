# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Language models by the names that configs write."""

from __future__ import annotations

import pytest

from trainlint.catalogue.base_models import MODULES, base_model, models


@pytest.mark.parametrize(
    ("written", "name", "exact", "quantised"),
    [
        ("meta-llama/Llama-3.1-8B", "meta-llama/Llama-3.1-8B", True, False),
        ("meta-llama/Meta-Llama-3.1-8B-Instruct", "meta-llama/Llama-3.1-8B", True, False),
        ("META-LLAMA/llama-3.1-8b", "meta-llama/Llama-3.1-8B", True, False),
        ("NousResearch/Llama-2-7b-hf", "meta-llama/Llama-2-7b-hf", True, False),
        ("unsloth/Meta-Llama-3.1-8B-bnb-4bit", "meta-llama/Llama-3.1-8B", True, True),
        ("hugging-quants/Meta-Llama-3.1-405B-BNB-NF4-BF16", "meta-llama/Llama-3.1-405B", True, True),
        ("casperhansen/llama-3-70b-fp16", "meta-llama/Meta-Llama-3-70B", True, False),
        ("unsloth/Qwen2.5-7B-unsloth-bnb-4bit", "Qwen/Qwen2.5-7B", True, True),
        ("/models/Qwen2.5-7B-Instruct", "Qwen/Qwen2.5-7B-Instruct", False, False),
        ("/hub/qwen/Qwen2___5-7B-Instruct", "Qwen/Qwen2.5-7B-Instruct", False, False),  # ModelScope's cache
        ("./Llama-2-7b-hf/", "meta-llama/Llama-2-7b-hf", False, False),
        ("somebody/Llama-2-7b-hf", "meta-llama/Llama-2-7b-hf", False, False),
        ("C:\\models\\phi-2", "microsoft/phi-2", False, False),
        ("models/meta-llama/Llama-2-7b-hf", "meta-llama/Llama-2-7b-hf", False, False),
    ],
)
def test_a_name_is_a_model(written, name, exact, quantised):
    found = base_model(written)
    assert found is not None
    assert (found.model.name, found.exact, found.quantised) == (name, exact, quantised)


@pytest.mark.parametrize(
    "written",
    [
        "", "/", "..", "nobody/nothing-7b", "gpt2", "unsloth/Phi-3-mini-4k-instruct-bnb-4bit",
        "hugging-quants/Meta-Llama-3.1-405B-Instruct-AWQ-INT4", "TechxGenus/Meta-Llama-3-8B-Instruct-GPTQ",
    ],
)  # fmt: skip
def test_any_other_name_is_none(written):
    assert base_model(written) is None


def test_the_parameters_are_those_of_the_shape():
    """The count is the published one; of a family without peculiarities the shape alone gives it."""
    llamas = [model for model in models() if model.config["model_type"] in {"llama", "mistral"}]
    assert len(llamas) > 20
    for model in llamas:
        shape = model.config
        width, heads, groups, head = (
            shape[name] for name in ("hidden_size", "num_attention_heads", "num_key_value_heads", "head_dim")
        )
        block = width * head * 2 * (heads + groups) + 3 * width * shape["intermediate_size"] + 2 * width
        tables = shape["vocab_size"] * width * (1 if shape["tie_word_embeddings"] else 2)
        assert model.parameters == tables + shape["num_hidden_layers"] * block + width, model.name


def test_the_parameters_of_a_family_with_biases():
    """EleutherAI's own table of Pythia has these counts; every linear layer and norm has a bias."""
    pythias = [model for model in models() if model.name.startswith("EleutherAI/pythia-")]
    assert len(pythias) > 6
    for model in pythias:
        shape = model.config
        width, inner = shape["hidden_size"], shape["intermediate_size"]
        block = 4 * width * width + 2 * width * inner + 9 * width + inner
        whole = 2 * shape["vocab_size"] * width + shape["num_hidden_layers"] * block + 2 * width
        assert model.parameters == whole, model.name


def test_every_type_has_its_layers_named():
    assert {model.config["model_type"] for model in models()} <= set(MODULES)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_what_transformers_builds_of_every_row_has_its_parameters_and_its_layers():
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    for model in models():
        shape = dict(model.config)
        kind = shape.pop("model_type")
        if isinstance(getattr(transformers.CONFIG_MAPPING[kind], "head_dim", None), property):
            del shape["head_dim"]
        config = transformers.AutoConfig.for_model(kind, **shape)
        with torch.device("meta"):
            net = transformers.AutoModelForCausalLM.from_config(config)
        assert sum(parameter.numel() for parameter in net.parameters()) == model.parameters, model.name
        blocks = {
            name.rpartition(".")[2]
            for name, module in net.named_modules()
            if isinstance(module, torch.nn.Linear) and name.count(".") > 1
        }
        assert blocks == set(MODULES[kind]), model.name
