# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Traces the steps of image models that travel in the wheel, at the usual resolutions.

    python -m bench image_profiles               trace what is missing or outdated; may be stopped
    python -m bench image_profiles --only TEXT   only those whose name has this text ("kohya sdxl 32 at 1024")
    python -m bench image_profiles --check       trace nothing, exit 1 and name what is missing

Other resolutions do not follow from these: kernels copy what they fill up to whole blocks. Where a job
samples images, the step with them is traced, and the one without is cut out of it. Needs torch, diffusers,
transformers and peft; a step takes some ten seconds.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

from bench import ROOT
from bench.commands import parser_of
from bench.profiles.build import PROFILES
from trainlint.documents.file_format import read
from trainlint.errors import CannotTraceError
from trainlint.estimate.memory.run_memory import validating
from trainlint.estimate.replay.course import before_validation
from trainlint.estimate.run.validation_image import validation_image
from trainlint.estimate.tapes.stored_profiles import Store
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.estimate.tapes.trains import trained
from trainlint.files.text_source import source_of
from trainlint.session.toolbox import pipeline_for
from trainlint.settings.settings import Settings
from trainlint.tape import EVERY_BATCH, Tape
from trainlint.tape.crops.crop_side import at_side
from trainlint.tape.step import key_of, step_of
from trainlint.trace.trace import trace

SIDES: Final = (256, 512, 768, 1024)
"""Sides of images; the least is that of the readings in which all are small."""
EFFICIENT_ATTENTION: Final = {"attention": "efficient"}
TARGET: Final = "b200"

KOHYA: Final = (
    "--resolution 1024 --network_module networks.{module} --network_dim {rank} --train_batch_size 2 --sdpa"
    " --mixed_precision {precision} --optimizer_type {optimizer} --cache_latents"
)
CACHED: Final = "--cache_text_encoder_outputs --network_train_unet_only"
AI_TOOLKIT_HEAD: Final = """
job: extension
config:
  name: job
  process:
  - type: sd_trainer
"""
AI_TOOLKIT: Final = (
    AI_TOOLKIT_HEAD
    + """\
    network: {type: lora, linear: 16, linear_alpha: 16}
    datasets: [{folder_path: images, resolution: 1024, cache_latents_to_disk: true}]
    train:
      {batch_size: 2, steps: 2000, gradient_checkpointing: true, optimizer: adamw8bit, lr: 1e-4, dtype: bf16,
       ema_config: {use_ema: true, ema_decay: 0.99}}
    model: {name_or_path: black-forest-labs/FLUX.1-dev, is_flux: true, quantize: true}
    sample: {sample_every: 250, width: 1024, height: 1024, prompts: [a]}
"""
)
DIFFUSERS: Final = (
    "--resolution 1024 --train_batch_size 2 --mixed_precision {precision} --instance_data_dir a"
    " --instance_prompt b --gradient_accumulation_steps 4"
)


def _kohya(script: str, base: str, more: str, **given: Any) -> str:
    settings = {"module": "lora", "precision": "bf16", "optimizer": "AdamW8bit", **given}
    return f"python {script} --pretrained_model_name_or_path {base} {KOHYA.format(**settings)} {more}"


def _dreambooth(script: str, base: str, precision: str, more: str = "") -> str:
    given = DIFFUSERS.format(precision=precision)
    return f"python {script} --pretrained_model_name_or_path {base} {given} {more}"


USUAL: Final = {
    "ai-toolkit flux": (256, 512, 1024), "ai-toolkit cached flux": SIDES, "diffusers sd1": (512,),
    "diffusers sd1 whole": (512,), "diffusers sd1 single": (512,), "diffusers sd1 bytewise": (512,),
    "diffusers sd1 single bytewise": (512,), "kohya sd1 whole": (256, 512, 768), "kohya sdxl whole": SIDES,
    "kohya sd1 32": (512, 768), "kohya sdxl 32": (512, 768, 1024), "kohya sdxl half": (1024,),
    "kohya sdxl 16": (1024,), "kohya flux 16": (512, 768, 1024), "kohya flux plain": (512,),
    "kohya sdxl 32 accumulated": (512, 768, 1024), "kohya sdxl half accumulated": (1024,),
    "kohya sd1 32 accumulated": (512, 768), "kohya sdxl 16 accumulated": (1024,),
}  # fmt: skip
"""What the wheel promises, by job: all sides would be over 3 MB. Others are traced where they are named."""


def jobs() -> Iterator[tuple[str, str, str]]:
    """Yield (name, file, text) of what is traced: the trainers' own examples first."""
    yield "ai-toolkit flux", "flux.yaml", AI_TOOLKIT
    example = ROOT / "examples" / "trainers" / "flux_lora.yaml"
    yield "ai-toolkit cached flux", "flux.yaml", example.read_text(encoding="utf-8")
    yield from _kohya_adapters()
    saving = f"--gradient_checkpointing {CACHED}"
    flux = {"module": "lora_flux", "rank": 16}
    more = f"{saving} --fp8_base"
    yield "kohya flux 16", "a.sh", _kohya("flux_train_network.py", "flux1-dev.safetensors", more, **flux)
    yield "kohya flux plain", "a.sh", _kohya("flux_train_network.py", "flux1-dev.safetensors", CACHED, **flux)
    sdxl, checkpoints = "stabilityai/stable-diffusion-xl-base-1.0", "--gradient_checkpointing --use_8bit_adam"
    yield "diffusers sdxl", "a.sh", _dreambooth("train_dreambooth_lora_sdxl.py", sdxl, "fp16")
    yield (
        "diffusers sdxl saving",
        "a.sh",
        _dreambooth("train_dreambooth_lora_sdxl.py", sdxl, "fp16", checkpoints),
    )
    base = "stable-diffusion-v1-5/stable-diffusion-v1-5"
    yield "diffusers sd1", "a.sh", _dreambooth("train_dreambooth_lora.py", base, "fp16")
    once = "--gradient_accumulation_steps 1"  # as the page of train_dreambooth.py has it
    yield "diffusers sd1 whole", "a.sh", _dreambooth("train_dreambooth.py", base, "fp16", once)
    yield "diffusers sd1 single", "a.sh", _dreambooth("train_dreambooth.py", base, "no", once)
    bytewise = f"{once} --use_8bit_adam"
    yield "diffusers sd1 bytewise", "a.sh", _dreambooth("train_dreambooth.py", base, "fp16", bytewise)
    yield "diffusers sd1 single bytewise", "a.sh", _dreambooth("train_dreambooth.py", base, "no", bytewise)
    whole = "--gradient_checkpointing --cache_latents --sdpa --train_batch_size 2 --resolution 1024"
    halved = f"{whole} --mixed_precision fp16 --use_8bit_adam"
    yield "kohya sd1 whole", "a.sh", f"python train_db.py --pretrained_model_name_or_path a.ckpt {halved}"
    factors = "--cache_text_encoder_outputs --mixed_precision bf16 --full_bf16 --optimizer_type Adafactor"
    more = f"--pretrained_model_name_or_path a.safetensors {whole} {factors}"
    yield "kohya sdxl whole", "a.sh", f"python sdxl_train.py {more}"


def _kohya_adapters() -> Iterator[tuple[str, str, str]]:
    """Yield the LoRAs of UNets, each with what makes up for a smaller batch too: it is what a fix adds."""
    saving, half = f"--gradient_checkpointing {CACHED}", {"precision": "fp16"}
    for name, script, more, given in (
        ("sdxl 32", "sdxl_train_network.py", saving, {"rank": 32}),
        ("sdxl half", "sdxl_train_network.py", saving, {"rank": 32, **half}),
        ("sdxl 16", "sdxl_train_network.py", saving, {"rank": 16}),
        ("sd1 32", "train_network.py", "", {"rank": 32, **half}),
    ):
        text = _kohya(script, "a.safetensors", more, **given)
        yield f"kohya {name}", "a.sh", text
        yield f"kohya {name} accumulated", "a.sh", f"{text} --gradient_accumulation_steps 2"


Step = Mapping[str, Any]


def wanted(only: str) -> Iterator[tuple[str, Step, Step]]:
    """Yield (name, step, step with sample images) of every job at every side whose name has a text."""
    for job, file, text in jobs():
        sides = SIDES if only else USUAL.get(job, ())
        names = [(f"{job} at {side}{early}", side, early) for side in sides for early in ("", " early")]
        asked = [each for each in names if only in each[0]]
        if not asked:
            continue
        step, whole = steps(file, text)
        for name, side, early in asked:
            if early and step.get("precision") != "fp16":  # what a T4 trains in: its attention is another
                continue
            changes = EFFICIENT_ATTENTION if early else {}
            yield name, {**at_side(step, side), **changes}, {**at_side(whole, side), **changes}


def steps(file: str, text: str) -> tuple[Step, Step]:
    """Return what a job's training step is, and that with its sample images; both the same without any."""
    settings = Settings(target=(TARGET,))
    pipeline = pipeline_for(settings, TapeSource((), may_trace=False))
    (target,) = pipeline.targets_of(file)
    (document,) = read(source_of(text.encode(), file))
    placed = next(iter(pipeline.readings(pipeline.jobs(document), target)))
    step = step_of(placed.spec)
    image = validation_image(placed.spec, None)
    return step, step if image is None else {**step, **validating(image)}


def traced(step: Step, whole: Step) -> list[Tape]:
    """Trace a step with its sample images; return the tape, and the one without them."""
    size = whole.get("validation")
    validation = (int(size[0]), int(size[1])) if size else None
    tape = trained(trace(whole, validation=validation, verify=False))
    return [tape, before_validation(tape, key_of(step), step)] if size else [tape]


def main() -> int:
    """Trace, or check."""
    parser = parser_of(__doc__)
    parser.add_argument("--only", default="", help="only what has this text in its name")
    parser.add_argument("--check", action="store_true", help="trace nothing")
    given, store, missing = parser.parse_args(), Store(PROFILES, "shipped"), 0
    for name, step, whole in wanted(given.only):
        if all(store.find(key_of(each), EVERY_BATCH, strict=True) is not None for each in (step, whole)):
            continue
        missing += 1
        if given.check:
            print(f"{name}: no profile")
            continue
        begun = time.process_time()
        try:
            sizes = [store.save(tape).stat().st_size for tape in traced(step, whole)]
        except CannotTraceError as error:
            print(f"{name}: {error.reason}", flush=True)
            continue
        print(f"{name}: {sum(sizes) / 1000:.0f} kB, {time.process_time() - begun:.0f} s", flush=True)
    return 1 if given.check and missing else 0
