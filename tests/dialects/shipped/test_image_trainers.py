# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Jobs of ai-toolkit and commands and files of sd-scripts: what is read of them."""

from __future__ import annotations

import json
import re
from textwrap import dedent

import pytest

from tests.dialects.shipped.dialect_jobs import jobs
from trainlint.api import check
from trainlint.config.edit import apply_edits, set_value
from trainlint.dialects import load_dialects, normalise, recognise, trainer_of
from trainlint.documents.file_format import read as read_source
from trainlint.errors import CannotTraceError
from trainlint.estimate.run.validation_image import validation_image
from trainlint.estimate.tapes.untraceable import check_known
from trainlint.judge.key_of_name import key_near
from trainlint.model.document import Source
from trainlint.tape.step import step_of

FLUX = "name_or_path: black-forest-labs/FLUX.1-dev, is_flux: true"
AI_TOOLKIT = """
    job: extension
    config:
      name: mine
      process:
        - type: sd_trainer
          network: {type: lora, linear: 16, linear_alpha: 16}
          save: {save_every: 250, max_step_saves_to_keep: 4}
          datasets:
            - {folder_path: images, resolution: [512, 768, 1024], cache_latents_to_disk: true}
          train:
            batch_size: 2
            steps: 2000
            gradient_accumulation_steps: 4
            optimizer: adamw8bit
            lr: 1e-4
            dtype: bf16
            ema_config: {use_ema: true, ema_decay: 0.99}
          model: {name_or_path: black-forest-labs/FLUX.1-dev, is_flux: true, quantize: true}
"""
KOHYA = (
    "accelerate launch --num_processes 1 sdxl_train_network.py --pretrained_model_name_or_path=xl.safetensors"
    " --resolution=1024,1024 --network_module=networks.lora --network_dim=32 --train_batch_size=2"
    " --mixed_precision=bf16 --optimizer_type=AdamW8bit --gradient_checkpointing --cache_latents"
)
TOML = """
    [model_arguments]
    pretrained_model_name_or_path = "xl.safetensors"
    [sdxl_arguments]
    cache_text_encoder_outputs = true
    [dataset_arguments]
    resolution = "768"
    [training_arguments]
    train_batch_size = 3
    max_train_epochs = 16
    [network_arguments]
    network_module = "networks.lora"
    network_dim = 8
    network_train_unet_only = true
"""


WINDOW = """
    {
      "LoRA_type": "Standard",
      "additional_parameters": "",
      "bucket_reso_steps": "64",
      "cache_latents": true,
      "epoch": 10,
      "gradient_accumulation_steps": 1.0,
      "gradient_checkpointing": true,
      "max_resolution": "1024,1024",
      "max_train_steps": "",
      "mixed_precision": "bf16",
      "network_dim": 32,
      "num_cpu_threads_per_process": 2,
      "optimizer": "AdamW8bit",
      "pretrained_model_name_or_path": "xl.safetensors",
      "sample_every_n_steps": 0,
      "sdxl": true,
      "sdxl_cache_text_encoder_outputs": true,
      "seed": "",
      "text_encoder_lr": 0.0,
      "train_batch_size": 2,
      "unet_lr": 1e-04,
      "xformers": "sdpa"
    }
"""


def read(text, path, dialect):
    found, made = jobs(dedent(text), path)
    assert found == dialect
    return made


def test_what_a_job_of_ai_toolkit_says():
    whole, small = read(AI_TOOLKIT, "flux.yaml", "ai-toolkit")
    spec = whole.spec
    assert (spec["model.name"], "model.assumed" in spec) == ("black-forest-labs/FLUX.1-dev", False)
    assert (spec["adapter.kind"], spec["adapter.rank"], spec["adapter.dtype"]) == ("lora", 16, "fp32")
    assert spec["adapter.targets"] == ["transformer_blocks."]
    assert (spec["quant.kind"], spec["quant.bits"], spec["weights.dtype"]) == ("qfloat8", 8, "bf16")
    assert (spec["latents.cached"], spec["text.embeddings"]) == (True, "encoded")
    assert (spec["batch.per_process"], spec["accumulate"], spec["duration.iterations"]) == (2, 4, 500)
    assert (spec["optimizers"][0]["type"], spec["ema"]) == ("AdamW8bit", 0.99)
    assert (spec["image.side"], small.spec["image.side"]) == (1024, 256)
    assert not whole.problems  # its loader reads 1e-4 as a number


@pytest.mark.parametrize(
    ("old", "new", "field", "value"),
    [
        ("optimizer: adamw8bit", "cache_text_embeddings: true", "text.embeddings", "cached"),
        ("cache_latents_to_disk: true", "cache_latents: true", "latents.cached", True),
        (", cache_latents_to_disk: true", "", "latents.cached", False),
        ("resolution: [512, 768, 1024]", "resolution: 768", "image.side", 768),
        ("is_flux: true, quantize: true", "arch: flux", "quant.kind", None),
        ("is_flux: true, quantize: true", "arch: flux", "model.family", "flux"),
        ("quantize: true", "quantize: true, qtype: uint3", "quant.kind", "uint3"),
        ("type: lora", "type: lokr", "adapter.kind", "lokr"),
        ("linear: 16", "rank: 32", "adapter.rank", 32),
        ("save: {", "sample: {sample_every: 100}\n          save: {", "validation.every", 100),
        ("dtype: bf16", "dtype: bf16\n            disable_sampling: true", "validation.every", None),
        ("save_every: 250", "save_every: 0", "checkpoint.every", None),
        ("max_step_saves_to_keep: 4", "max_step_saves_to_keep: 0", "checkpoint.keep", None),
    ],
)
def test_what_a_key_of_ai_toolkit_changes(old, new, field, value):
    assert old in AI_TOOLKIT
    job = read(AI_TOOLKIT.replace(old, new), "flux.yaml", "ai-toolkit")[0]
    assert job.spec.get(field) == value


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("save: {", "sample: {sample_every: 0}\n          save: {"),
        ("save_every: 250", "save_every: 0"),
        ("max_step_saves_to_keep: 4", "max_step_saves_to_keep: 0"),
        ("cache_latents_to_disk: true", "num_repeats: 0"),
    ],
)
def test_a_nought_that_ai_toolkit_reads_as_off_is_no_mistake(old, new):
    assert old in AI_TOOLKIT
    assert not read(AI_TOOLKIT.replace(old, new), "flux.yaml", "ai-toolkit")[0].problems


def test_a_model_that_is_not_known_is_said_to_be():
    text = AI_TOOLKIT.replace(
        "black-forest-labs/FLUX.1-dev, is_flux: true", "Qwen/Qwen-Image, arch: qwen_image"
    )
    assert "model.config" not in read(text, "qwen.yaml", "ai-toolkit")[0].spec


def test_lumina_2_of_ai_toolkit_adapts_its_refiners_and_quantises_gemma_alone():
    text = AI_TOOLKIT.replace("is_flux: true, quantize: true", "is_lumina2: true, quantize_te: true")
    text = text.replace("black-forest-labs/FLUX.1-dev", "Alpha-VLLM/Lumina-Image-2.0")
    readings = [job.spec for job in read(text, "job.yaml", "ai-toolkit")]
    assert [spec["options"].get("caption") for spec in readings] == [None, None, 1, 1]
    assert readings[0]["adapter.targets"] == ["layers.", "noise_refiner.", "context_refiner."]
    assert (readings[0]["options"]["text_dtype"], "quant.kind" in readings[0]) == ("qfloat8", False)


def test_what_a_command_of_sd_scripts_says():
    (job,) = read(KOHYA, "train.sh", "kohya")
    spec = job.spec
    assert (spec["model.family"], spec["model.config"]["model_type"]) == ("sdxl", "sdxl")
    assert "model.assumed" not in spec  # every checkpoint of SDXL has one shape
    assert (spec["image.side"], spec["batch.per_process"], spec["checkpointing"]) == (1024, 2, True)
    assert (spec["adapter.rank"], spec["adapter.targets"]) == (32, ["attentions."])
    assert (spec["precision"], spec["weights.dtype"], spec["adapter.dtype"]) == ("bf16", "bf16", "fp32")
    assert (spec["latents.cached"], spec["text.embeddings"]) == (True, "trained")
    assert spec["attention.implementation"] == "eager"  # neither --sdpa nor --xformers
    assert (spec["gpus"], spec["duration.iterations"]) == (1, 1600)


@pytest.mark.parametrize(
    ("more", "field", "value"),
    [
        ("--sdpa", "attention.implementation", "sdpa"),
        ("--network_train_unet_only", "text.embeddings", "encoded"),
        ("--cache_text_encoder_outputs", "text.embeddings", "cached"),
        ("--fp8_base", "quant.kind", "fp8"),
        ("--full_bf16", "adapter.dtype", "bf16"),
        ("--max_token_length 225", "text.tokens", 227),
        ("--max_train_epochs 10", "duration.epochs", 10),
        (
            "--network_args conv_dim=8 conv_alpha=1",
            "options",
            {"conv_rank": 8, "adapters": "kohya", "autocast": 1},
        ),
        ("--resolution 768,512", "image.height", 512),
    ],
)
def test_what_a_flag_of_sd_scripts_changes(more, field, value):
    job = read(f"{KOHYA} {more}", "train.sh", "kohya")[0]
    assert job.spec.get(field) == value


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ('sample_sampler = "dpmpp_2m"', "wrong-value"),
        ('save_precision = "fp32"', "wrong-value"),
        ("save_every_n_epochs = 25.0", "wrong-type"),
    ],
)
def test_choices_and_types_of_sd_scripts_hold_for_flags_alone(said, rule):
    (job, *_) = read(f"{TOML}\n    [more]\n    {said}\n", "lora.toml", "kohya")
    assert not [problem for problem in job.problems if problem.rule == rule]
    name, value = said.replace('"', "").split(" = ")
    (job, *_) = read(f"{KOHYA} --{name} {value}", "train.sh", "kohya")
    assert [problem for problem in job.problems if problem.rule == rule]


def test_a_file_of_sd_scripts_may_have_any_headings():
    text = TOML.replace("model_arguments", "general").replace("network_arguments", "lora")
    assert read(text, "lora.toml", "kohya")


def test_convolutions_with_a_rank_are_adapted_in_residual_blocks_too():
    pointwise, wide = (
        read(f"{KOHYA}{more}", "train.sh", "kohya")[0].spec["adapter.targets"]
        for more in ("", " --network_args conv_dim=8")
    )
    assert set(wide) - set(pointwise) == {"resnets.", "downsamplers.", "upsamplers."}


@pytest.mark.parametrize(
    ("script", "module", "recipe"),
    [
        ("flux_train_network.py", "lora_flux", "diffusers.SwappedBlocks"),
        ("sdxl_train_network.py", "lora", "diffusers.Denoiser"),
    ],
)
def test_blocks_are_swapped_where_the_script_reads_it(script, module, recipe):
    flags = f"--pretrained_model_name_or_path a.safetensors --network_module networks.{module}"
    line = f"accelerate launch {script} {flags} --resolution 512 --blocks_to_swap 16"
    assert read(line, "train.sh", "kohya")[0].spec["recipe"] == recipe


WHOLE = "--pretrained_model_name_or_path=a.safetensors --resolution=512 --mixed_precision=bf16"


@pytest.mark.parametrize(
    ("script", "flags", "family", "text", "weights"),
    [
        ("train_db.py", "", "sd1", "trained", "fp32"),
        ("train_db.py", "--stop_text_encoder_training=-1", "sd1", "encoded", "fp32"),
        ("fine_tune.py", "", "sd1", "encoded", "fp32"),
        ("fine_tune.py", "--train_text_encoder --v2", "sd2", "trained", "fp32"),
        ("sdxl_train.py", "--full_bf16", "sdxl", "encoded", "bf16"),
        ("sdxl_train.py", "--cache_text_encoder_outputs --cache_latents", "sdxl", "cached", "fp32"),
    ],
)
def test_scripts_of_sd_scripts_that_train_the_whole_model(script, flags, family, text, weights):
    spec = read(f"accelerate launch {script} {WHOLE} {flags}", "train.sh", "kohya")[0].spec
    assert (spec["recipe"], spec["adapter.kind"]) == ("diffusers.WholeModel", "none")
    assert (spec["model.family"], spec["text.embeddings"], spec["weights.dtype"]) == (family, text, weights)
    assert spec["options"].get("text_dtype") == ("bf16" if text == "encoded" else None)
    assert "adapter.dtype" not in spec


@pytest.mark.parametrize(
    ("flags", "measured"),
    [
        ("sdxl_train.py --full_bf16 --cache_text_encoder_outputs", True),
        ("sdxl_train.py --train_text_encoder", False),
        ("train_db.py", True),
        ("train_db.py --full_fp16", False),
        ("fine_tune.py", False),
        ("train_network.py --network_module networks.lora --full_bf16", False),
        ("train_network.py --network_module networks.lora", True),
    ],
)
def test_which_jobs_of_sd_scripts_were_measured(flags, measured):
    script, *more = flags.split()
    job = read(f"accelerate launch {script} {WHOLE} {' '.join(more)}", "train.sh", "kohya")[0]
    assert ("unproven" not in job.spec) is measured


def test_buckets_leave_open_how_large_the_images_are():
    sides = {job.variant: job.spec["image.side"] for job in read(f"{KOHYA} --enable_bucket", "t.sh", "kohya")}
    assert sides == {
        "with images that fill the largest bucket": 1024,
        "with images in the smallest bucket": 256,
    }


@pytest.mark.parametrize("heading", ["additional_network", "my_own"])
def test_a_heading_may_have_any_name(heading):
    text = f"""
    [base]
    pretrained_model_name_or_path = "runwayml/stable-diffusion-v1-5"
    [{heading}]
    network_module = "networks.lora"
    network_dim = 32
    """
    assert {job.spec["adapter.rank"] for job in read(text, "config.toml", "kohya")} == {32}


def test_the_tables_of_a_file_are_only_headings():
    (job,) = read(TOML, "config.toml", "kohya")
    spec = job.spec
    assert (spec["model.family"], spec["image.side"], spec["batch.per_process"]) == ("sdxl", 768, 3)
    assert (spec["adapter.rank"], spec["duration.epochs"], spec["text.embeddings"]) == (8, 16, "cached")
    assert job.document.source.position(job.document.places["train_batch_size",].value.start)[0] == 9
    source = job.document.source.text
    fewer = apply_edits(source, [set_value(job.document, ("train_batch_size",), 2)])
    assert fewer == source.replace("train_batch_size = 3", "train_batch_size = 2")


@pytest.mark.parametrize(
    ("name", "like"),
    [("gradient_accumulation_steps", "max_train_epochs"), ("scale_weight_norms", "network_train_unet_only")],
)
def test_a_new_key_goes_under_the_heading_of_its_like(name, like):
    """The trainer reads it under any; it came under the first, that of the base model."""
    (job,) = read(TOML, "config.toml", "kohya")
    source, before = job.document.source.text, key_near(job, (name,))
    edit = set_value(job.document, (name,), 2, before=before)
    assert apply_edits(source, [edit]) == source.replace(f"{like} =", f"{name} = 2\n{like} =")


@pytest.mark.parametrize("named", ["full.toml", "full"])
def test_a_whole_models_file_is_read_with_the_script_that_gets_it(named, tmp_path, monkeypatch):
    """No argument of such a file says which model it is for; sd-scripts lets a flag of the line win."""
    monkeypatch.chdir(tmp_path)
    text = """[model]
pretrained_model_name_or_path = "stabilityai/stable-diffusion-xl-base-1.0"
[training]
train_batch_size = 4
resolution = "768,768"
mixed_precision = "bf16"
optimizer_type = "AdaFactor"
max_train_steps = 1000
"""
    (tmp_path / "full.toml").write_text(text, "utf-8")
    line = f"accelerate launch sdxl_train.py --config_file {named} --train_batch_size 2"
    (made,) = read(line, "train.sh", "kohya")
    spec = made.spec
    assert made.skip is None
    assert (spec["model.family"], spec["adapter.kind"]) == ("sdxl", "none")
    assert (spec["image.side"], spec["batch.per_process"], spec["duration.iterations"]) == (768, 2, 1000)


def test_a_command_that_names_a_file_leaves_its_arguments_to_it():
    (job,) = read("accelerate launch sdxl_train_network.py --config_file config.toml", "train.sh", "kohya")
    assert "--config_file" in job.skip


SIMPLETUNER = """{
  "model_family": "kolors", "model_flavour": "1.0", "model_type": "lora", "lora_type": "standard",
  "data_backend_config": "multidatabackend.json", "train_batch_size": 2, "gradient_accumulation_steps": 4,
  "resolution": 1024, "resolution_type": "pixel_area", "mixed_precision": "bf16", "optimizer": "adamw_bf16",
  "base_model_precision": "no_change", "gradient_checkpointing": true, "max_train_steps": 100,
  "checkpoint_step_interval": 50
}"""


@pytest.mark.parametrize(
    ("script", "family", "kind", "dtype"),
    [
        ("flux_train.py", "flux", "none", "bf16"),
        ("sd3_train.py", "sd3", "none", None),
        ("sd3_train.py --full_bf16", "sd3", "none", "bf16"),
        ("sd3_train_network.py --network_module networks.lora_sd3", "sd3", "networks.lora_sd3", "bf16"),
    ],
)
def test_scripts_of_sd_scripts_whose_step_is_not_played(script, family, kind, dtype):
    line = f"accelerate launch {script} --pretrained_model_name_or_path a.safetensors --mixed_precision bf16"
    (job,) = read(line, "train.sh", "kohya")
    spec = job.spec
    assert (spec["model.family"], spec["adapter.kind"], spec.get("weights.dtype")) == (family, kind, dtype)
    if kind == "none":
        with pytest.raises(CannotTraceError, match=r"sd-scripts trains .* in its own way; trainlint dry-run"):
            check_known(step_of(spec))
    assert not job.problems


@pytest.mark.parametrize(
    ("script", "recipe", "family", "weights", "text"),
    [
        ("train_textual_inversion.py --token_string w", "ScriptWords", "sd1", "fp16", "trained"),
        ("sdxl_train_textual_inversion.py --token_string w", "ScriptWords", "sdxl", "fp16", "trained"),
        ("train_textual_inversion.py --v2 --token_string w", "ScriptWords", "sd2", "fp16", "trained"),
        ("train_control_net.py --conditioning_data_dir c", "ScriptControlNet", "sd1", "fp32", "encoded"),
        ("train_controlnet.py --v2 --conditioning_data_dir c", "ScriptControlNet", "sd2", "fp32", "encoded"),
    ],
)
def test_what_sd_scripts_trains_beside_a_unet(script, recipe, family, weights, text):
    line = f"accelerate launch {script} --pretrained_model_name_or_path a.safetensors --mixed_precision fp16"
    (job,) = read(line, "train.sh", "kohya")
    spec = job.spec
    assert (spec["recipe"], spec["model.family"]) == (f"diffusers.{recipe}", family)
    assert (spec["weights.dtype"], spec["text.embeddings"]) == (weights, text)
    assert (spec["adapter.kind"], spec["options"]["text_dtype"]) == ("none", "fp32")
    assert "uncounted" not in spec
    assert not job.problems


@pytest.mark.parametrize(
    "script",
    [
        "train_control_net.py --full_fp16",
        "train_controlnet.py --conditioning_data_dir c --fused_backward_pass",
        "sdxl_train_control_net.py",
        "train_textual_inversion_XTI.py",
    ],
)
def test_scripts_of_sd_scripts_that_are_read_alone(script):
    line = f"accelerate launch {script} --pretrained_model_name_or_path a.safetensors --mixed_precision fp16"
    (job,) = read(line, "train.sh", "kohya")
    assert "not played yet" in job.skip


@pytest.mark.parametrize(
    ("boxes", "model", "skip"),
    [
        ('"sdxl": true', "stabilityai/stable-diffusion-xl-base-1.0", ""),
        ('"sdxl": false', "stable-diffusion-v1-5/stable-diffusion-v1-5", ""),
        ('"sdxl": false, "flux1_checkbox": true', None, "pretrained_model_name_or_path"),
    ],
)
def test_a_window_without_a_model_trains_that_of_its_family(boxes, model, skip) -> None:
    """So are most presets of kohya_ss; a family of one shape needs no name."""
    text = WINDOW.replace('"sdxl": true', boxes)
    named = next(line for line in text.splitlines() if "pretrained_model_name_or_path" in line)
    (job, *_) = read(text.replace(named, named.split('"')[0]), "lora.json", "kohya")
    assert job.spec.get("model.name") == model
    assert "model.assumed" not in job.spec
    assert skip in str(job.skip)
    assert bool(skip) == bool(job.skip)


def test_a_slip_in_a_flag_of_sd_scripts_is_named() -> None:
    """It stopped trainlint: some keys of its files are no flags."""
    (job, *_) = read(f"{KOHYA} --cach_latents_to_disk", "train.sh", "kohya")
    assert [problem.suggestion for problem in job.problems] == ["--cache_latents_to_disk"]


SD3_ADAPTERS = (
    "sd3_train_network.py --pretrained_model_name_or_path sd3_medium.safetensors --t5xxl t"
    " --mixed_precision bf16"
)


CACHED = "--cache_latents --cache_text_encoder_outputs_to_disk"


@pytest.mark.parametrize(
    ("words", "kind", "terms"),
    [
        (f"--network_train_unet_only {CACHED}", "lora", []),
        (CACHED, "networks.lora_sd3", []),
        ("--network_train_unet_only --cache_latents", "networks.lora_sd3", []),
        (f"--network_train_unet_only --blocks_to_swap 8 {CACHED}", "lora", ["less"]),
    ],
)
def test_adapters_of_stable_diffusion_3(words, kind, terms) -> None:
    (job,) = read(f"python {SD3_ADAPTERS} --network_module networks.lora_sd3 {words}", "train.sh", "kohya")
    spec = job.spec
    assert (spec["adapter.kind"], spec["model.family"]) == (kind, "sd3")
    assert [term["direction"] for term in spec.get("uncounted", [])] == terms
    assert spec["attention.implementation"] == "sdpa"
    assert not job.problems
    if kind == "lora":
        assert spec["recipe"] == "diffusers.ScriptMMDiT"
        assert spec["adapter.targets"] == ["transformer_blocks."]
        assert "measured yet" in spec["unproven"]
        check_known(step_of(spec))
    else:
        with pytest.raises(CannotTraceError, match="encodes what is not cached"):
            check_known(step_of(spec))


def test_tokens_of_stable_diffusion_3_come_after_those_of_clip() -> None:
    given = "--network_train_unet_only --t5xxl_max_token_length 154"
    (job,) = read(f"python {SD3_ADAPTERS} --network_module networks.lora_sd3 {given}", "train.sh", "kohya")
    assert job.spec["text.tokens"] == 77 + 154


def test_what_has_cached_latents_stays_next_to_words() -> None:
    """train_textual_inversion.py leaves the VAE on the card, the other scripts take it off."""
    flags = "--pretrained_model_name_or_path a.safetensors --mixed_precision bf16 --cache_latents"
    for script, kept in [("train_textual_inversion", "kept"), ("train_control_net", None)]:
        (job,) = read(f"python {script}.py {flags}", "train.sh", "kohya")
        assert job.spec["options"].get("vae") == kept


def test_samples_of_a_controlnet_are_not_played() -> None:
    flags = "--pretrained_model_name_or_path a --sample_prompts p.txt --sample_every_n_steps 100"
    for script, untraced in [("train_textual_inversion", None), ("train_control_net", True)]:
        (job,) = read(f"python {script}.py {flags}", "train.sh", "kohya")
        assert job.spec["sampling"].get("untraced") == untraced
        assert job.spec["validation.every"] == 100


@pytest.mark.parametrize(
    ("words", "directions"),
    [
        ("train_blocks=single", ["less"]),
        ("single_dim=4", ["unknown"]),
        ("split_qkv=True", []),  # as the adapters are counted
        ("train_t5xxl=True", ["more"]),
        ("train_block_indices=0-3", ["less"]),
        ("x_attn_dim=4", ["unknown"]),
        ("emb_dims=[1,1,1,1,1,1]", ["unknown"]),
        ("verbose=True", []),
    ],
)
def test_adapters_that_network_args_change_are_not_counted(words, directions):
    line = "flux_train_network.py --pretrained_model_name_or_path a --network_module networks.lora_flux"
    (job,) = read(f"python {line} --network_args {words}", "train.sh", "kohya")
    assert [term["direction"] for term in job.spec.get("uncounted", [])] == directions


def test_what_a_config_of_simpletuner_says():
    (job,) = read(SIMPLETUNER, "config.json", "simpletuner")
    spec = job.spec
    assert spec["model.config"]["model_type"] == "kolors"
    assert (spec["adapter.kind"], spec["adapter.rank"], spec["adapter.dtype"]) == ("lora", 16, "bf16")
    assert (spec["precision"], spec["weights.dtype"], "quant.kind" in spec) == ("bf16", "bf16", False)
    assert (spec["batch.per_process"], spec["accumulate"], spec["image.side"]) == (2, 4, 1024)
    assert (spec["optimizers"][0]["type"], spec["checkpoint.every"]) == ("AdamWBF16", 50)
    assert spec["model.weight_bytes"] == 2 * 2579458820
    assert not job.problems


@pytest.mark.parametrize(("said", "tokens"), [("", 256), ('"tokenizer_max_length": 900, ', 512)])
def test_captions_of_lumina_2_are_long_or_short(said, tokens):
    text = SIMPLETUNER.replace('"kolors", "model_flavour": "1.0"', '"lumina2"')
    text = text.replace('"max_train_steps"', f'{said}"max_train_steps"')
    readings = read(text, "config.json", "simpletuner")
    assert [job.spec["text.tokens"] for job in readings] == [tokens] * 2
    assert [job.spec["options"].get("caption") for job in readings] == [None, 1]


@pytest.mark.parametrize(("family", "counted"), [("kolors", True), ("sdxl", True), ("chroma", False)])
def test_unets_of_simpletuner_checkpoint_each_block_whatever_the_interval_is(family, counted):
    """Its UNets have no set_gradient_checkpointing_interval: a warning says that the value is ignored."""
    said = '"gradient_checkpointing_interval": 2, "gradient_checkpointing_segment_stride": 4'
    text = SIMPLETUNER.replace('"max_train_steps"', f'{said}, "max_train_steps"')
    text = text.replace('"kolors", "model_flavour": "1.0"', f'"{family}"')
    (job,) = read(text, "config.json", "simpletuner")
    terms = [term["what"] for term in job.spec.get("uncounted", [])]
    assert any("checkpoint" in what for what in terms) != counted


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"kolors"', '"kolor"'),
        ('"adamw_bf16"', '"adamw_bf61"'),
    ],
)
def test_names_that_simpletuner_does_not_know_are_said(old, new):
    assert old in SIMPLETUNER
    (job,) = read(SIMPLETUNER.replace(old, new), "config.json", "simpletuner")
    assert [problem.rule for problem in job.problems] == ["misspelt-name"]


def test_keys_of_simpletuner_may_be_flags():
    (plain,) = read(SIMPLETUNER, "config.json", "simpletuner")
    dashed = re.sub(r'"(\w+)":', r'"--\1":', SIMPLETUNER).replace(": true", ': "true"')
    (job,) = read(dashed, "config.json", "simpletuner")
    assert {name: job.spec[name] for name in job.spec.fields} == {
        name: plain.spec[name] for name in plain.spec.fields
    }
    assert job.spec.at("checkpointing") == plain.spec.at("checkpointing")
    assert not job.problems


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("train_batch_size", "2", 2),
        ("train_batch_size", " 2 ", 2),
        ("gradient_accumulation_steps", "4", 4),
        ("learning_rate", "1e-4", 1e-4),
        ("model_flavour", "1.0", "1.0"),
    ],
)
def test_a_text_of_simpletuner_is_what_its_parser_reads(key, text, value):
    """Each entry becomes --key=value: its config.json.example writes the learning rate as "1e-4"."""
    (job,) = read(json.dumps({**json.loads(SIMPLETUNER), key: text}), "config.json", "simpletuner")
    assert (job.document.value[key], job.spec["batch.per_process"]) == (value, 2)
    assert not job.problems


@pytest.mark.parametrize(
    ("key", "text"), [("train_batch_size", "1e3"), ("train_batch_size", "two"), ("learning_rate", "1e-4x")]
)
def test_a_text_that_simpletuners_parser_refuses_is_wrong(key, text):
    (job,) = read(json.dumps({**json.loads(SIMPLETUNER), key: text}), "config.json", "simpletuner")
    assert [problem.rule for problem in job.problems] == ["wrong-type"]


VARIABLES = """#!/bin/bash
export MODEL_TYPE='lora'
export MODEL_FAMILY="kolors"
export LORA_TYPE=standard
export LORA_RANK=64  # is not read
export DATALOADER_CONFIG="multidatabackend.json"
export RESOLUTION=1024
export MINIMUM_RESOLUTION=$RESOLUTION
export RESOLUTION_TYPE="pixel_area"
export TRAIN_BATCH_SIZE=2
export GRADIENT_ACCUMULATION_STEPS=4
export MAX_NUM_STEPS=100 #@param
export CHECKPOINTING_STEPS=50
export USE_GRADIENT_CHECKPOINTING=true
export MIXED_PRECISION="bf16"
export OPTIMIZER="adamw_bf16"
export BASE_MODEL_PRECISION=no_change
TRAINER_EXTRA_ARGS=""
export TRAINER_EXTRA_ARGS="${TRAINER_EXTRA_ARGS} --model_flavour=1.0"
export TRAINER_EXTRA_ARGS="${TRAINER_EXTRA_ARGS} --lora_rank 16 --report_to=wandb"
"""


def test_a_file_of_simpletuners_variables_is_what_its_json_is():
    (plain,) = read(SIMPLETUNER, "config.json", "simpletuner")
    (job,) = read(VARIABLES, "config.env", "simpletuner")
    assert {name: job.spec[name] for name in job.spec.fields} == {
        name: plain.spec[name] for name in plain.spec.fields
    }
    assert not job.problems
    toml = "\n".join(f"{key} = {json.dumps(value)}" for key, value in json.loads(SIMPLETUNER).items())
    (job,) = read(toml, "config.toml", "simpletuner")
    assert job.spec["model.weight_bytes"] == plain.spec["model.weight_bytes"]


@pytest.mark.parametrize(
    ("old", "new", "field", "value"),
    [
        ("TRAIN_BATCH_SIZE=2", "TRAIN_BATCH_SIZE=$BATCH", "batch.per_process", None),
        ("TRAIN_BATCH_SIZE=2", "TRAIN_BATCH_SIZE=$(nproc)", "batch.per_process", None),
        ("--lora_rank 16", "$MORE", "adapter.rank", None),
        ("--lora_rank 16", "--lora_rank=$RANK", "adapter.rank", None),
        ("--lora_rank 16", "--train_batch_size=8", "batch.per_process", 8),
        ("=true", "=false", "checkpointing", False),
        ("OPTIMIZER", "TRAINING_NUM_PROCESSES=4\nOPTIMIZER", "gpus", 4),
    ],
)
def test_what_a_variable_of_simpletuner_changes(old, new, field, value):
    assert old in VARIABLES
    (job,) = read(VARIABLES.replace(old, new), "config.env", "simpletuner")
    assert job.spec.get(field) == value


@pytest.mark.parametrize(
    ("old", "new", "field", "value"),
    [
        ('"no_change"', '"int8-quanto"', "quant.kind", "qint8"),
        ('"no_change"', '"fp8-torchao"', "quant.kind", "fp8-torchao"),
        ('"lora_type": "standard"', '"lora_type": "lycoris"', "adapter.kind", "lycoris"),
        (
            '"kolors", "model_flavour": "1.0"',
            '"pixart"',
            "model.base",
            "terminusresearch/pixart-900m-1024-ft-v0.6",
        ),
        ('"model_type": "lora"', '"model_type": "full"', "adapter.kind", "none"),
        (
            '"kolors", "model_flavour": "1.0"',
            '"auraflow", "model_flavour": "v0.3"',
            "model.family",
            "auraflow",
        ),
        ('"kolors", "model_flavour": "1.0"', '"flux"', "model.base", "black-forest-labs/FLUX.1-Krea-dev"),
        (
            '"kolors", "model_flavour": "1.0"',
            '"pixart_sigma", "model_flavour": "600M-1024"',
            "model.family",
            "pixart",
        ),
        ('"kolors", "model_flavour": "1.0"', '"wan", "model_flavour": "2.1"', "model.config", None),
        ('"kolors", "model_flavour": "1.0"', '"wan"', "model.base", "wan"),
    ],
)
def test_what_a_key_of_simpletuner_changes(old, new, field, value):
    assert old in SIMPLETUNER
    (job,) = read(SIMPLETUNER.replace(old, new), "config.json", "simpletuner")
    assert job.spec.get(field) == value


@pytest.mark.parametrize(
    ("said", "recipe"),
    [("", "diffusers.ZeroedGradients"), ('"set_grads_to_none": true, ', "diffusers.Denoiser")],
)
def test_simpletuner_zeroes_gradients_where_it_is_not_asked_to_free_them(said, recipe):
    (job,) = read(SIMPLETUNER.replace('"lora_type"', f'{said}"lora_type"'), "config.json", "simpletuner")
    assert job.spec["recipe"] == recipe


@pytest.mark.parametrize(
    ("script", "words", "kind"),
    [
        ("sdxl_train_network.py", "algo=lokr factor=8 full_matrix=True conv_dim=8", "lycoris.lokr"),
        ("train_network.py", "algo=loha use_tucker=False dropout=0.1", "lycoris.loha"),
        ("sdxl_train_network.py", "algo=lokr preset=attn-mlp decompose_both=False", "lycoris.lokr"),
        ("sdxl_train_network.py", "algo=locon", "lycoris.locon"),
        ("sdxl_train_network.py", "conv_dim=4 rs_lora=True", "lycoris.locon"),
        ("train_network.py", "algo=ia3", "lycoris.ia3"),
        ("train_network.py", "algo=full", "lycoris.full"),
    ],
)
def test_which_adapters_of_lycoris_are_known(script, words, kind):
    spec = lycoris(script, words)
    assert (spec["adapter.kind"], spec["recipe"]) == (kind, "diffusers.LycorisAdapters")
    assert "unproven" in spec
    assert spec["adapter.rank"] == 4
    assert spec["options"].get("full_matrix", 0) == ("full_matrix" in words)


@pytest.mark.parametrize(
    ("script", "words", "kind"),
    [
        ("sdxl_train_network.py", "algo=lokr bypass_mode=True", "lycoris.bypass"),
        ("sdxl_train_network.py", "dora_wd=1", "lycoris.dora"),
        ("sdxl_train_network.py", "algo=full", "lycoris.full of SDXL"),
        ("sdxl_train_network.py", "algo=dylora", "lycoris.dylora"),
        ("train_network.py", "algo=diag-oft", "lycoris.diag-oft"),
        ("sdxl_train_network.py", "algo=lokr use_tucker=0", "lycoris.kohya"),  # it takes "0" for true
        ("sdxl_train_network.py", "algo=ia3 preset=ia3", "lycoris.kohya"),
        ("sdxl_train_network.py", "algo=lokr preset=unet-only", "lycoris.kohya"),  # no text encoder's then
        ("sdxl_train_network.py --fp8_base", "algo=lokr", "lycoris.kohya"),
        ("flux_train_network.py", "algo=lokr", "lycoris.kohya"),
    ],
)
def test_which_adapters_of_lycoris_are_not_known(script, words, kind):
    spec = lycoris(script, words)
    assert (spec["adapter.kind"], spec.get("adapter.rank"), "unproven" in spec) == (kind, None, False)


@pytest.mark.parametrize(
    ("words", "targets", "options"),
    [
        ("algo=locon", ["down_blocks.", "mid_block.", "up_blocks."], {}),
        ("preset=full-lin", ["down_blocks.", "mid_block.", "up_blocks."], {"conv_rank": 0}),
        ("preset=attn-mlp conv_dim=8", ["attentions."], {"conv_rank": 0}),
        ("preset=attn-only train_norm=True", ["attn1.", "attn2."], {"conv_rank": 0, "norms": 1}),
        ("conv_dim=0 train_norm=False", ["down_blocks.", "mid_block.", "up_blocks."], {"conv_rank": 0}),
    ],
)
def test_what_a_preset_of_lycoris_adapts(words, targets, options):
    spec = lycoris("sdxl_train_network.py", words)
    assert spec["adapter.targets"] == targets
    assert {
        name: value for name, value in spec["options"].items() if name in ("conv_rank", "norms")
    } == options


@pytest.mark.parametrize(
    "key", ["learning_rate_te1 = 1e-5", "block_lr = '1e-5'", "fused_optimizer_groups = 4"]
)
def test_a_file_of_arguments_for_a_whole_sdxl_is_recognised(key):
    text = f"pretrained_model_name_or_path = 'a'\n{key}\ntrain_batch_size = 2\noptimizer_typ = 'AdamW'\n"
    (job,) = read(text, "sdxl.toml", "kohya")
    assert "sdxl_train.py --config_file" in job.skip
    assert [problem.rule for problem in job.problems] == ["unknown-key"]
    assert job.checked
    assert "options" not in job.spec or "module" not in job.spec["options"]


def lycoris(script, words):
    line = f"{script} --pretrained_model_name_or_path a --network_module lycoris.kohya --network_args {words}"
    (job,) = read(f"accelerate launch {line}", "train.sh", "kohya")
    return job.spec


@pytest.mark.parametrize(
    ("old", "new", "meant"),
    [
        ("batch_size:", "batchsize:", "batch_size"),
        ("train: {", "trains: {", "train"),
        ("optimizer: adamw8bit", "optimizer: adamw8bits", "adamw8bit"),
        ("type: sd_trainer", "type: sd_traine", "sd_trainer"),
        ("job: extension\n", "job: extensionn\n", "extension"),
        ("type: lora", "type: lorra", "lora"),
        ("gradient_checkpointing:", "gradient_checkpoint:", "gradient_checkpointing"),
    ],
)
def test_a_slip_in_a_key_or_a_name_of_ai_toolkit_is_said_with_what_was_meant(old, new, meant):
    assert old in AI_TOOLKIT_KEYS
    (document,) = read_source(Source("x.yaml", AI_TOOLKIT_KEYS.replace(old, new)))
    dialect = recognise(document, load_dialects())
    assert dialect.id == "ai-toolkit"
    problems = normalise(document, dialect, trainer_of(document, dialect, None))[0].problems
    assert [problem.suggestion for problem in problems if problem.rule != "missing-key"] == [meant]
    assert all(problem.harmless or problem.rule == "unknown-key" for problem in problems)


def test_keys_that_ai_toolkit_reads_are_no_slips_of_others():
    text = AI_TOOLKIT_KEYS.replace("batch_size: 1", "batch_size: 1, adapter_lr: 1.0, max_loss: 2, my_own: 1")
    (document,) = read_source(Source("x.yaml", text))
    dialect = recognise(document, load_dialects())
    assert not normalise(document, dialect)[0].problems


AI_TOOLKIT_KEYS = """
job: extension
config:
  name: teapot
  process:
    - type: sd_trainer
      network: {type: lora, linear: 16}
      datasets: [{folder_path: images, resolution: 512}]
      train: {batch_size: 1, gradient_checkpointing: true, optimizer: adamw8bit}
      model: {name_or_path: black-forest-labs/FLUX.1-dev, is_flux: true}
"""


def test_what_trainers_sample_with():
    text = AI_TOOLKIT.replace(
        "          save: {", "          sample: {width: 768, height: 1024, prompts: [a]}\n          save: {"
    )
    spec = read(text, "flux.yaml", "ai-toolkit")[0].spec
    assert spec["sampling"] == {"guided": False, "precision": "fp32", "text": "own", "vae": "bf16"}
    assert (spec["validation.height"], spec["validation.width"]) == (1024, 768)
    assert spec.at("validation.width") == (("config", "process", 0, "sample", "width"),)
    (job,) = read(f"{KOHYA} --sample_prompts p.txt --sample_every_n_steps 100", "train.sh", "kohya")
    drawn = {"guided": True, "precision": "bf16", "text": "own", "vae": "bf16"}
    assert job.spec["sampling"] == {"size": "the largest of sample_prompts", **drawn}
    assert "validation.height" not in job.spec  # the file of prompts says it, which is not here


OF_PROMPTS = {
    "a cat --w 1024 --h 768 --s 20\n# --w 4096 --h 4096\n\na dog --h 1216 --w 832\n": (1216, 832, True),
    "a cat\n": (512, 512, True),
    "a cat --W 770 --h 1024 --l 1\n": (1024, 768, False),
}


@pytest.mark.parametrize(("lines", "drawn"), OF_PROMPTS.items())
def test_prompts_say_how_large_their_images_are(tmp_path, lines, drawn):
    (tmp_path / "p.txt").write_text(lines, "utf-8")
    assert _drawn(tmp_path, "p.txt") == drawn


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("p.json", '[{"prompt": "a", "width": 832, "height": 1216}, "a dog --w 512 --h 512"]'),
        ("p.toml", "[prompt]\nwidth = 832\n[[prompt.subset]]\nheight = 1216\n[[prompt.subset]]\n"),
    ],
)
def test_prompts_are_read_in_each_format_that_sd_scripts_reads(tmp_path, name, text):
    (tmp_path / name).write_text(text, "utf-8")
    assert _drawn(tmp_path, name) == (1216, 832, True)


@pytest.mark.parametrize("text", ["", "# nothing\n"])
def test_without_a_prompt_no_size_is_known(tmp_path, text):
    (tmp_path / "p.txt").write_text(text, "utf-8")
    assert _drawn(tmp_path, "p.txt") == (None, None, True)


def _drawn(folder, name):
    """Return height and width of what is drawn by a file of prompts, and whether it is guided."""
    command = f"{KOHYA} --sample_prompts {name} --sample_every_n_steps 100"
    (job,) = read(command, str(folder / "train.sh"), "kohya")
    return job.spec.get("validation.height"), job.spec.get("validation.width"), job.spec["sampling"]["guided"]


@pytest.mark.parametrize(
    ("sample", "size"),
    [
        ("{samples: [{prompt: a, width: 768, height: 512}, {width: 832, height: 1216}]}", (1216, 832)),
        ("{samples: [{prompt: a}], height: 1024}", (1024, 512)),
        ("{samples: [{prompt: a, width: 768}]}", (None, None)),
        ("{prompts: [a --w 1024 --h 1024]}", (None, None)),
    ],
)
def test_samples_of_ai_toolkit_may_have_sizes_of_their_own(sample, size):
    text = AI_TOOLKIT.replace("          save: {", f"          sample: {sample}\n          save: {{")
    spec = read(text, "flux.yaml", "ai-toolkit")[0].spec
    assert (spec.get("validation.height"), spec.get("validation.width")) == size


@pytest.mark.parametrize(
    ("said", "size"),
    [
        ("", (256, 256)),
        ('"validation_resolution": "832x1216", ', (1216, 832)),
        ('"validation_resolution": 512, ', (512, 512)),
        ('"validation_resolution": "1", ', (None, None)),
        ('"validation_resolution": "512x512,1024x1024", ', (None, None)),
    ],
)
def test_validation_of_simpletuner_has_a_resolution_of_its_own(said, size):
    (job,) = read(SIMPLETUNER.replace('"model_type"', f'{said}"model_type"', 1), "config.json", "simpletuner")
    assert (job.spec.get("validation.height"), job.spec.get("validation.width")) == size
    assert (job.spec["sampling"]["guided"], job.spec["sampling"]["text"]) == (True, "none")


def test_what_config_json_says_of_processes_starts_none():
    (job,) = read(
        SIMPLETUNER.replace('"model_type"', '"num_processes": 8, "model_type"', 1), "c.json", "simpletuner"
    )
    assert job.spec["gpus"] == 1


def test_an_address_in_a_config_is_no_comment(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = SIMPLETUNER.replace('"model_type"', '"tracker_url": "https://a.b/c", "model_type"', 1)
    (tmp_path / "config.json").write_text(text, "utf-8")
    (result,) = check("config.json", "rtx-3090", trace=False).results
    assert result.dialect == "simpletuner"


def test_a_variable_is_edited_on_its_own_line():
    (job,) = read(VARIABLES, "config.env", "simpletuner")
    for key, value, line in (
        ("train_batch_size", 1, "export TRAIN_BATCH_SIZE=1"),
        ("optimizer", "bnb-adamw8bit", 'export OPTIMIZER="bnb-adamw8bit"'),
        ("use_ema", False, "export USE_EMA=false"),
    ):
        edit = set_value(job.document, (key,), value)
        edited = apply_edits(VARIABLES, [edit])
        changed = set(edited.splitlines()) - set(VARIABLES.splitlines())
        assert changed == {line}
        assert job.document.format == "env"
    assert set_value(job.document, ("lora_rank",), 8) is None  # of TRAINER_EXTRA_ARGS, and no variable has it


def test_a_data_set_with_a_resolution_type_has_the_last_word(tmp_path):
    text = SIMPLETUNER.replace("pixel_area", "area")
    sets = '[{"id": "a", "resolution": 512, "resolution_type": "pixel_area"}]'
    assert "uncounted" in read(text, str(tmp_path / "config.json"), "simpletuner")[0].spec
    (tmp_path / "multidatabackend.json").write_text(sets, "utf-8")
    (job,) = read(text, str(tmp_path / "config.json"), "simpletuner")
    assert (job.spec["image.side"], "uncounted" in job.spec) == (512, False)


def test_simpletuner_without_a_validation_samples_nothing():
    text = SIMPLETUNER.replace('"model_type"', '"validation_disable": true, "model_type"', 1)
    assert "sampling" not in read(text, "config.json", "simpletuner")[0].spec


def test_a_trainer_that_samples_nothing_needs_nothing_for_it():
    assert "sampling" not in read(AI_TOOLKIT, "flux.yaml", "ai-toolkit")[0].spec
    (job,) = read(f"{KOHYA} --sample_prompts p.txt", "train.sh", "kohya")
    assert "sampling" not in job.spec


DATA_SETS = """[general]
resolution = 768
enable_bucket = true

[[datasets]]
batch_size = 4
  [[datasets.subsets]]
  image_dir = "images"
  num_repeats = 10

[[datasets]]
batch_size = 2
  [[datasets.subsets]]
  image_dir = "others"
"""


def with_sets(folder, sets, command):
    """Read a command with a file of data sets next to it."""
    (folder / "sets.toml").write_text(sets, encoding="utf-8")
    return read(f"{command} --dataset_config sets.toml", str(folder / "train.sh"), "kohya")


def with_backends(folder, backends):
    """Read SimpleTuner's config with its data sets next to it."""
    (folder / "multidatabackend.json").write_text(backends, encoding="utf-8")
    return read(SIMPLETUNER, str(folder / "config.json"), "simpletuner")


def test_a_file_of_data_sets_decides_over_the_flags(tmp_path):
    largest, smallest = with_sets(tmp_path, DATA_SETS, f"{KOHYA} --train_batch_size 1")
    assert (largest.spec["batch.per_process"], largest.spec["image.side"]) == (4, 768)
    assert smallest.spec["image.side"] == 256
    assert "uncounted" not in largest.spec


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("batch_size = 2", "batch_size = 2\nresolution = [512, 768]", "several shapes"),
        (
            "batch_size = 2",
            "batch_size = 2\nresolution = 1024",
            "both the largest images and the largest batch",
        ),
    ],
)
def test_data_sets_that_no_single_one_stands_for_are_not_judged(tmp_path, old, new, what):
    sets = DATA_SETS.replace(old, new)
    assert sets != DATA_SETS
    job, *_ = with_sets(tmp_path, sets, KOHYA)
    assert any(what in term["what"] for term in job.spec["uncounted"])


ONE_SET = """[[datasets]]
resolution = 768
enable_bucket = true
  [[datasets.subsets]]
  image_dir = "images"
  num_repeats = 10
"""


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("enable_bucket = true", "enable_bucket = true\nbucket_reso_steps = 48", "bucket-steps"),
        ("enable_bucket = true", "enable_bucket = true\nmax_bucket_reso = 640", "bucket-below-resolution"),
        ("enable_bucket = true", "enable_bucket = true\nmin_bucket_reso = 832", "bucket-above-resolution"),
        ("num_repeats = 10", "num_repeats = 10\ncolor_aug = true", "cached-latents-augmented"),
        ("num_repeats = 10", "num_repeats = 10\nrandom_crop = true", "cached-latents-augmented"),
        ("num_repeats = 10", "num_repeats = 10\nflip_aug = true", None),
        ("enable_bucket = true", "enable_bucket = true\nbucket_reso_steps = 64", None),
    ],
)
def test_what_a_file_of_data_sets_says_is_held_against_the_rules(tmp_path, old, new, rule):
    sets = ONE_SET.replace(old, new)
    (tmp_path / "sets.toml").write_text(sets, encoding="utf-8")
    line = f"{KOHYA} --dataset_config sets.toml\n"
    (tmp_path / "train.sh").write_text(line, encoding="utf-8")
    found = {
        finding.rule
        for result in check(str(tmp_path / "train.sh"), trace=False).results
        for finding in result.findings
    }
    asked = {"bucket-steps", "bucket-below-resolution", "bucket-above-resolution", "cached-latents-augmented"}
    assert found & asked == ({rule} if rule else set())


def test_keys_in_which_data_sets_differ_are_open(tmp_path):
    sets = f"{ONE_SET}\n[[datasets]]\nresolution = 768\nenable_bucket = false\n"
    job = with_sets(tmp_path, sets, f"{KOHYA} --bucket_reso_steps 32")[0]
    assert job.document.value["enable_bucket"] is None
    assert job.document.value["resolution"] == "768"


def test_a_file_of_data_sets_that_is_not_there_leaves_memory_open(tmp_path):
    (job,) = read(f"{KOHYA} --dataset_config gone.toml", str(tmp_path / "train.sh"), "kohya")
    (term,) = job.spec["uncounted"]
    assert term["direction"] == "unknown"
    assert "gone.toml" in term["what"]


BACKENDS = """[
  {"id": "a", "type": "local", "resolution": 512, "resolution_type": "pixel_area", "cache_dir_vae": "c"},
  {"id": "b", "type": "local", "resolution": 1.0, "resolution_type": "area", "repeats": 2},
  {"id": "t", "dataset_type": "text_embeds", "default": true, "cache_dir": "e"}
]"""


def test_simpletuners_data_sets_say_how_large_images_are(tmp_path):
    (job,) = with_backends(tmp_path, BACKENDS)
    assert job.spec["image.side"] == 1024
    assert "unproven" not in job.spec
    assert "uncounted" not in job.spec
    sets = BACKENDS.replace('"pixel_area"', '"pixel"').replace("1.0", "0.25")
    (job,) = with_backends(tmp_path, sets)
    assert job.spec["image.side"] == 512
    assert job.spec["uncounted"][0]["direction"] == "more"


SD3 = (
    "accelerate launch {} --pretrained_model_name_or_path stabilityai/stable-diffusion-3-medium-diffusers"
    " --instance_data_dir a --instance_prompt b --mixed_precision fp16 --train_batch_size 1"
)


@pytest.mark.parametrize(
    ("script", "flags", "embeddings"),
    [
        ("train_dreambooth_sd3.py", "--max_train_steps 300 --validation_prompt c", "kept"),
        ("train_dreambooth_lora_sd3.py", "--num_train_epochs 4 --validation_prompt c", "kept"),
        ("train_dreambooth_sd3.py", "--max_train_steps 300", "cached"),
        ("train_dreambooth_sd3.py", "--validation_prompt c", "cached"),  # it validates once, at its end
    ],
)
def test_the_first_validation_of_sd3_leaves_its_text_encoders(script, flags, embeddings):
    job, *others = read(f"{SD3.format(script)} {flags}", "train.sh", "diffusers")
    assert job.spec["text.embeddings"] == embeddings
    converted = job.spec["options"].get("t5_dtype")
    assert converted == ("fp32" if "lora" in script else None)
    assert bool(others) is (embeddings == "kept")


def test_text_encoders_of_sd3s_first_validation_are_in_32_bits_before_diffusers_0_31(tmp_path):
    command = f"{SD3.format('train_dreambooth_sd3.py')} --max_train_steps 300 --validation_prompt c"
    (tmp_path / "train.sh").touch()
    script = str(tmp_path / "train.sh")
    types = {job.variant: job.spec["options"]["text_dtype"] for job in read(command, script, "diffusers")}
    assert types == {"diffusers since 0.31": "fp16", "diffusers before 0.31": "fp32"}
    (tmp_path / "requirements.txt").write_text("diffusers==0.30.3\n", "utf-8")
    assert [job.variant for job in read(command, script, "diffusers")] == ["diffusers before 0.31"]
    command = command.replace("_sd3", "_lora_sd3")
    (tmp_path / "requirements.txt").write_text("diffusers>=0.31\n", "utf-8")
    kept = [job.spec["options"]["t5_dtype"] for job in read(command, script, "diffusers")]
    assert kept == ["fp32", "fp16"]  # as transformers 4 and 5 load it


def test_sd_scripts_before_0_7_kept_in_32_bits_what_adapters_are_put_into(tmp_path):
    (tmp_path / "train.sh").touch()
    path, command = str(tmp_path / "train.sh"), f"{KOHYA} --cache_latents --enable_bucket"
    today = [job.variant for job in read(command, path, "kohya")]
    assert today == ["with images that fill the largest bucket", "with images in the smallest bucket"]
    (tmp_path / "requirements.txt").write_text("sd-scripts<0.7\n", "utf-8")
    (job,) = read(command, path, "kohya")
    assert (job.variant, job.spec["weights.dtype"]) == ("sd-scripts before 0.7", "fp32")
    (tmp_path / "requirements.txt").write_text("sd-scripts==0.9.1\n", "utf-8")
    assert [job.variant for job in read(command, path, "kohya")] == today


CHECKPOINTED = "python {} --pretrained_model_name_or_path runwayml/stable-diffusion-v1-5 --output_dir out"


@pytest.mark.parametrize(
    ("script", "since"),
    [
        ("train_text_to_image_lora.py", "0.26"), ("train_text_to_image_lora_sdxl.py", "0.26"),
        ("train_dreambooth_lora.py", "0.20"), ("train_dreambooth_lora_sdxl.py", "0.20"),
    ],
)  # fmt: skip
def test_scripts_that_did_not_heed_checkpointing_are_another_reading(tmp_path, script, since):
    """diffusers 6402 and 4470: the flag was parsed and never asked for."""
    command = f"{CHECKPOINTED.format(script)} --mixed_precision fp16 --gradient_checkpointing"
    (tmp_path / "train.sh").touch()
    path = str(tmp_path / "train.sh")
    heeds = {job.variant: job.spec["checkpointing"] for job in read(command, path, "diffusers")}
    assert heeds == {f"diffusers since {since}": True, f"diffusers before {since}": False}
    (tmp_path / "requirements.txt").write_text(f"diffusers=={since}.1\n", "utf-8")
    assert [job.variant for job in read(command, path, "diffusers")] == [f"diffusers since {since}"]
    (tmp_path / "requirements.txt").write_text("diffusers==0.19.3\n", "utf-8")
    assert [job.spec["checkpointing"] for job in read(command, path, "diffusers")] == [False]
    (plain,) = read(command.replace("--gradient_checkpointing", ""), path, "diffusers")
    assert not plain.spec.get("checkpointing")


def test_checkpointing_that_was_not_heeded_is_a_reading_of_each_precision_that_is_open():
    command = CHECKPOINTED.format("train_text_to_image_lora.py").replace("python", "accelerate launch")
    jobs = read(f"{command} --gradient_checkpointing", "train.sh", "diffusers")
    readings = {(job.spec["precision"], job.spec["checkpointing"]) for job in jobs}
    assert readings == {("fp32", True), ("fp16", True), ("fp32", False), ("fp16", False)}


@pytest.mark.parametrize(
    ("torch", "flags", "counts"),
    [
        ("torch==1.11.0", "", True),
        ("torch==1.11.0", "--enable_xformers_memory_efficient_attention", False),
        ("torch==2.0.1", "--enable_xformers_memory_efficient_attention", True),
        ("torchvision==0.15", "", False),
    ],
)
def test_the_torch_that_is_pinned_next_to_a_script_of_diffusers_is_read(tmp_path, torch, flags, counts):
    """With torch 1 attention keeps whole matrices, unless xFormers attends."""
    (tmp_path / "requirements.txt").write_text(f"{torch}\n", "utf-8")
    (tmp_path / "train.sh").touch()
    command = f"{CHECKPOINTED.format('train_text_to_image.py')} {flags}"
    (job,) = read(command, str(tmp_path / "train.sh"), "diffusers")
    assert bool(job.pins) is counts


@pytest.mark.parametrize(
    ("script", "flags", "last"),
    [
        ("train_dreambooth_lora_sdxl.py", "--mixed_precision fp16", (32, 16, 32)),
        ("train_text_to_image_lora.py", "--mixed_precision fp16", (32, 0, 0)),
        ("train_text_to_image_lora_sdxl.py", "--mixed_precision no", (32, 0, 0)),
        ("train_dreambooth_lora_flux.py", "--mixed_precision bf16", (16, 0, 16)),
        ("train_text_to_image_sdxl.py", "--mixed_precision fp16", (0, 0, 0)),
    ],
)
def test_what_scripts_of_diffusers_load_once_more_for_their_last_images(script, flags, last):
    job, *_ = read(f"{CHECKPOINTED.format(script)} --validation_prompt p {flags}", "train.sh", "diffusers")
    assert tuple(job.spec["sampling"][name] for name in ("last", "last_text", "last_vae")) == last
    image = validation_image(job.spec, None)
    assert image is not None
    assert not any(name.startswith("last") for name, _ in image.sampled)  # no step is drawn anew for it


@pytest.mark.parametrize(
    ("words", "fails"),
    [
        ("--adaptive_noise_scale 0.01", True),
        ("--adaptive_noise_scale 0.01 ...", False),
        ("--adaptive_noise_scale 0.01 --noise_offset $OFFSET", False),
        ("--sdpa ...", False),
    ],
)
def test_what_a_command_leaves_open_is_not_missing(tmp_path, monkeypatch, words, fails):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.sh").write_text(f"{KOHYA} {words}\n", "utf-8")
    report = check("train.sh", "t4", trace=False)
    rules = {finding.rule for result in report.results for finding in result.findings}
    assert ("adaptive-noise-without-offset" in rules) is fails
    assert report.results


def test_a_count_in_a_file_is_one_although_a_flag_gives_a_word():
    (job,) = read(f"{TOML}    lr_warmup_steps = 0\n", "config.toml", "kohya")
    assert [problem.message for problem in job.problems] == []


def test_sd_scripts_starts_no_more_workers_than_there_are_cores(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.sh").write_text(f"{KOHYA} --max_data_loader_n_workers 64\n", "utf-8")
    report = check("train.sh", "kaggle-t4x2", trace=False)
    assert "workers-over-cores" not in {one.rule for result in report.results for one in result.findings}


@pytest.mark.parametrize(
    ("model", "gib"),
    [
        # 11,901,408,320 weights of 4.375 bits, and T5's 4,762,310,656 in 16
        (f"{FLUX}, quantize: true, low_vram: true, qtype: uint4", 14.93),
        (f"{FLUX}, quantize: true, qtype: uint4", 22.17),
        (FLUX, 31.27),  # with CLIP's 123,060,480
        ("name_or_path: stabilityai/stable-diffusion-xl-base-1.0, is_xl: true, quantize: true", 6.31),
    ],
)
def test_loading_of_ai_toolkit(model: str, gib: float) -> None:
    job = read(AI_TOOLKIT.replace(f"{FLUX}, quantize: true", model), "flux.yaml", "ai-toolkit")[0]
    assert job.spec["model.loading_least"] / 2**30 == pytest.approx(gib, abs=0.01)
    assert job.spec["model.loading_most"] > job.spec["model.loading_least"]


@pytest.mark.parametrize(
    ("flags", "keep"),
    [
        ("--save_every_n_steps 10 --save_last_n_steps 30", 4),  # as the comment in get_remove_step_no has it
        ("--save_every_n_steps 10 --save_last_n_steps 35", 4),
        ("--save_every_n_steps 10", None),
        ("--save_every_n_epochs 2 --save_last_n_epochs 3", 3),
        ("--save_every_n_epochs 2 --save_last_n_steps 3", None),
        ("--save_every_n_epochs 2 --save_every_n_steps 10 --save_last_n_epochs 3", None),
    ],
)
def test_sd_scripts_keeps_its_last_saves(flags: str, keep: int | None) -> None:
    (job,) = read(f"{KOHYA} {flags}", "train.sh", "kohya")
    assert job.spec.get("checkpoint.keep") == keep


@pytest.mark.parametrize(
    ("flags", "states"),
    [
        ("--save_state_on_train_end", "last"),
        ("--save_state --save_last_n_steps 30", "kept"),
        ("--save_state --save_last_n_steps 30 --save_last_n_steps_state 90", "all"),
        ("", None),
    ],
)
def test_sd_scripts_may_save_states_next_to_the_weights(flags: str, states: str | None) -> None:
    (job,) = read(f"{KOHYA} --save_every_n_steps 10 {flags}", "train.sh", "kohya")
    assert job.spec.get("checkpoint.states") == states


@pytest.mark.parametrize(
    ("flags", "steps", "is_default"),
    [("--max_train_steps 400", 400, False), ("", 1600, True), ("--max_train_epochs 3", None, False)],
)
def test_steps_that_are_written_are_no_default(flags: str, steps: int | None, *, is_default: bool) -> None:
    (job,) = read(f"{KOHYA} {flags}", "train.sh", "kohya")
    assert job.spec.get("duration.iterations") == steps
    if steps:
        assert (job.spec.fields["duration.iterations"].origin == "default") is is_default


def test_what_the_window_of_kohya_ss_saves_is_what_its_command_says() -> None:
    (saved,) = read(WINDOW, "lora.json", "kohya")
    line = (
        "sdxl_train_network.py --network_module networks.lora --cache_latents --max_train_epochs 10"
        " --gradient_checkpointing --resolution 1024,1024 --mixed_precision bf16 --network_dim 32 --sdpa"
        " --optimizer_type AdamW8bit --pretrained_model_name_or_path xl.safetensors --train_batch_size 2"
        " --cache_text_encoder_outputs --network_train_unet_only --unet_lr 1e-04 --bucket_reso_steps 64"
    )
    (started,) = read(f"accelerate launch {line}", "train.sh", "kohya")
    assert step_of(saved.spec) == step_of(started.spec)
    assert saved.spec["duration.epochs"] == started.spec["duration.epochs"] == 10
    assert not saved.problems
    assert saved.document.raw(("resolution",)) == '"1024,1024"'


DREAMBOOTH = WINDOW.replace(
    '"LoRA_type": "Standard"', '"no_token_padding": false, "prior_loss_weight": 1.0'
).replace('      "network_dim": 32,\n', "")


@pytest.mark.parametrize(
    ("old", "new", "kind", "field", "value"),
    [
        ('"seed"', '"seed"', "sdxl", "text.embeddings", "cached"),
        ('"sdxl": true', '"sdxl": false', "sd1", "text.embeddings", "trained"),
        ('"sdxl": true', '"flux1_checkbox": true', "flux", "adapter.kind", "none"),
    ],
)
def test_the_dreambooth_tab_trains_a_whole_model(old, new, kind, field, value) -> None:
    spec = read(DREAMBOOTH.replace(old, new), "db.json", "kohya")[0].spec
    assert (spec["model.family"], spec["adapter.kind"], spec[field]) == (kind, "none", value)


@pytest.mark.parametrize(
    ("text", "more"),
    [
        (DREAMBOOTH, "sdxl_train.py --cache_text_encoder_outputs --resolution 1024,1024"),
        (DREAMBOOTH.replace('"sdxl": true', '"sdxl": false'), "train_db.py --resolution 1024,1024"),
    ],
)
def test_what_the_dreambooth_tab_saves_is_what_its_command_says(text, more) -> None:
    (saved,) = read(text, "db.json", "kohya")
    line = (
        f"{more} --cache_latents --max_train_epochs 10 --gradient_checkpointing --mixed_precision bf16 --sdpa"
        " --optimizer_type AdamW8bit --pretrained_model_name_or_path xl.safetensors --train_batch_size 2"
    )
    (started,) = read(f"accelerate launch {line}", "train.sh", "kohya")
    assert step_of(saved.spec) == step_of(started.spec)


FINETUNE = WINDOW.replace(
    '"LoRA_type": "Standard"', '"dataset_repeats": 10, "use_latent_files": "No", "train_text_encoder": true'
).replace('      "network_dim": 32,\n', "")


@pytest.mark.parametrize(
    ("old", "new", "more"),
    [
        ('"sdxl": true', '"sdxl_checkbox": false', "fine_tune.py --resolution 1024,1024"),
        ('"sdxl"', '"sdxl_checkbox"', "sdxl_train.py --cache_text_encoder_outputs --resolution 1024,1024"),
    ],
)
def test_what_the_finetune_tab_saves_is_what_its_command_says(old, new, more) -> None:
    """It always makes buckets, whatever else is ticked."""
    saved = read(FINETUNE.replace(old, new), "ft.json", "kohya")
    line = (
        f"{more} --cache_latents --max_train_epochs 10 --gradient_checkpointing --mixed_precision bf16 --sdpa"
        " --optimizer_type AdamW8bit --pretrained_model_name_or_path xl.safetensors --train_batch_size 2"
        " --train_text_encoder --enable_bucket"
    )
    started = read(f"accelerate launch {line}", "train.sh", "kohya")
    assert [step_of(job.spec) for job in saved] == [step_of(job.spec) for job in started]
    assert len(saved) == 2


def test_the_textual_inversion_tab_is_read_as_its_command() -> None:
    text = WINDOW.replace('"LoRA_type": "Standard"', '"token_string": "x", "num_vectors_per_token": 8')
    spec = read(text, "ti.json", "kohya")[0].spec
    assert (spec["recipe"], spec["model.family"]) == ("diffusers.ScriptWords", "sdxl")
    assert (spec["text.embeddings"], spec["adapter.kind"]) == ("trained", "none")


@pytest.mark.parametrize(
    ("line", "dialect", "skip"),
    [
        ("train_textual_inversion.py --token_string x --init_word y", "kohya", ""),
        ("train_textual_inversion_XTI.py --token_string x --init_word y", "kohya", "XTI"),
        ("sdxl_train_textual_inversion.py --token_string x --num_vectors_per_token 4", "kohya", ""),
        ("train_control_net.py --conditioning_data_dir c", "kohya", ""),
        ("sdxl_train_control_net_lllite.py --conditioning_data_dir c --cond_emb_dim 32", "kohya", "Control"),
        ("sdxl_train_control_net.py --conditioning_data_dir c", "kohya", "ControlNets"),
        ("train_controlnet.py --conditioning_data_dir c", "kohya", ""),
        ("train_controlnet.py --dataset_config data.toml", "kohya", ""),
        ("train_controlnet.py --dataset_name fusing/fill50k", "diffusers", ""),
    ],
)
def test_a_script_is_the_trainers_whose_flags_it_gets(line, dialect, skip) -> None:
    """`train_controlnet.py` of sd-scripts had the figure of the script of diffusers."""
    name, (job, *_) = jobs(f"accelerate launch {line} --pretrained_model_name_or_path a", "train.sh")
    assert name == dialect
    assert skip in str(job.skip)
    assert bool(skip) == bool(job.skip)
    assert not job.problems


@pytest.mark.parametrize("key", ["token_string", "image_folder", "network_dim"])
def test_a_file_that_another_tab_may_have_saved_is_not_read(key) -> None:
    text = DREAMBOOTH.replace('"seed"', f'"{key}": "x", "seed"')
    assert jobs(dedent(text), "db.json")[0] is None


def test_the_window_of_kohya_ss_has_the_prompts_themselves() -> None:
    sampled = '"sample_every_n_steps": 100, "sample_prompts": "a cat --w 1024 --h 768\\na dog"'
    text = WINDOW.replace('"sample_every_n_steps": 0', sampled)
    spec = read(text, "lora.json", "kohya")[0].spec
    assert (spec["validation.height"], spec["validation.width"]) == (768, 1024)


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ('"LoRA_type": "LyCORIS/LoKr"', {"adapter.kind": "lycoris.kohya"}),
        (
            '"flux1_checkbox": true, "sdxl": false, "LoRA_type": "Flux1"',
            {"model.family": "flux", "adapter.kind": "lora"},
        ),
        ('"sdxl": false, "LoRA_type": "Standard"', {"model.family": "sd1"}),
        (
            '"flux1_checkbox": true, "sdxl": false, "LoRA_type": ""',
            {"model.family": "flux", "adapter.kind": "none"},
        ),
    ],
)
def test_which_script_the_window_starts(field: str, expected: dict[str, str]) -> None:
    text = WINDOW.replace('"LoRA_type": "Standard"', field)
    text = text if '"sdxl": false' not in field else text.replace('      "sdxl": true,\n', "")
    spec = read(text, "lora.json", "kohya")[0].spec
    assert {name: spec[name] for name in expected} == expected
