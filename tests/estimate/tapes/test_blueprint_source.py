# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Memory of language models without torch: from the blueprints in the wheel."""

from __future__ import annotations

import pytest

from trainlint.documents.file_format import read
from trainlint.estimate.tapes.stored_profiles import BLUEPRINT_SUFFIX, shipped_folder, shipped_store
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.files.text_source import source_of
from trainlint.judge.fixes.tries import Tries
from trainlint.session.toolbox import pipeline_for
from trainlint.settings.settings import Settings
from trainlint.tape.blueprints.blueprint_file import decode_blueprint
from trainlint.tape.provenance import SOURCES_KEY, digest

CONFIG = """
model_name_or_path: {base}
stage: sft
do_train: true
finetuning_type: lora
quantization_bit: 4
dataset: data
template: llama3
cutoff_len: {tokens}
lora_rank: {rank}
output_dir: saves
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
bf16: true
"""


def _needs(base: str, *, tokens: int = 2048, rank: int = 8) -> dict[str, float]:
    """Return what each reading needs, in GiB, where nothing may be traced."""
    settings = Settings(target=("rtx-4090",))
    pipeline = pipeline_for(settings, TapeSource((shipped_store(),), may_trace=False))
    (document,) = read(source_of(CONFIG.format(base=base, tokens=tokens, rank=rank).encode(), "lora.yaml"))
    (target,) = pipeline.targets_of("lora.yaml")
    placed = pipeline.readings(pipeline.jobs(document), target)
    found = {}
    for result in pipeline.judge.judge_all(placed, largest=False):
        assert result.facts is not None
        assert result.facts.memory is not None, result.facts.missing
        found[str(result.variant)] = result.facts.memory.gpus[0].least / 2**30
    return found


@pytest.mark.rest
def test_llama_needs_no_torch() -> None:
    """One blueprint: the model, its length and its rank are numbers in it."""
    whole = _needs("meta-llama/Llama-3.1-8B-Instruct")
    assert "with samples of cutoff_len, bitsandbytes before 0.43.2" in whole
    long = whole["with samples of cutoff_len"]
    assert (
        whole["with short samples"] < long == pytest.approx(10.71, abs=0.01)
    )  # as a trace of all its layers has it
    assert _needs("meta-llama/Llama-3.1-8B-Instruct", tokens=4096)["with samples of cutoff_len"] > long
    assert _needs("meta-llama/Llama-3.1-8B-Instruct", rank=64)["with samples of cutoff_len"] > long
    assert _needs("mistralai/Mistral-7B-Instruct-v0.3")["with samples of cutoff_len"] < long


@pytest.mark.rest
def test_fixes_of_a_language_model_need_no_torch() -> None:
    """Every one was replayed, the cheapest for what is learned first."""
    settings = Settings(target=("rtx-4090",))
    pipeline = pipeline_for(settings, TapeSource((shipped_store(),), may_trace=False))
    text = CONFIG.format(base="meta-llama/Llama-3.1-8B-Instruct", tokens=2048, rank=8)
    text = text.replace("_batch_size: 1", "_batch_size: 4")
    (document,) = read(source_of(text.encode(), "lora.yaml"))
    (target,) = pipeline.targets_of("lora.yaml")
    result, *_ = pipeline.judge_all(pipeline.jobs(document), target, tries=Tries.of())
    (finding,) = (one for one in result.findings if one.rule == "vram-budget")
    fixes = [fix.summary for fix in finding.fixes]
    batch = "per_device_train_batch_size: 4 -> 2, gradient_accumulation_steps: 8 -> 16"
    assert [fix.partition(" (")[0] for fix in fixes] == [
        "add enable_liger_kernel: true",
        batch,
        "cutoff_len: 2048 -> 1472",
    ]
    assert [fix.safe for fix in finding.fixes] == [True, True, False]


@pytest.mark.rest
def test_every_blueprint_in_the_wheel_is_of_these_sources() -> None:
    paths = sorted(shipped_folder().glob(f"*{BLUEPRINT_SUFFIX}"))
    assert paths
    for path in paths:
        made = decode_blueprint(path.read_bytes())
        assert path.stem.partition("-")[0] == made.kind[: len(path.stem.partition("-")[0])]
        assert made.made_with[SOURCES_KEY] == digest(made.step), path.name


@pytest.mark.rest
def test_what_no_blueprint_is_of_says_so() -> None:
    with pytest.raises(AssertionError, match="no stored profile"):
        _needs("tiiuae/falcon-7b")
