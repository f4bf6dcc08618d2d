# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""LLaMA-Factory and axolotl: which documents are theirs, what their keys fill, what their parsers refuse."""

from __future__ import annotations

import pytest

from trainlint.commands.started import start_of
from trainlint.dialects import normalise, recognise
from trainlint.documents.file_format import read
from trainlint.files.text_source import source_of
from trainlint.pipeline.placer import Placer

from .dialect_jobs import command, dialects, fields, jobs, said

FACTORY = """
model_name_or_path: Qwen/Qwen3-4B
stage: sft
do_train: true
finetuning_type: lora
lora_rank: 16
lora_target: q_proj, v_proj
dataset: identity
template: qwen3
cutoff_len: 1024
output_dir: saves/qwen3
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
learning_rate: 1.0e-4
num_train_epochs: 3.0
bf16: true
"""

AXOLOTL = """
base_model: NousResearch/Meta-Llama-3-8B
load_in_4bit: true
adapter: qlora
lora_r: 32
lora_target_linear: true
datasets:
  - path: data/train.jsonl
    type: alpaca
sequence_len: 4096
sample_packing: true
micro_batch_size: 2
gradient_accumulation_steps: 4
num_epochs: 1
optimizer: paged_adamw_8bit
learning_rate: 2e-4
flash_attention: true
gradient_checkpointing: true
"""

CHAT = """
model_name_or_path: Qwen/Qwen3-4B
adapter_name_or_path: saves
template: qwen3
infer_backend: huggingface
"""


def job(text, path, dialect):
    """Return the first reading of a text's only document: samples as long as they may be."""
    found, made = jobs(text, path)
    assert found == dialect
    return made[0]


def first(text, dialect):
    """Return the first reading of a command line."""
    return job(text + "\n", "run.sh", dialect)


def factory(more=""):
    return job(FACTORY + more, "lora.yaml", "llamafactory")


def axolotl(more=""):
    return job(AXOLOTL + more, "qlora.yml", "axolotl")


def test_llamafactory_fills_the_job() -> None:
    made = factory()
    assert said(made) == []
    assert fields(made, "model.base", "objective", "adapter.kind", "adapter.rank", "adapter.targets") == (
        "Qwen/Qwen3-4B", "sft", "lora", 16, ["q_proj", "v_proj"],
    )  # fmt: skip
    assert fields(made, "batch.per_process", "accumulate", "duration.epochs", "checkpoint.every") == (
        2,
        8,
        3,
        500,
    )
    assert fields(made, "precision", "weights.dtype", "adapter.dtype") == ("bf16", "bf16", "fp32")
    assert fields(made, "sequence.length", "sequence.packing", "checkpointing", "reentrant") == (
        1024, False, True, True,
    )  # fmt: skip
    assert made.spec["optimizers"] == [{"role": "model", "type": "AdamW", "lr": 1e-4, "fused": True}]


def test_llamafactory_keeps_the_precision_of_the_checkpoint() -> None:
    older = FACTORY.replace("Qwen/Qwen3-4B", "meta-llama/Llama-2-7b-hf")
    assert fields(factory("fp16: true\nbf16: false\n"), "precision", "weights.dtype") == ("fp16", "bf16")
    assert job(older, "lora.yaml", "llamafactory").spec["weights.dtype"] == "fp16"


def test_a_job_with_liger_takes_less_than_is_known() -> None:
    assert "unproven" not in factory().spec
    assert "with Liger" in factory("enable_liger_kernel: true\n").spec["unproven"]


@pytest.mark.parametrize(
    ("more", "field", "value"),
    [
        ("quantization_bit: 4\n", "quant.kind", "nf4"),
        ("quantization_bit: 4\n", "quant.double", True),
        ("quantization_bit: 8\n", "quant.kind", "int8"),
        ("use_dora: true\n", "adapter.kind", "dora"),
        ("neat_packing: true\n", "sequence.exact", True),
        ("flash_attn: fa2\n", "attention.implementation", "flash_attention_2"),
        ("enable_liger_kernel: true\n", "loss.kernel", "liger"),
        ("disable_gradient_checkpointing: true\n", "checkpointing", False),
        ("save_strategy: epoch\n", "checkpoint.every_epochs", 1),
        ("max_steps: 200\n", "duration.iterations", 200),
        ("optim: adamw_8bit\n", "optimizers", [{"role": "model", "type": "AdamW8bit", "lr": 1e-4}]),
    ],
)
def test_llamafactory_keys(more, field, value) -> None:
    assert factory(more).spec[field] == value


def test_all_weights_are_trained_in_float32_unless_pure_bf16() -> None:
    text = FACTORY.replace("finetuning_type: lora", "finetuning_type: full")
    assert fields(job(text, "a.yaml", "llamafactory"), "adapter.kind", "weights.dtype") == ("none", "fp32")
    pure = job(text + "pure_bf16: true\n", "a.yaml", "llamafactory")
    assert fields(pure, "weights.dtype", "adapter.dtype") == ("bf16", "bf16")


def test_pre_training_packs_without_a_word() -> None:
    made = job(FACTORY.replace("stage: sft", "stage: pt"), "a.yaml", "llamafactory")
    assert fields(made, "objective", "sequence.packing", "sequence.exact") == ("pt", True, True)


def test_llamafactory_refuses_what_its_parser_does_not_know() -> None:
    assert said(factory("train_size: 0.8\n")) == [
        ("unknown-key", 'LLaMA-Factory refuses the unknown key "train_size"')
    ]


def test_files_for_chat_and_for_merging_train_nothing() -> None:
    _, (chat,) = jobs(CHAT, "chat.yaml")
    _, (merge,) = jobs(
        "model_name_or_path: a\nadapter_name_or_path: b\ntemplate: c\nexport_dir: d\n", "m.yaml"
    )
    assert "trains nothing" in chat.skip
    assert "trains nothing" in merge.skip


def test_llamafactory_command_line() -> None:
    made = first(
        "llamafactory-cli train --stage sft --do_train true --model-name-or-path Qwen/Qwen3-4B "
        "--bf16 false --fp16 --dataset identity --template qwen3 --lora-rank 4",
        "llamafactory",
    )
    assert said(made) == []
    assert fields(made, "model.base", "precision", "adapter.rank") == ("Qwen/Qwen3-4B", "fp16", 4)
    assert made.document.value["do_train"] is True


def test_a_switch_with_a_word_that_is_no_answer() -> None:
    made = first(
        "lmf train --stage sft --do_train maybe --model_name_or_path a --template qwen", "llamafactory"
    )
    ((rule, _),) = said(made)
    assert rule == "wrong-type"


def test_axolotl_fills_the_job() -> None:
    made = axolotl()
    assert said(made) == []
    assert fields(made, "model.base", "objective", "adapter.kind", "adapter.rank", "adapter.targets") == (
        "NousResearch/Meta-Llama-3-8B", "sft", "lora", 32, ["all-linear"],
    )  # fmt: skip
    assert fields(made, "quant.bits", "quant.kind", "quant.double", "weights.upcast") == (
        4,
        "nf4",
        True,
        False,
    )
    assert fields(made, "sequence.length", "sequence.packing", "sequence.exact") == (4096, True, True)
    assert fields(made, "attention.implementation", "precision", "accumulate", "checkpoint.keep") == (
        "flash_attention_2", "bf16", 4, 4,
    )  # fmt: skip
    assert made.spec["optimizers"] == [{"role": "model", "type": "PagedAdamW8bit", "lr": 2e-4}]


@pytest.mark.parametrize(
    ("more", "field", "value"),
    [
        ("rl: dpo\n", "objective", "dpo"),
        ("pad_to_sequence_len: false\n", "sequence.exact", False),
        (
            "plugins:\n  - axolotl.integrations.cut_cross_entropy.CutCrossEntropyPlugin\n",
            "loss.kernel",
            "cut",
        ),
        ("chunked_cross_entropy: true\n", "loss.kernel", "chunked"),
        ("bf16: false\nfp16: true\n", "weights.dtype", "fp16"),
        ("peft_use_dora: true\n", "adapter.kind", "dora"),
        # measured on a card: adapters have norms and embeddings in 16 bits, whatever the attention is
        ("attn_implementation: sdpa\n", "weights.upcast", False),
        ("attn_implementation: sdpa\nadapter:\nload_in_4bit: false\n", "weights.upcast", True),
        ("attn_implementation: flash_attention_2\nadapter:\nload_in_4bit: false\n", "weights.upcast", False),
        ("saves_per_epoch: 1\n", "checkpoint.every_epochs", 1),
    ],
)
def test_axolotl_keys(more, field, value) -> None:
    assert axolotl(more).spec[field] == value


def test_saves_within_an_epoch_are_a_share_of_the_steps() -> None:
    assert "checkpoint.every_epochs" not in axolotl("saves_per_epoch: 4\n").spec


@pytest.mark.parametrize(
    ("more", "near"),
    [
        ("sequence_lenght: 4096\n", "sequence_len"),
        ("max_step: 9\n", "max_steps"),
        ("load_in_4bits: true\n", "load_in_4bit"),
        ("lora_target_linears: true\n", "lora_target_linear"),
        ("test_datasets:\n  - {path: a, data_file: b}\n", "data_files"),
    ],
)
def test_a_key_that_axolotl_drops_is_a_warning_where_it_is(more, near) -> None:
    given = AXOLOTL.replace("load_in_4bit: true\n", "") if near == "load_in_4bit" else AXOLOTL
    made = job("".join(line for line in (given + more).splitlines(True) if not line.startswith(f"{near}:")),
               "qlora.yml", "axolotl")  # fmt: skip
    (problem,) = [problem for problem in made.problems if problem.rule == "unknown-key"]
    assert (problem.suggestion, problem.harmless, problem.doubt) == (near, True, None)


@pytest.mark.parametrize(
    ("value", "on", "kept"),
    [
        ("tru", None, False),
        ("true", True, False),
        ("'on'", True, False),
        ("'no'", False, False),
        ("offload", True, True),
    ],
)
def test_checkpointing_of_axolotl_is_what_pydantic_takes(value, on, kept) -> None:
    made = job(
        AXOLOTL.replace("gradient_checkpointing: true", f"gradient_checkpointing: {value}"),
        "a.yml",
        "axolotl",
    )
    refused = [problem.message for problem in made.problems if problem.path == ("gradient_checkpointing",)]
    assert bool(refused) is (on is None)
    if on is not None:
        assert made.spec["checkpointing"] is on
    assert ("on the host" in str(made.spec.get("uncounted"))) is kept


@pytest.mark.parametrize(
    ("more", "refused"),
    [
        ("quantization_bit: 5\n", True),
        ("quantization_bit: 5\nquantization_method: bnb\n", True),
        ("quantization_bit: 5\nquantization_method: hqq\n", False),
        ("quantization_bit: 8\n", False),
        ("quantization_bit: 4\n", False),
    ],
)
def test_bitsandbytes_has_four_and_eight_bits(more, refused) -> None:
    problems = [problem for problem in factory(more).problems if problem.path == ("quantization_bit",)]
    assert [problem.doubt for problem in problems] == ([None] if refused else [])


def test_bits_of_weights_that_may_be_quantised_already_are_no_fault() -> None:
    for name in ("./model", "Qwen/Qwen2.5-7B-Instruct-AWQ"):
        made = job(
            FACTORY.replace("Qwen/Qwen3-4B", name) + "quantization_bit: 5\n", "sft.yaml", "llamafactory"
        )
        assert not [problem for problem in made.problems if problem.path == ("quantization_bit",)]


def test_axolotl_says_nothing_of_a_key_that_is_like_none() -> None:
    assert said(axolotl("my_own: 1\n")) == []
    ((rule, message),) = said(axolotl("context_parapllel_size: 2\n"))
    assert rule == "unknown-key"
    assert 'did you mean "context_parallel_size"?' in message


@pytest.mark.parametrize(
    "text",
    [
        "base_model: a\nmerge_method: ties\nmodels: []\nadapter: b\nsequence_len: 3\nlora_r: 1\n",
        "model_name_or_path: a\ndataset_name: b\nlora_r: 8\nuse_peft: true\nlearning_rate: 2e-4\n",
        "model: a\nmax_seq_length: 2048\nlora_r: 8\n",
    ],
)
def test_configs_of_others(text) -> None:
    assert jobs(text, "config.yml")[0] not in ("axolotl", "llamafactory")


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("streaming: true\nmax_steps: 9\nmax_samples: 100\n", "max_samples"),
        ("val_size: 0.1\neval_dataset: other\n", "val_size splits the training data"),
        ("use_galore: true\n", "use_galore trains all weights"),
        ("fp16: true\n", "fp16 and bf16 exclude each other"),
        ("eval_strategy: no\n", '"no" without quotes is false in YAML'),
        ("quantization_bit: 4\nadapter_name_or_path: a,b\n", "takes one adapter"),
        ("do_predict: true\n", "do_predict needs predict_with_generate"),
        ("interleave_probs: 0.5,0.5\n", "interleave_probs needs"),
    ],
)
def test_what_llamafactory_stops_at_is_wrong_with_a_config_alone(more, says) -> None:
    (problem,) = factory(more).problems
    assert says in problem.message
    assert problem.doubt is None


@pytest.mark.parametrize(
    "more",
    [
        "use_dora: true\n",
        "val_size: 0.1\n",
        "streaming: true\nmax_steps: 9\n",
        "max_samples: 10\n",
        "eval_dataset: a\nval_size:\n",
        "mix_strategy: interleave_under\ninterleave_probs: [0.2, 0.8]\n",
    ],
)
def test_what_llamafactory_takes(more) -> None:
    assert said(factory(more)) == []


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("warmup_steps: 10\nwarmup_ratio: 0.1\n", "warmup_steps and warmup_ratio"),
        ("saves_per_epoch: 1\nsave_steps: 100\n", "save_steps and saves_per_epoch"),
        ("rl: dpo\n", "preference data cannot be packed"),
        ("load_in_8bit: true\n", "takes 4-bit weights"),
        ("batch_size: 8\n", "batch_size and gradient_accumulation_steps"),
        ("max_packed_sequence_len: 2048\n", "max_packed_sequence_len was removed"),
        ("deepspeed: zero2.json\nfsdp: [full_shard]\n", "deepspeed and fsdp"),
    ],
)
def test_what_axolotl_stops_at_is_wrong_with_a_config_alone(more, says) -> None:
    (problem,) = axolotl(more).problems
    assert says in problem.message
    assert problem.doubt is None


@pytest.mark.parametrize(
    "more",
    [
        "warmup_steps: 10\nwarmup_ratio:\n",
        "saves_per_epoch: 1\nsave_steps:\n",
        "rl:\n",
        "val_set_size: 0.0\n",
        "fsdp:\n",
        "neftune_noise_alpha:\n",
    ],
)
def test_what_axolotl_takes(more) -> None:
    assert said(axolotl(more)) == []


TRL = """
model_name_or_path: openai/gpt-oss-20b
attn_implementation: eager
dataset_name: org/data
learning_rate: 2e-4
per_device_train_batch_size: 4
use_peft: true
lora_r: 32
lora_target_modules: [q_proj, v_proj]
max_length: 4096
"""


def test_trl_fills_what_is_written_and_its_versions_defaults() -> None:
    made = job(TRL, "sft.yaml", "trl")
    assert said(made) == []
    assert fields(made, "model.base", "adapter.kind", "adapter.rank", "adapter.targets") == (
        "openai/gpt-oss-20b", "lora", 32, ["q_proj", "v_proj"],
    )  # fmt: skip
    assert fields(made, "sequence.length", "attention.implementation", "batch.per_process") == (
        4096,
        "eager",
        4,
    )
    assert fields(made, "checkpointing", "reentrant", "precision", "weights.dtype", "objective") == (
        True, False, "bf16", "fp32", "sft",
    )  # fmt: skip
    assert fields(made, "sequence.flat", "sequence.exact", "adapter.dtype", "recipe") == (
        False, False, "fp32", "transformers.TRL",
    )  # fmt: skip


def test_a_rank_of_llamafactory_is_where_it_is_written() -> None:
    """--solve rank edits and names that key."""
    _, made = jobs(FACTORY, "lora.yaml")
    assert {own.spec.at("adapter.rank") for own in made} == {(("lora_rank",),)}
    _, made = jobs(FACTORY.replace("lora_rank: 16\n", ""), "lora.yaml")
    assert {own.spec["adapter.rank"] for own in made} == {8}
    _, made = jobs(FACTORY.replace("finetuning_type: lora", "finetuning_type: full"), "full.yaml")
    assert not any("adapter.rank" in own.spec for own in made)


def test_versions_of_trl_are_readings() -> None:
    _, made = jobs(TRL, "sft.yaml")
    assert [(own.variant, own.spec["loss.kernel"], own.spec["sequence.length"]) for own in made] == [
        ("TRL since 1.15", "fused-head", 4096),
        ("TRL 1.13 and 1.14", "chunked-half", 4096),
        ("TRL 1.7 to 1.12", "chunked-nll", 4096),
        ("TRL 0.26 to 1.6", "nll-entropy", 4096),
        ("TRL since 1.15, with short samples", "cut", 16),
    ]
    assert ["unproven" in own.spec for own in made] == [False, True, False, False, False]
    assert [own.variant for own in jobs(TRL + "beta: 0.1\n", "dpo.yaml")[1]] == [None]


@pytest.mark.parametrize("script", ["trl/scripts/sft.py", "../trl/examples/scripts/sft.py"])
def test_trl_s_script_is_trl_sft(script: str) -> None:
    dialect, made = jobs(f"python {script} --model_name_or_path Qwen/Qwen3-4B --use_peft {DATA}", "run.sh")
    assert dialect == "trl"
    assert {(own.spec["objective"], own.spec["recipe"]) for own in made} == {("sft", "transformers.TRL")}


MIXTURE = TRL.replace("dataset_name: org/data", "dataset_mixture: {datasets: [{id: org/data}], seed: 0}")


@pytest.mark.parametrize(
    ("path", "objective"),
    [
        ("recipes/m/sft/config.yaml", "sft"),
        ("recipes/m/grpo/config.yaml", "grpo"),
        ("m/dpo/full.yaml", "dpo"),
    ],
)
def test_recipes_of_the_alignment_handbook_are_trls(path: str, objective: str) -> None:
    assert fields(job(MIXTURE, path, "trl"), "objective", "sequence.length") == (objective, 4096)


@pytest.mark.parametrize(
    ("script", "objective"), [("src/open_r1/grpo.py", "grpo"), ("scripts/dpo.py", "dpo")]
)
def test_a_script_like_trls_says_its_objective(script: str, objective: str) -> None:
    start = start_of(command(f"accelerate launch {script} --config a.yaml", "finetune-command"), "go.sh:1")
    (document,) = read(source_of(MIXTURE.replace("max_length: 4096\n", "").encode(), "a.yaml"))
    made = normalise(document, recognise(document, dialects()), started=start)
    assert {fields(reading, "objective") for reading in made} == {(objective,)}


DATA = "--dataset_name d --num_train_epochs 1\n"


def test_another_script_of_that_name_is_not() -> None:
    assert jobs(f"python my/sft.py --model_name_or_path Qwen/Qwen3-4B {DATA}", "run.sh")[0] != "trl"


HUB = "from transformers import AutoModelForCausalLM\n"
UNSLOTH = "from unsloth import FastLanguageModel\n"
PROGRAM = """
from trl import SFTConfig, SFTTrainer
{load}
trainer = SFTTrainer(model=model, train_dataset=data, args=SFTConfig(max_steps=60, output_dir="out"))
trainer.train()
"""


@pytest.mark.parametrize(
    ("load", "precision"),
    [
        (f"{HUB}model = AutoModelForCausalLM.from_pretrained('Qwen/Qwen3-4B')", "bf16"),
        (f"{UNSLOTH}model, tokenizer = FastLanguageModel.from_pretrained('Qwen/Qwen3-4B')", None),
    ],
)
def test_unsloth_trains_in_what_its_weights_are_in(load: str, precision: str | None) -> None:
    """Its SFTConfig has neither bf16 nor fp16: a T4 gets float16."""
    _, made = jobs(PROGRAM.format(load=load), "train.py")
    assert {own.spec.get("precision") for own in made} == {precision}


PLAIN = """
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", dtype="bfloat16")
arguments = TrainingArguments("out", bf16=True, run_name=f"{now()}")
Trainer(model=model, train_dataset=data, args=arguments).train()
"""


def test_a_trainer_of_transformers_has_its_own_loss_and_samples_of_any_length() -> None:
    """SFTConfig's length of 1,024 and TRL's losses are none of its."""
    _, made = jobs(PLAIN, "train.py")
    assert {fields(own, "recipe", "loss.kernel", "checkpointing") for own in made} == {
        ("transformers.SFT", None, False)
    }
    assert [fields(own, "sequence.length", "sequence.shortest") for own in made] == [(None, None), (16, True)]
    assert [set(own.unknown) for own in made] == [{"name"}] * 2


def test_arguments_of_an_older_trl_leave_the_loss_open() -> None:
    """Who gives them runs an older TRL, of which no step was measured, or stops with a TypeError."""
    text = """\
from trl import SFTConfig, SFTTrainer
SFTTrainer("Qwen/Qwen3-0.6B", SFTConfig("out", max_seq_length=512), tokenizer=tokenizer).train()
"""
    for program in (text, f"import trl\nprint(trl.__version__)\n{text}"):  # whatever it asks for
        assert jobs(program, "train.py")[1][0].spec.get("loss.kernel") == "of TRL before 0.26"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("lora_r: sixteen\n", ["expected a number: pydantic accepts nothing else"]),
        ('lora_r: "16"\n', []),
        ("lora_r: 16.0\n", []),
        (
            "optimizer: paged_adamw_8bits\n",
            ['axolotl knows no optimizer "paged_adamw_8bits"; did you mean "paged_adamw_8bit"?'],
        ),
        ("optimizer: muon\n", []),
    ],
)
def test_what_axolotls_models_and_transformers_refuse(line: str, said: list[str]) -> None:
    """pydantic takes a number as a text, and an optimizer is one of transformers' or axolotl's own."""
    key = line.partition(":")[0]
    kept = "".join(old for old in AXOLOTL.splitlines(keepends=True) if not old.startswith(f"{key}:"))
    made = job(kept + line, "qlora.yml", "axolotl")
    assert [problem.message for problem in made.problems] == said


def test_a_config_of_another_programs_adapter_is_not_trls() -> None:
    """Open Instruct's LoRA of 7B got the memory of a full fine-tune."""
    (document,) = read(source_of(f"{TRL}use_lora: true\nlora_rank: 64\n".encode(), "a.yaml"))
    assert recognise(document, dialects()) is None


QUANTISED = """\
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
from trl import SFTTrainer

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", load_in_4bit=True)
model = get_peft_model(model, LoraConfig(r=8, task_type="CAUSAL_LM"))
{}(model=model, args=TrainingArguments("out", fp16=True)).train()
"""


@pytest.mark.parametrize(("trainer", "dtype"), [("Trainer", "fp32"), ("SFTTrainer", "bf16")])
def test_only_sfttrainer_turns_adapters_of_quantised_weights_into_bfloat16(trainer, dtype) -> None:
    """transformers' own Trainer under fp16 was said to stop as TRL's does."""
    _, made = jobs(QUANTISED.format(trainer), "train.py")
    assert {own.spec.get("adapter.dtype") for own in made} == {dtype}


@pytest.mark.parametrize(
    ("pin", "kernels"),
    [
        ("trl==1.8.0", ["chunked-nll"] * 2),
        ("trl>=1.13,<1.15", ["chunked-half"] * 2),
        ("trl~=0.26.0", ["nll-entropy"] * 2),
        ("trl>1.14.0", ["fused-head", "cut", *["chunked-half"] * 2]),  # 1.14.1 may follow
        ("trl==1.16", ["fused-head", "cut"]),
        ("trl==0.9.6", ["of TRL before 0.26"]),  # which nothing plays
        (
            "trl>=0.9.6",
            ["fused-head", "chunked-half", "chunked-half", *["chunked-nll"] * 2, *["nll-entropy"] * 2, "cut"],
        ),
        ("trl", ["fused-head", "chunked-half", "chunked-nll", "nll-entropy", "cut"]),
    ],
)
def test_a_pin_beside_the_config_selects_trls_release(tmp_path, pin, kernels) -> None:
    (tmp_path / "requirements.txt").write_text(f"{pin}\n", "utf-8")
    (tmp_path / "sft.yaml").touch()
    _, made = jobs(TRL, str(tmp_path / "sft.yaml"))
    assert sorted(own.spec["loss.kernel"] for own in made) == sorted(kernels)


@pytest.mark.parametrize(
    ("more", "field", "value"),
    [
        ("packing: true\n", "sequence.flat", True),
        ("packing: true\npacking_strategy: wrapped\n", "sequence.flat", False),
        ("max_seq_length: 512\n", "sequence.length", 512),
        ("load_in_4bit: true\n", "adapter.dtype", "bf16"),
        ("dtype: bfloat16\n", "weights.dtype", "bf16"),
        ("dtype: auto\n", "weights.dtype", "bf16"),
        ("gradient_checkpointing: false\n", "checkpointing", False),
        ("use_dora: true\n", "adapter.kind", "dora"),
        ("fp16: true\n", "precision", "fp16"),
        ("bf16: false\n", "precision", "fp32"),
        (
            "attn_implementation: kernels-community/flash-attn2\n",
            "attention.implementation",
            "flash_attention_2",
        ),
        ("beta: 0.1\n", "recipe", None),
    ],
)
def test_trl_keys(more, field, value) -> None:
    text = TRL.replace("attn_implementation: eager\n", "").replace("max_length: 4096\n", "")
    assert fields(job(text + more, "sft.yaml" if value is not None else "a.yaml", "trl"), field) == (value,)


def test_a_length_that_trl_is_told_not_to_bound_is_not_known() -> None:
    made = job(TRL.replace("4096", "null"), "sft.yaml", "trl")
    assert fields(made, "sequence.length") == (None,)


def test_trl_command_line() -> None:
    made = first(
        "trl sft --model_name_or_path Qwen/Qwen2-0.5B --dataset_name org/data "
        "--eval_strategy steps --bf16 --packing --lora_target_modules q_proj v_proj --use-peft true",
        "trl",
    )
    assert said(made) == []
    assert fields(made, "objective", "precision", "adapter.targets") == ("sft", "bf16", ["q_proj", "v_proj"])


def test_both_halves_on_a_command_line() -> None:
    made = first("trl sft --model_name_or_path a --dataset_name b --bf16 --fp16 true", "trl")
    ((rule, message),) = said(made)
    assert rule == "wrong-value"
    assert message.startswith("fp16 and bf16 exclude each other")


def test_a_length_that_is_only_a_bound_has_two_readings() -> None:
    _, loose = jobs(FACTORY, "a.yaml")
    assert [(made.variant, made.spec["sequence.length"]) for made in loose] == [
        ("with samples of cutoff_len", 1024), ("with short samples", 16),
    ]  # fmt: skip
    _, (packed,) = jobs(FACTORY + "neat_packing: true\n", "a.yaml")
    assert fields(packed, "sequence.length", "recipe") == (1024, "transformers.SFT")
    _, quantised = jobs(AXOLOTL, "a.yml")
    assert [made.spec.get("quant.keeps_inputs") for made in quantised] == [None, True]


def test_a_package_whose_kernel_a_model_takes_is_a_reading() -> None:
    apertus = FACTORY.replace("model_name_or_path: ", "model_name_or_path: swiss-ai/Apertus-8B-2509  # ")
    _, made = jobs(apertus + "neat_packing: true\n", "a.yaml")
    placed = Placer().readings(made, None)
    assert [(job.reading, job.spec.get("activation.kernel")) for job in placed] == [
        ("without the package xielu", None), ("with the package xielu", "xielu"),
    ]  # fmt: skip
    _, llama = jobs(FACTORY + "neat_packing: true\n", "a.yaml")
    assert len(Placer().readings(llama, None)) == 1


def test_gemma_2_has_flash_attention_where_it_is_installed() -> None:
    """LLaMA-Factory asks for it, and writes scores out without it: both are readings, also where packed."""
    gemma = FACTORY.replace("model_name_or_path: ", "model_name_or_path: google/gemma-2-9b-it  # ")
    _, made = jobs(gemma, "a.yaml")
    assert [(one.variant, one.spec["attention.implementation"]) for one in made] == [
        ("with samples of cutoff_len", "flash_attention_2"),
        ("with short samples", "flash_attention_2"),
        ("with samples of cutoff_len, without FlashAttention", "eager"),
    ]
    _, made = jobs(gemma + "neat_packing: true\n", "a.yaml")
    assert [one.variant for one in made] == ["with FlashAttention", "without FlashAttention"]
    _, made = jobs(gemma + "flash_attn: fa2\n", "a.yaml")
    assert {one.spec["attention.implementation"] for one in made} == {"flash_attention_2"}


def test_what_only_predicts_has_no_training_step() -> None:
    text = FACTORY.replace("do_train: true", "do_predict: true\npredict_with_generate: true\nval_size: 0.1")
    _, (made,) = jobs(text, "a.yaml")
    assert "recipe" not in made.spec


@pytest.mark.parametrize(
    ("text", "file", "sets"),
    [
        (
            "llamafactory-cli train cfg/a.yaml learning_rate=1e-5 finetuning_type=full bf16=true",
            "cfg/a.yaml",
            {("learning_rate",): 1e-5, ("finetuning_type",): "full", ("bf16",): True},
        ),
        (
            """llamafactory-cli train a.yaml save_strategy='"no"' lora_target='[q_proj, v_proj]' seed='[1'""",
            "a.yaml",
            {("save_strategy",): "no", ("lora_target",): ["q_proj", "v_proj"], ("seed",): "[1"},
        ),
        (
            "axolotl train a.yml --micro-batch-size 8 --flash_attention",
            "a.yml",
            {("micro_batch_size",): 8, ("flash_attention",): True},
        ),
        ("accelerate launch -m axolotl.cli.train a.yml", "a.yml", {}),
        ("trl sft --config a.yaml --run_name x", "a.yaml", {("run_name",): "x"}),
        ("torchrun --nproc_per_node 2 src/train.py a.json", "a.json", {}),
    ],
)
def test_a_command_starts_the_file_that_it_names(text, file, sets) -> None:
    start = start_of(command(text, "finetune-command"), "README.md:1")
    assert start.opt == file
    assert {override.path: override.value for override in start.overrides} == sets


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("FORCE_TORCHRUN=1 NPROC_PER_NODE=8 ", ("pytorch", 8)),
        ("FORCE_TORCHRUN=true NPROC_PER_NODE=2 ", ("pytorch", 2)),
        ("NPROC_PER_NODE=8 ", ("none", None)),
        ("FORCE_TORCHRUN=0 NPROC_PER_NODE=8 ", ("none", None)),
        ("FORCE_TORCHRUN=1 ", ("none", None)),
    ],
)
def test_llamafactory_starts_as_many_processes_as_its_environment_forces(before, expected) -> None:
    start = start_of(command(f"{before}llamafactory-cli train a.yaml", "finetune-command"), "go.sh:1")
    assert (start.launcher, start.processes) == expected
    flags = "--stage sft --do_train true --model_name_or_path a --template b"
    made = first(f"{before}llamafactory-cli train {flags}", "llamafactory")
    assert made.spec.get("launcher", "none") == expected[0]


@pytest.mark.parametrize(("trainer", "recipe"), [("sft", "transformers.TRL"), ("dpo", "transformers.TRL")])
def test_the_command_says_which_of_trls_trainers_reads_a_file(trainer, recipe) -> None:
    """Nothing in a file without a key that SFTConfig alone has tells it from those of other trainers."""
    start = start_of(command(f"trl {trainer} --config a.yaml", "finetune-command"), "go.sh:1")
    (document,) = read(source_of(TRL.replace("max_length: 4096\n", "").encode(), "a.yaml"))
    dialect = recognise(document, dialects())
    assert {made.spec.get("recipe") for made in normalise(document, dialect)} == {None}
    made = normalise(document, dialect, started=start)
    assert {fields(reading, "objective", "recipe") for reading in made} == {(trainer, recipe)}


@pytest.mark.parametrize("script", ["trl sft", "python scripts/dpo.py"])
def test_trl_s_parser_reads_no_file_without_its_flag(script: str) -> None:
    assert jobs(f"{script} a.yaml --load_in_4bit=true", "run.sh")[0] != "finetune-command"


def test_what_only_the_shell_knows_is_not_guessed() -> None:
    start = start_of(command("axolotl train a.yml --learning_rate $LR", "finetune-command"), "README.md:1")
    assert [(override.path, override.unknown) for override in start.overrides] == [(("learning_rate",), True)]


TUNE = """
model: {_component_: torchtune.models.llama3.lora_llama3_8b, lora_rank: 8, lora_attn_modules: [q_proj]}
tokenizer: {_component_: torchtune.models.llama3.llama3_tokenizer, path: t, max_seq_len: 2048}
checkpointer: {_component_: torchtune.training.FullModelHFCheckpointer}
dataset: {_component_: torchtune.datasets.alpaca_dataset, packed: true}
optimizer: {_component_: torch.optim.AdamW, lr: 3e-4}
batch_size: 2
epochs: 1
"""


def test_torchtune_fills_what_rules_read() -> None:
    made = job(TUNE + "dtype: bf16\ngradient_accumulation_steps: 8\n", "custom_config.yaml", "torchtune")
    assert said(made) == []
    assert fields(made, "batch.per_process", "accumulate", "sequence.length", "sequence.exact") == (
        2,
        8,
        2048,
        True,
    )
    assert fields(made, "adapter.kind", "weights.dtype") == ("lora", "bf16")
    assert fields(made, "model.name", "adapter.targets") == ("meta-llama/Meta-Llama-3-8B", ["q_proj"])


TUNE_LOSS = "loss: {_component_: torchtune.modules.loss.LinearCrossEntropyLoss}\ndtype: bf16\n"


def test_torchtune_steps_are_those_of_supervised_fine_tuning() -> None:
    full = (TUNE + TUNE_LOSS).replace("lora_llama3_8b", "llama3_8b")
    made = job(full, "8B_full_single_device.yaml", "torchtune")
    assert fields(made, "recipe", "loss.kernel") == ("torchtune.single_device", "linear")
    assert "unproven" not in made.spec
    assert "distributed" in fields(job(full, "mine.yaml", "torchtune"), "unproven")[0]
    taught = job(full + "teacher_model: {_component_: a.b}\n", "8B_full_single_device.yaml", "torchtune")
    assert "recipe" not in taught.spec


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (TUNE + "dtype: fp16\n", "float16 training is not supported"),
        (TUNE + "optimizer_in_bwd: true\ngradient_accumulation_steps: 4\n", "cannot accumulate gradients"),
        (TUNE + "optimizer_in_bwd: true\nclip_grad_norm: 1.0\n", "cannot clip gradients"),
        (TUNE + "enable_activation_offloading: true\n", "offloading needs activation checkpointing"),
        (TUNE.replace("max_seq_len: 2048", "max_seq_len: null"), "packed samples need"),
    ],
)
def test_what_torchtune_stops_at(text, says) -> None:
    problems = job(text, "custom_config.yaml", "torchtune").problems
    assert problems
    assert all(says in problem.message for problem in problems)
