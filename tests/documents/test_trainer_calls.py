# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Fine-tuning that programs and notebooks write out as calls: what is read, and what only a run knows."""

from __future__ import annotations

import json
import time
from textwrap import dedent
from typing import Any

import pytest

from trainlint.config.edit import apply_edits, set_value
from trainlint.config.extracted_text import Excerpt
from trainlint.documents.discover import PROGRAM_BYTES
from trainlint.documents.file_format import read
from trainlint.documents.python_names import Names
from trainlint.documents.python_values import UNKNOWN, value_of
from trainlint.documents.trainer_calls import trainings as documents_of
from trainlint.errors import UnreadableError
from trainlint.estimate.tapes.tape_source import TapeSource
from trainlint.model.document import Document, Source
from trainlint.session.toolbox import pipeline_for
from trainlint.settings.settings import Settings

TRL = """\
import torch
from peft import LoraConfig, prepare_model_for_kbit_training
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
from trl import SFTConfig, SFTTrainer
"""
UNSLOTH = """\
from unsloth import FastLanguageModel, is_bfloat16_supported
from trl import SFTTrainer, SFTConfig
"""


def trainings(text: str) -> tuple[Document, ...]:
    return read(Source("train.py", dedent(text)))


def training(text: str) -> Document:
    (document,) = trainings(text)
    return document


def lost(document: Document) -> set[str]:
    return {".".join(map(str, path)) for path in document.meta["unknown"]}


def test_a_program_has_the_values_that_its_names_lead_to() -> None:
    document = training(
        TRL
        + """\
BASE, BATCH = "tiiuae/falcon-7b", 2 * 2

class CFG:
    lr = 2e-4

def load(name, rank=8):
    quantised = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_use_double_quant=True,
                                   bnb_4bit_compute_dtype=getattr(torch, "bfloat16"))
    model = AutoModelForCausalLM.from_pretrained(
        name, quantization_config=quantised, torch_dtype=torch.bfloat16)
    model = prepare_model_for_kbit_training(model)
    return model, LoraConfig(r=rank, target_modules=["q_proj"], task_type="CAUSAL_LM")

def main():
    model, peft = load(BASE, rank=32)
    settings = {"max_length": 1024, "packing": False}
    arguments = SFTConfig(f"out-{BATCH}", per_device_train_batch_size=BATCH, learning_rate=CFG.lr, **settings)
    SFTTrainer(model, args=arguments, peft_config=peft).train()

if __name__ == "__main__":
    main()
"""
    )
    assert document.value == {
        "per_device_train_batch_size": 4, "learning_rate": 2e-4, "max_length": 1024, "packing": False,
        "use_peft": True, "lora_r": 32, "lora_target_modules": ["q_proj"], "lora_task_type": "CAUSAL_LM",
        "model_name_or_path": "tiiuae/falcon-7b", "dtype": "bfloat16", "load_in_4bit": True,
        "use_bnb_nested_quant": True, "bnb_4bit_quant_type": "fp4", "@objective": "sft",
        "@arguments": "SFTConfig", "@loaded": True, "@kbit": True,
    }  # fmt: skip
    assert not lost(document)
    place = document.places["lora_target_modules",]
    assert document.raw(("lora_target_modules",)) == '["q_proj"]'
    assert place.key is not None
    assert document.source.text[place.key.start : place.key.end] == "target_modules"


@pytest.mark.parametrize(
    ("change", "unknown"),
    [
        ("", set()),
        ("batch = int(input())", {"per_device_train_batch_size"}),
        ("if batch > 2:\n    batch = 1", {"per_device_train_batch_size"}),
        ("for batch in (1, 2):\n    pass", {"per_device_train_batch_size"}),
        ("batch += 1", {"per_device_train_batch_size"}),
        ("def f():\n    global batch\n    batch = 1", {"per_device_train_batch_size"}),
        ("sizes['a'] = 3", {"gradient_accumulation_steps"}),
        ("arguments.bf16 = True", {"bf16"}),
        ("if batch:\n    name = 'b/c'", {"model_name_or_path"}),
        ("more = vars()", set()),
    ],
)
def test_what_may_have_changed_is_not_known(change: str, unknown: set[str]) -> None:
    """A value is one only where no other could have reached the call."""
    document = training(
        f"{TRL}batch, sizes, name, more = 4, {{'a': 2}}, 'a/b', {{}}\n{change}\n"
        "arguments = SFTConfig(per_device_train_batch_size=batch, gradient_accumulation_steps=sizes['a'],"
        " bf16=False)\n"
        "SFTTrainer(model=name, args=arguments, peft_config=LoraConfig())\n"
    )
    model = {"dtype", "load_in_4bit", "load_in_8bit", "bnb_4bit_quant_type", "use_bnb_nested_quant"}
    assert lost(document) - (model if "model_name_or_path" in unknown else set()) == unknown
    for name in unknown - {"bf16"}:
        assert document.value[name] is None


def test_what_leads_outside_of_the_program_leaves_all_open_that_hangs_on_it() -> None:
    document = training(f"{TRL}import mine\nSFTTrainer(model=mine.load(), args=SFTConfig(**mine.settings))\n")
    assert {"", "model_name_or_path", "load_in_4bit", "use_peft"} <= lost(document)
    bare = training(
        f"{TRL}m = AutoModelForCausalLM.from_pretrained('a/b')\nm.add_adapter(x)\n"
        "SFTTrainer(m, SFTConfig())\n"
    )
    assert "use_peft" in lost(bare)
    assert "model_name_or_path" not in lost(bare)


LOADED = """\
import torch
from peft import AutoPeftModelForCausalLM, LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer, setup_chat_format
device = "cuda" if torch.cuda.is_available() else "cpu"
tokenizer = AutoTokenizer.from_pretrained("org/m")
model = AutoModelForCausalLM.from_pretrained("org/m", torch_dtype=torch.bfloat16)MOVED
unused = LoraConfig(r=8)
trainer = SFTTrainer(model=model, args=SFTConfig(max_length=512), train_dataset=data)
trainer.train()
model = AutoPeftModelForCausalLM.from_pretrained("out")
"""


@pytest.mark.parametrize(
    ("moved", "is_known"),
    [
        ("", True),
        (".to(device)", True),
        (".to('cuda').train()", True),
        (".cuda()", True),
        (".to(torch.float16)", False),
        (".to(dtype=torch.float16)", False),
        (".half()", False),
    ],
)
def test_a_model_that_is_moved_is_the_one_that_was_loaded(moved: str, is_known: bool) -> None:
    """A config of PEFT's alone gives it no adapter, nor does what is loaded after the training."""
    made = training(LOADED.replace("MOVED", moved))
    assert (made.value.get("model_name_or_path"), made.value.get("dtype")) == (
        ("org/m", "bfloat16") if is_known else (None, None)
    )
    assert (("use_peft",) in made.meta["unknown"]) is not is_known


def test_a_vocabulary_that_a_chat_format_resizes_is_said() -> None:
    both = "\nmodel, tokenizer = setup_chat_format(model=model, tokenizer=tokenizer)"
    made = training(LOADED.replace("MOVED", both))
    assert (made.value["model_name_or_path"], made.value["@chat_format"]) == ("org/m", True)
    assert "@chat_format" not in training(LOADED.replace("MOVED", "")).value


def test_unsloth_s_calls() -> None:
    document = training(
        UNSLOTH
        + """\
model, tokenizer = FastLanguageModel.from_pretrained(model_name="unsloth/Qwen3-4B", max_seq_length=2048)
model = FastLanguageModel.get_peft_model(model, lora_alpha=16, use_gradient_checkpointing="unsloth")
trainer = SFTTrainer(model=model, tokenizer=tokenizer, dataset_text_field="text",
                     args=SFTConfig(max_steps=60, bf16=is_bfloat16_supported()))
"""
    )
    values = (
        "model_name_or_path",
        "max_length",
        "load_in_4bit",
        "lora_r",
        "lora_alpha",
        "max_steps",
        "@unsloth",
    )
    assert [document.value[name] for name in values] == ["unsloth/Qwen3-4B", 2048, True, 16, 16, 60, True]
    assert document.meta["unknown"] == {("bf16",): "bf16 = is_bfloat16_supported()"}


@pytest.mark.parametrize(
    "text",
    [
        "print('SFTTrainer(')\n",
        "class SFTTrainer: ...\nSFTTrainer(model='a')\n",
        "from transformers import Trainer, ViTModel\nTrainer(ViTModel.from_pretrained('a'))\n",
    ],
)
def test_other_programs_have_no_training(text: str) -> None:
    assert [*documents_of(Excerpt.of(Source("train.py", text)))] == []
    with pytest.raises(UnreadableError, match="this is a program: trainlint dry-run"):
        trainings(text)


def notebook(*cells: str) -> tuple[Document, ...]:
    rows: list[dict[str, Any]] = [
        {"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells
    ]
    return read(Source("a.ipynb", json.dumps({"cells": rows, "nbformat": 4}, indent=1)))


def test_a_notebook_s_cells_are_one_program() -> None:
    """Lines of IPython's own, other languages and what does not parse are passed over."""
    (document,) = notebook(
        "!pip install unsloth\n%cd /content\nif True:\n    !ls",
        "%%bash\nfor x in *; do echo; done",
        "%%capture\nfrom trl import SFTConfig, SFTTrainer\nname = 'a/é'",
        "what is this?",
        "rank = 4  # é\n",
        "SFTTrainer(name, args=SFTConfig(per_device_train_batch_size=rank))",
    )
    assert document.cell == 6
    assert document.value["model_name_or_path"] == "a/é"
    assert document.raw(("per_device_train_batch_size",)) == "rank"
    edit = set_value(document, ("per_device_train_batch_size",), 2)
    assert edit is not None
    assert "per_device_train_batch_size=2))" in apply_edits(document.source.text, [edit])


def test_edits_are_python_s() -> None:
    document = training(f"{TRL}SFTTrainer('a/b', args=SFTConfig(bf16=True, report_to='wandb'))\n")
    for name, value, written in (("bf16", False, "bf16=False"), ("report_to", "none", "report_to='none'")):
        edit = set_value(document, (name,), value)
        assert edit is not None
        assert written in apply_edits(document.source.text, [edit])
    assert set_value(document, ("tf32",), True) is None


def test_names_that_lead_on_and_on_take_no_time() -> None:
    doubled = "".join(f"a{n} = [a{n + 1}, a{n + 1}]\n" for n in range(60, 0, -1))
    deep = "x = " + "(" * 2_000 + "1" + ")" * 2_000
    begun = time.process_time()
    for text in (f"a61 = 1\n{doubled}", "b = b\n", "def f(x): return f(x)\nb = f(1)\n", deep):
        names = Names(f"{text}\nlast = a1\nprint(last)\n")
        if names.is_readable:
            last = next(call for call in names.bindings.calls if call.args and call.func.id == "print")  # type: ignore[attr-defined]
            assert value_of(last.args[0], names) is UNKNOWN
    assert [*documents_of(Excerpt.of(Source("a.py", f"{TRL}SFTTrainer('a')\n" + "#" * PROGRAM_BYTES)))] == []
    assert time.process_time() - begun < 4


@pytest.mark.rest
def test_rules_judge_a_program_and_leave_what_only_a_run_knows() -> None:
    text = f"""{TRL}
model = AutoModelForCausalLM.from_pretrained("tiiuae/falcon-7b", torch_dtype=torch.bfloat16)
SFTTrainer(model=model, peft_config=LoraConfig(r=8, target_modules=TARGETS),
           args=SFTConfig(bf16=True, output_dir="out"))
"""
    pipeline = pipeline_for(Settings(target=("colab-t4",)), TapeSource(may_trace=False))
    rules = {}
    for targets in ('["q_proj"]', 'open("targets").read()'):
        source = Source("train.py", text.replace("TARGETS", targets))
        result, *_ = pipeline.lint_source(source, named=True)
        rules[targets] = {finding.rule for finding in result.findings}, {skip.rule for skip in result.skips}
    known, unknown = rules.values()
    assert {"targets-match-nothing", "bf16-unsupported"} <= known[0]
    assert "targets-match-nothing" not in unknown[0]
    assert "targets-match-nothing" in unknown[1]
    assert "bf16-unsupported" in unknown[0]


def test_a_program_that_is_not_finished_is_refused_at_its_line() -> None:
    """It was said to be a program, with a dry run that cannot start either."""
    with pytest.raises(UnreadableError, match="never closed") as refused:
        read(Source("train.py", "from trl import SFTTrainer\nSFTTrainer(model,\n"))
    assert (refused.value.line, refused.value.column) == (2, 11)
