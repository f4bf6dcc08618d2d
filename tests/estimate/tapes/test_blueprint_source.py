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
from trainlint.model.facts import Memory
from trainlint.model.finding import Finding
from trainlint.model.launcher import Launcher
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


AXOLOTL = """
base_model: NousResearch/Meta-Llama-3-8B
adapter: qlora
load_in_4bit: true
datasets: [{path: data, type: alpaca}]
sequence_len: 4096
sample_packing: true
lora_r: 32
lora_target_linear: true
lora_dropout: 0.05
micro_batch_size: 2
gradient_accumulation_steps: 4
num_epochs: 3
learning_rate: 0.0002
optimizer: adamw_bnb_8bit
bf16: auto
gradient_checkpointing: true
attn_implementation: flash_attention_2
output_dir: out
"""


TRL = """
model_name_or_path: {base}
dataset_name: data
use_peft: true
load_in_4bit: true
dtype: bfloat16
lora_r: 16
lora_target_modules: all-linear
per_device_train_batch_size: {batch}
gradient_accumulation_steps: 8
max_length: 2048
dataset_text_field: text
output_dir: out
"""


def _needs(base: str, *, tokens: int = 2048, rank: int = 8) -> dict[str, float]:
    return _readings(CONFIG.format(base=base, tokens=tokens, rank=rank))


def _readings(text: str) -> dict[str, float]:
    """Return what each reading needs, in GiB, where nothing may be traced."""
    return {
        reading: memory.gpus[0].least / 2**30 for reading, memory in _memories(text, largest=False).items()
    }


def _memories(
    text: str, *, largest: bool, target: str = "rtx-4090", launcher: Launcher | None = None
) -> dict[str, Memory]:
    settings = Settings(target=(target,), launcher=launcher)
    pipeline = pipeline_for(settings, TapeSource((shipped_store(),), may_trace=False))
    (document,) = read(source_of(text.encode(), "lora.yaml"))
    (machine,) = pipeline.targets_of("lora.yaml")
    placed = pipeline.readings(pipeline.jobs(document), machine)
    memories = {}
    for result in pipeline.judge.judge_all(placed, largest=largest):
        assert result.facts is not None
        assert result.facts.memory is not None, result.facts.missing
        memories[str(result.variant)] = result.facts.memory
    return memories


@pytest.mark.rest
def test_a_process_on_each_of_several_cards_needs_no_torch() -> None:
    """As a trace of it has it; alone it takes 0.07 GiB less."""
    text = CONFIG.format(base="Qwen/Qwen3-4B", tokens=2048, rank=8).replace("quantization_bit: 4\n", "")
    memories = _memories(text, largest=False, target="kaggle-l4x4", launcher=Launcher("pytorch", "flag"))
    assert memories["with samples of cutoff_len"].gpus[0].least == 12_969_836_544
    assert not memories["with samples of cutoff_len"].uncounted


@pytest.mark.rest
def test_llama_needs_no_torch() -> None:
    """One blueprint: the model, its length and its rank are numbers in it."""
    whole = _needs("meta-llama/Llama-3.1-8B-Instruct")
    assert "with samples of cutoff_len, bitsandbytes before 0.43.2" in whole
    long = whole["with samples of cutoff_len"]
    assert (
        whole["with short samples"] < long == pytest.approx(9.72, abs=0.01)
    )  # as a trace of all its layers has it
    assert _needs("meta-llama/Llama-3.1-8B-Instruct", tokens=4096)["with samples of cutoff_len"] > long
    assert _needs("meta-llama/Llama-3.1-8B-Instruct", rank=64)["with samples of cutoff_len"] > long
    assert _needs("mistralai/Mistral-7B-Instruct-v0.3")["with samples of cutoff_len"] < long


@pytest.mark.rest
def test_the_largest_batch_is_that_of_long_samples() -> None:
    """With the shortest it would be thousands, and be read as advice."""
    memories = _memories(
        CONFIG.format(base="meta-llama/Llama-3.1-8B-Instruct", tokens=2048, rank=8), largest=True
    )
    long, short = memories["with samples of cutoff_len"], memories["with short samples"]
    assert (long.largest_open, long.safe_batch) == (False, 3)
    assert (short.largest_open, short.largest_batch, short.safe_batch) == (True, 1, 1)


@pytest.mark.rest
@pytest.mark.parametrize("batch", [1, 2])
@pytest.mark.parametrize("base", ["meta-llama/Llama-3.1-8B-Instruct", "Qwen/Qwen2.5-7B-Instruct"])
def test_releases_of_trl_need_no_torch(base: str, batch: int) -> None:
    """Since 1.15 it has tiles of the logits: before, all of them or the head in 32 bits."""
    needs = _readings(TRL.format(base=base, batch=batch))
    assert needs["TRL since 1.15"] < min(needs["TRL 1.7 to 1.12"], needs["TRL 0.26 to 1.6"])


def _out_of_memory(text: str) -> Finding:
    """Return what is said of a config that does not fit, where nothing may be traced."""
    settings = Settings(target=("rtx-4090",))
    pipeline = pipeline_for(settings, TapeSource((shipped_store(),), may_trace=False))
    (document,) = read(source_of(text.encode(), "lora.yaml"))
    (target,) = pipeline.targets_of("lora.yaml")
    result, *_ = pipeline.judge_all(pipeline.jobs(document), target, tries=Tries.of())
    (finding,) = (one for one in result.findings if one.rule == "vram-budget")
    return finding


@pytest.mark.rest
def test_fixes_of_axolotl_need_no_torch() -> None:
    """Two edits at once turn the loss on; what a smaller rank saves is said, though it is not enough."""
    finding = _out_of_memory(AXOLOTL.replace("micro_batch_size: 2", "micro_batch_size: 3"))
    assert [fix.summary.partition(" (")[0] for fix in finding.fixes] == [
        ("add plugins: [axolotl.integrations.liger.LigerPlugin], add liger_fused_linear_cross_entropy: true"),
        "micro_batch_size: 3 -> 1, gradient_accumulation_steps: 4 -> 12",
    ]
    assert any("not enough alone: lora_r: 32 -> 16" in note for note in finding.notes)


@pytest.mark.rest
def test_a_full_fine_tuning_needs_no_torch() -> None:
    """Its weights alone are 13.5 GiB, which somebody shrank the batch to get into a card of 14 GB."""
    drawn = {"load_in_4bit: true\n", "adapter: qlora\n", "lora_r: 32\n", "lora_target_linear: true\n"}
    lines = [line for line in AXOLOTL.splitlines(keepends=True) if line not in drawn]
    text = "".join(lines).replace("_batch_size: 2", "_batch_size: 1").replace("lora_dropout: 0.05\n", "")
    text = text.replace("NousResearch/Meta-Llama-3-8B", "mistralai/Mistral-7B-Instruct-v0.2")
    finding = _out_of_memory(text.replace("sequence_len: 4096", "sequence_len: 2048"))
    assert "it needs at least 43.51 GiB" in finding.message
    assert not finding.fixes


@pytest.mark.rest
def test_fixes_of_a_language_model_need_no_torch() -> None:
    """Every one was replayed, the cheapest for what is learned first."""
    text = CONFIG.format(base="meta-llama/Llama-3.1-8B-Instruct", tokens=2048, rank=8)
    finding = _out_of_memory(text.replace("_batch_size: 1", "_batch_size: 8"))
    fixes = [fix.summary for fix in finding.fixes]
    batch = "per_device_train_batch_size: 8 -> 2, gradient_accumulation_steps: 8 -> 32"
    assert [fix.partition(" (")[0] for fix in fixes] == [
        "add enable_liger_kernel: true",
        batch,
    ]  # and none that cuts samples, where others are enough
    assert [fix.safe for fix in finding.fixes] == [True, True]


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
