# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Image models by the names and the families that configs write."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from trainlint.catalogue.image_models import image_model, models


@pytest.mark.parametrize(
    ("written", "family", "kind", "exact"),
    [
        ("black-forest-labs/FLUX.1-dev", "flux", "flux-dev", True),
        ("black-forest-labs/flux.1-schnell", None, "flux-schnell", True),
        ("ostris/Flex.1-alpha", "flux", "flex", True),  # Flux's class with fewer blocks
        ("/models/FLUX.1-schnell.safetensors", "flux", "flux-schnell", False),
        ("/models/flux1-dev.safetensors", "flux", "flux-dev", False),
        ("black-forest-labs/FLUX.2-klein-4B", "flux", None, None),  # no shape of FLUX.1
        ("/models/any.safetensors", "sdxl", "sdxl", True),  # every checkpoint of it has one shape
        ("C:/models/v1-5-pruned.ckpt", "sd1", "sd1", True),
        ("somebody/stable-diffusion-3.5-large", "sd3", "sd35-large", False),
        ("stabilityai/stable-diffusion-3.5-large", "sd3", "sd35-large", True),
        ("PixArt-alpha/PixArt-Sigma-XL-2-1024-MS", "pixart_sigma", "pixart-sigma", True),
        ("segmind/SSD-1B", "stable-diffusion-xl", "sdxl", False),  # the pipeline has several shapes
        ("./stable-diffusion-2-1", "stable-diffusion", "sd2", False),
        ("my/model", "stable-diffusion", "sd1", False),
        ("Alpha-VLLM/Lumina-Image-2.0", "lumina2", "lumina2", True),
        ("Efficient-Large-Model/Sana_1600M_1024px_diffusers", "sana", "sana", True),
        ("Qwen/Qwen-Image", "qwen_image", None, None),
        ("", None, None, None),
    ],
)
def test_a_name_or_a_family_is_a_model(written, family, kind, exact):
    found = image_model(written, family)
    assert (found and found.config["model_type"], found and found.exact) == (kind, exact)


@pytest.mark.slow
@pytest.mark.skipif(
    any(find_spec(name) is None for name in ("torch", "diffusers", "transformers")),
    reason="diffusers or transformers is not installed",
)
def test_what_is_built_of_a_row_has_its_parameters():
    import torch  # noqa: PLC0415 - where it is installed

    from trainlint_zoo.diffusers.recipes.frozen_parts import built, text_encoder  # noqa: PLC0415 - as above

    with torch.device("meta"):  # each refuses another count than the row's
        for model in models():
            built(model.config["network"])
            built(model.config["vae"])
            for part in model.config["text_encoders"]:
                text_encoder(part)
