# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Commands of diffusers' training scripts: what is read of them."""

from __future__ import annotations

import pytest

from tests.dialects.shipped.dialect_jobs import jobs

LORA = (
    "accelerate launch train_dreambooth_lora_sdxl.py --pretrained_model_name_or_path"
    " stabilityai/stable-diffusion-xl-base-1.0 --instance_data_dir dog --instance_prompt 'a photo of sks dog'"
    " --mixed_precision fp16 --train_batch_size 1 --gradient_accumulation_steps 4 --max_train_steps 500"
)
FULL = (
    "accelerate launch --mixed_precision=fp16 train_text_to_image.py --use_ema --gradient_checkpointing"
    " --pretrained_model_name_or_path=stable-diffusion-v1-5/stable-diffusion-v1-5 --dataset_name=owner/images"
)
FLUX = (
    "python train_dreambooth_lora_flux.py --pretrained_model_name_or_path black-forest-labs/FLUX.1-dev"
    " --instance_data_dir dog --instance_prompt sks --mixed_precision bf16 --optimizer prodigy"
)


def read(text):
    found, made = jobs(text, "train.sh")
    assert found == "diffusers"
    return made


def test_what_a_command_for_adapters_says():
    (job,) = read(LORA)
    spec = job.spec
    assert not job.problems
    assert (spec["model.config"]["model_type"], "model.assumed" in spec) == ("sdxl", False)
    assert (spec["adapter.kind"], spec["adapter.rank"], spec["adapter.dtype"]) == ("lora", 4, "fp32")
    assert (spec["image.side"], spec["batch.per_process"], spec["accumulate"]) == (1024, 1, 4)
    assert (spec["precision"], spec["weights.dtype"]) == ("fp16", "fp16")
    assert (spec["text.embeddings"], spec["latents.cached"]) == ("kept", False)
    assert spec["options"]["vae_dtype"] == "fp32"
    assert (spec["duration.iterations"], spec["checkpoint.every"], spec["gpus"]) == (500, 500, 1)


def test_a_whole_network_is_trained_in_single_precision():
    (job,) = read(FULL)
    spec = job.spec
    assert (spec["adapter.kind"], spec["weights.dtype"], spec["precision"]) == ("none", "fp32", "fp16")
    assert (spec["options"]["vae_dtype"], spec["options"]["text_dtype"]) == ("fp16", "fp16")
    assert (spec["ema"], spec["batch.per_process"], spec["image.side"]) == (0.9999, 16, 512)
    assert (spec["duration.epochs"], spec["text.embeddings"]) == (100, "encoded")


@pytest.mark.parametrize(
    ("command", "more", "field", "value"),
    [
        (LORA, "--with_prior_preservation --class_data_dir c --class_prompt d", "batch.per_process", 2),
        (LORA, "--train_text_encoder", "text.embeddings", "trained"),
        (LORA, "--dataset_name o/d --caption_column prompt", "text.embeddings", "encoded"),
        (LORA, "--use_dora", "adapter.kind", "dora"),
        (LORA, "--rank 16", "adapter.rank", 16),
        (LORA, "--checkpoints_total_limit 0", "checkpoint.keep", 1),
        (LORA, "--num_train_epochs 3", "duration.iterations", 500),
        (FULL, "--use_8bit_adam", "optimizers", [{"role": "model", "type": "AdamW8bit", "lr": 0.0001}]),
        (FULL, "--num_train_epochs 3", "duration.epochs", 3),
        (FULL, "--resolution 768", "image.side", 768),
        (FLUX, "", "text.tokens", 512),
        (FLUX, "--lora_layers attn.to_k,attn.to_q", "adapter.targets", ["attn.to_k", "attn.to_q"]),
        (FLUX, "--cache_latents", "latents.cached", True),
        (FLUX, "--optimizer adamw", "optimizers", [{"role": "model", "type": "AdamW", "lr": 0.0001}]),
    ],
)
def test_what_a_flag_changes(command, more, field, value):
    assert read(f"{command} {more}")[0].spec.get(field) == value


def test_what_is_cached_leaves_the_vae_on_the_card_that_validates():
    (cached,), (validates,) = (
        read(f"{FLUX} --cache_latents {more}") for more in ("", "--validation_prompt dog")
    )
    assert ("vae" in cached.spec["options"], validates.spec["options"]["vae"]) == (False, "kept")


def test_where_nobody_says_the_precision_it_is_open():
    command = LORA.replace(" --mixed_precision fp16", "")
    assert {job.spec["precision"] for job in read(command)} == {"fp32", "fp16"}
    assert [job.spec["precision"] for job in read(command.replace("accelerate launch", "python"))] == ["fp32"]


def test_a_shape_is_assumed_of_a_name_that_is_not_known():
    (job,) = read(LORA.replace("stabilityai/stable-diffusion-xl-base-1.0", "segmind/SSD-1B"))
    assert job.spec["model.config"]["model_type"] == "sdxl"
    assert "SSD-1B" in job.spec["model.assumed"]


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (LORA.replace(" --instance_prompt 'a photo of sks dog'", ""), "instance_prompt"),
        (f"{FULL} --rank 4", "--rank"),  # a flag of other scripts
        (LORA.replace("--mixed_precision fp16", "--mixed_precision int8"), "int8"),
    ],
)
def test_what_a_parser_refuses_is_said_in_its_words(command, says):
    problems = [problem.message for job in read(command) for problem in job.problems]
    assert any(says in message for message in problems), problems


@pytest.mark.parametrize(
    ("command", "recipe", "field", "value"),
    [
        (
            (
                "python textual_inversion.py --pretrained_model_name_or_path a/b --train_data_dir cat"
                " --placeholder_token '<cat>' --initializer_token toy --mixed_precision fp16"
            ),
            "TextualInversion",
            "options",
            {"vae_dtype": "fp16", "text_dtype": "fp32", "adapters": "peft", "autocast": 1, "saves_state": 1},
        ),
        (
            "python train_controlnet.py --pretrained_model_name_or_path a/b --mixed_precision bf16",
            "ControlNet",
            "weights.dtype",  # of what stays as it is
            "bf16",
        ),
        (
            "accelerate launch train_unconditional.py --dataset_name huggan/flowers-102-categories",
            "Denoiser",
            "image.side",
            64,
        ),
    ],
)
def test_scripts_with_a_step_of_their_own(command, recipe, field, value):
    (job,) = read(command)
    assert (job.spec["recipe"], job.spec[field]) == (f"diffusers.{recipe}", value)
    assert "model.config" in job.spec
    assert not job.problems


def test_gradients_that_a_script_zeroes_stay_on_the_card():
    """`zero_grad(set_to_none=args.set_grads_to_none)`: a whole UNet's were left out, 2.3 GiB."""
    base = "--mixed_precision fp16 --pretrained_model_name_or_path a/b"
    for freed in ("", " --set_grads_to_none"):
        (whole,) = read(f"python train_dreambooth.py {base} --instance_data_dir a --instance_prompt b{freed}")
        (beside,) = read(f"python train_controlnet_sdxl.py {base} --dataset_name o/d{freed}")
        assert (whole.spec["recipe"] == "diffusers.ZeroedGradients") is (freed == "")
        assert (beside.spec["options"].get("zeroed_gradients") == 1) is (freed == "")
        assert whole.spec["weights.dtype"] == "fp32"
        assert beside.spec["text.embeddings"] == "kept"  # main holds what encoded the captions


@pytest.mark.parametrize(
    ("script", "field", "value"),
    [
        ("flux.py --num_single_layers 0", "options", {"single_layers": 0, "vae_dtype": "bf16"}),
        ("flux.py --gradient_checkpointing", "options", {"frozen_checkpointing": 1}),
        ("flux.py --use_adafactor", "optimizers", "transformers.Adafactor"),
        ("flux.py", "text.tokens", 512),
        ("flux.py", "text.embeddings", "cached"),
        ("sd3.py --upcast_vae", "options", {"vae_dtype": "fp32", "text_dtype": "bf16"}),
        ("sd3.py", "text.tokens", 154),
        ("sd3.py", "text.embeddings", "kept"),
    ],
)
def test_controlnets_of_transformers(script, field, value):
    base = "--pretrained_model_name_or_path a/b --dataset_name o/d --mixed_precision bf16"
    (job,) = read(f"python train_controlnet_{script} {base}")
    assert not job.problems
    assert job.spec["recipe"] == "diffusers.ControlTransformer"
    got = job.spec[field]
    if field == "options":
        assert got.items() >= value.items()
    else:
        assert (got[0]["type"] if field == "optimizers" else got) == value


def test_a_captions_batch_of_a_thousand_is_not_counted():
    base = "--pretrained_model_name_or_path a/b --dataset_name o/d --mixed_precision bf16"
    for more, counted in (("", False), (" --dataset_preprocess_batch_size 50", True)):
        (job,) = read(f"python train_controlnet_sd3.py {base}{more}")
        assert (not job.spec.get("uncounted", ())) is counted


@pytest.mark.parametrize(
    ("command", "text", "vae", "side"),
    [
        (LORA, "own", "own", 1024),  # loaded in fp32 at the first one, and held from then on
        (f"{LORA} --dataset_name o/d --caption_column prompt", "fp32", "own", 1024),
        (FLUX, "bf16", "own", 1024),  # whatever --resolution says
    ],
)
def test_what_a_script_samples_with(command, text, vae, side):
    spec = read(f"{command} --validation_prompt 'a photo of sks dog'")[0].spec
    sampling = spec.get("sampling", {})
    assert (sampling.get("text"), sampling.get("vae")) == (text, vae)
    assert (spec.get("validation.height"), spec.get("validation.width")) == (side, side)
    assert "sampling" not in read(command)[0].spec


def test_what_a_first_validation_loads_stays():
    without, validates = (read(f"{LORA} {more}")[0].spec["options"] for more in ("", "--validation_prompt a"))
    assert (without["text_dtype"], validates["text_dtype"]) == ("fp16", "fp32")


LUMINA = (
    "python train_dreambooth_lora_lumina2.py --pretrained_model_name_or_path Alpha-VLLM/Lumina-Image-2.0"
    " --instance_data_dir dog --instance_prompt sks --mixed_precision bf16"
)
SANA = (
    "python train_dreambooth_lora_sana.py --instance_data_dir dog --instance_prompt sks"
    " --mixed_precision bf16"
    " --pretrained_model_name_or_path Efficient-Large-Model/Sana_1600M_1024px_BF16_diffusers"
)


def test_captions_of_lumina_2_may_be_short_or_of_all_tokens():
    long, short = (job.spec for job in read(LUMINA))
    assert (long["model.config"]["model_type"], long["text.tokens"], long["text.embeddings"]) == (
        "lumina2", 256, "kept",
    )  # fmt: skip
    assert (long["options"].get("caption"), long.get("sequence.shortest")) == (None, None)
    assert (short["options"]["caption"], short["sequence.shortest"], short["text.tokens"]) == (1, True, 256)
    assert long["options"]["vae_dtype"] == "fp32"
    unsaid = LUMINA.replace("python", "accelerate launch").replace(" --mixed_precision bf16", "")
    precisions = [(job.spec["precision"], job.spec["options"].get("caption")) for job in read(unsaid)]
    assert sorted(precisions, key=str) == [("fp16", 1), ("fp16", None), ("fp32", 1), ("fp32", None)]


def test_sana_pads_its_captions():
    (job,) = read(SANA)
    spec = job.spec
    assert not job.problems
    assert (spec["model.config"]["model_type"], spec["text.tokens"]) == ("sana", 300)
    assert (spec["adapter.targets"], spec["options"]["text_dtype"]) == (["to_k", "to_q", "to_v"], "bf16")


@pytest.mark.parametrize(
    ("more", "embeddings", "offloads"),
    [
        ("", "kept", None),
        (" --offload", "cached", 1),
        (" --dataset_name o/d --caption_column c", "encoded", None),
        (" --dataset_name o/d --caption_column c --offload", "encoded", 1),
    ],
)
def test_the_text_encoder_of_sana_is_held_unless_it_is_offloaded(more, embeddings, offloads):
    (job,) = read(SANA + more)
    assert (job.spec["text.embeddings"], job.spec["options"].get("offload")) == (embeddings, offloads)


@pytest.mark.parametrize(
    ("command", "gib"),
    [
        (SANA + " --offload", (1604462752 + 2614341888) * 2 / 2**30),
        (LUMINA + " --offload", (2609769152 + 2614341888) * 2 / 2**30),
    ],
)
def test_the_prompt_is_encoded_next_to_the_transformer(command, gib):
    spec = read(command)[0].spec
    assert spec["model.loading_least"] / 2**30 == pytest.approx(gib)
    assert spec["model.loading_least"] < spec["model.loading_most"]


def test_encoders_in_32_bits_take_twice_as_much():
    sd3 = (
        "python train_dreambooth_lora_sd3.py --pretrained_model_name_or_path"
        " stabilityai/stable-diffusion-3-medium-diffusers --instance_data_dir d --instance_prompt p"
    )
    half, whole = (
        read(f"{sd3} --mixed_precision {precision}")[0].spec["model.loading_least"]
        for precision in ("fp16", "no")
    )
    assert whole == 2 * half
    captions = read(f"{sd3} --mixed_precision fp16 --dataset_name o/d --caption_column c")
    assert all("model.loading_least" not in job.spec for job in captions)


def test_before_0_28_the_sdxl_script_held_what_had_encoded():
    base = "--pretrained_model_name_or_path a/b --dataset_name o/d --mixed_precision fp16"
    jobs = {job.variant: job.spec for job in read(f"python train_text_to_image_sdxl.py {base}")}
    assert set(jobs) == {"diffusers since 0.28", "diffusers before 0.28"}
    assert jobs["diffusers since 0.28"]["text.embeddings"] == "cached"
    old = jobs["diffusers before 0.28"]
    assert (old["text.embeddings"], old["options"]["vae"]) == ("kept", "kept")
    assert old["options"]["text_dtype"] == "fp16"
