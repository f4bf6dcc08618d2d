# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Traces what usual fine-tuning jobs need on cards that are too small for them, their fixes included.

    python -m bench fix_profiles               trace what is missing or outdated; may be stopped
    python -m bench fix_profiles --only TEXT   only the jobs whose name has this text ("kohya flux 512")
    python -m bench fix_profiles --check       trace nothing, exit 1 and name what is not judged

A job as somebody writes it first, on the cards that people have: it is linted as a user's file is, and every
step that this asks for is stored, so that the same question needs no torch. Needs torch, transformers, peft
and diffusers; a step of an image model takes some twenty seconds.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import yaml

from bench.commands import parser_of
from bench.profiles.build import PROFILES
from bench.profiles.image_models import AI_TOOLKIT_HEAD
from bench.profiles.jobs import LARGE_VAE
from bench.profiles.language_models import AXOLOTL, FACTORY, HALF, LORA, PLAIN_ATTENTION, QLORA
from trainlint.estimate.tapes.stored_profiles import Store
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.files.text_source import source_of
from trainlint.judge.fixes.fixer import FEWER, UNTRACED
from trainlint.model.finding import UNKNOWN_SETS
from trainlint.model.result import Result
from trainlint.session.toolbox import pipeline_for
from trainlint.settings.settings import Settings

CARDS: Final = ("rtx-3060", "rtx-4060-ti-16gb", "rtx-4090")
"""Cards of 12, 16 and 24 GB."""
SMALL_CARDS: Final = ("rtx-4060", *CARDS)
T4: Final = ("kaggle-t4x2",)
"""Cards without bfloat16: what is written for them computes in float16."""
KOHYA: Final = (
    "accelerate launch {script} --pretrained_model_name_or_path {base} --train_data_dir images"
    " --output_dir out --network_module networks.{module} --network_dim {rank} --train_batch_size {batch}"
    " --resolution {side} --mixed_precision {precision} --optimizer_type adamw8bit --learning_rate 1e-4"
    " --max_train_steps 2000 --save_every_n_steps 500 --sdpa {more}"
)
FLUX: Final = {
    "script": "flux_train_network.py", "base": "flux1-dev.safetensors", "module": "lora_flux", "rank": 16,
    "batch": 1, "precision": "bf16",
    "more": "--clip_l clip_l.safetensors --t5xxl t5xxl_fp16.safetensors --ae ae.safetensors",
}  # fmt: skip
SDXL: Final = {
    "script": "sdxl_train_network.py", "base": "sd_xl_base_1.0.safetensors", "module": "lora", "rank": 32,
    "batch": 4, "precision": "fp16", "more": "",
}  # fmt: skip
AI_TOOLKIT: Final = (
    AI_TOOLKIT_HEAD
    + """\
    network: {{type: lora, linear: 16, linear_alpha: 16}}
    save: {{dtype: float16, save_every: 250, max_step_saves_to_keep: 4}}
    datasets: [{{folder_path: images, caption_ext: txt, resolution: {side}}}]
    train: {{batch_size: 1, steps: 2000, optimizer: adamw8bit, lr: 1e-4, dtype: bf16, disable_sampling: true}}
    model: {{name_or_path: black-forest-labs/FLUX.1-dev, is_flux: true}}
"""
)
PARAGON: Final = Path(__file__).resolve().parents[2] / "examples" / "trainers" / "paragonsr2_x2.yml"
"""Three published definitions of one network; the crops of 80 and 96 are what its guides go down to."""
MODELS: Final = {"llama-3-8b": "meta-llama/Llama-3.1-8B-Instruct", "qwen2.5-7b": "Qwen/Qwen2.5-7B-Instruct"}


def jobs() -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    """Yield (name, file, text, targets)."""
    for side in (512, 1024):
        yield f"kohya flux {side}", "train.sh", KOHYA.format(**FLUX, side=side), CARDS
        yield f"ai-toolkit flux {side}", "flux.yaml", AI_TOOLKIT.format(side=side), CARDS
    yield "kohya sdxl 1024", "train.sh", KOHYA.format(**SDXL, side=1024), ("colab-t4",)
    for side in (128, 96, 80):
        yield f"paragonsr2 nano {side}", "nano.yml", _paragon(side), ("rtx-3060",)
    yield "vae large", "vae.json", json.dumps(LARGE_VAE), ("rtx-5090",)
    for base in MODELS:
        for batch in (2, 1):
            yield from _language_jobs(base, batch)


def _paragon(side: int) -> str:
    """Return the example with the crop, batch and accumulation that are advised for a card of 12 GB."""
    text = PARAGON.read_text(encoding="utf-8").replace("lq_size: 128", f"lq_size: {side}")
    return text.replace("batch_size_per_gpu: 16", "batch_size_per_gpu: 8").replace(
        "accum_iter: 1", "accum_iter: 2"
    )


def _language_jobs(base: str, batch: int) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    """Yield jobs of LLaMA-Factory and axolotl, on cards of all sizes, and as they are written for a T4."""
    model = {"model_name_or_path": MODELS[base], "per_device_train_batch_size": batch}
    lora = {**FACTORY, **model, "finetuning_type": "lora"}
    axolotl = {**AXOLOTL, "base_model": MODELS[base], "micro_batch_size": batch}
    axolotl["optimizer"] = "adamw_bnb_8bit"
    for name, file, config, targets in (
        ("llamafactory qlora", "qlora.yaml", {**lora, "quantization_bit": 4}, SMALL_CARDS),
        ("axolotl qlora", "qlora.yml", {**axolotl, **QLORA}, SMALL_CARDS),
        ("llamafactory lora", "lora.yaml", lora, SMALL_CARDS),
        ("axolotl lora", "lora.yml", {**axolotl, **LORA}, SMALL_CARDS),
        ("llamafactory qlora fp16", "qlora.yaml", {**lora, "quantization_bit": 4, **HALF}, T4),
        ("axolotl qlora fp16", "qlora.yml", {**axolotl, **QLORA, **HALF, **PLAIN_ATTENTION}, T4),
        ("llamafactory lora fp16", "lora.yaml", {**lora, **HALF}, T4),
    ):
        yield f"{name} {base} {batch}", file, yaml.safe_dump(config), targets


def judged(file: str, text: str, target: str, store: Store, *, may_trace: bool) -> list[Result]:
    """Return a job's results on a card, with their fixes."""
    tapes = TapeSource((store,), save_to=store if may_trace else None, may_trace=may_trace)
    pipeline = pipeline_for(Settings(target=(target,)), tapes)
    return list(pipeline.lint_source(source_of(text.encode(), file), named=True))


def _traced(file: str, text: str, target: str, store: Store, *, may_trace: bool) -> list[Result]:
    """Return a job's results once all is traced that is tried: of one run's edits only some are."""
    while True:
        before = len([*store.folder.iterdir()])
        results = judged(file, text, target, store, may_trace=may_trace)
        if len([*store.folder.iterdir()]) == before:
            return results


def lacking(results: list[Result]) -> Iterator[str]:
    """Yield why memory is not judged, and that edits were not tried."""
    for result in results:
        if result.facts is None or result.facts.memory is None:
            yield str(dict(result.facts.missing) if result.facts else "no facts")
        for finding in result.findings:
            yield from (note for note in finding.notes if UNTRACED in note or UNKNOWN_SETS in note)
            yield from (fix.summary for fix in finding.fixes if FEWER in fix.summary)


def said(results: list[Result]) -> Iterator[str]:
    """Yield what is advised for each reading's memory."""
    for result in results:
        for finding in result.findings:
            if finding.rule == "vram-budget":
                yield next((fix.summary for fix in finding.fixes), " | ".join(finding.notes))


def main() -> int:
    """Trace, or check."""
    parser = parser_of(__doc__)
    parser.add_argument("--only", default="", help="only what has this text in its name")
    parser.add_argument("--check", action="store_true", help="trace nothing")
    given, store, missing = parser.parse_args(), Store(PROFILES, "shipped"), 0
    for name, file, text, targets in jobs():
        for target in targets:
            if given.only not in f"{name} {target}":
                continue
            begun = time.process_time()
            results = _traced(file, text, target, store, may_trace=not given.check)
            why = list(dict.fromkeys(lacking(results)))
            missing += bool(why)
            words = "; ".join(why) or "; ".join(dict.fromkeys(said(results))) or "fits"
            print(f"{name}, {target}: {time.process_time() - begun:.0f} s: {words}", flush=True)
    return 1 if given.check and missing else 0
