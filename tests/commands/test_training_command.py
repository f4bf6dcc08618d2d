# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Training commands as documents: flags, launchers, places, and what is no training command."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainlint.commands.launch import in_container
from trainlint.commands.shell.shell import Shell
from trainlint.commands.shell.shell_flavours import POSIX
from trainlint.commands.training_command import as_parsed, bare_arguments, command_document
from trainlint.config.extracted_text import Excerpt
from trainlint.model.document import SCRIPT_ARGUMENTS, Document, Source

FULL = (
    "CUDA_VISIBLE_DEVICES=0,1 torchrun --nproc-per-node 2 --standalone train.py "
    "--batch-size 16 --amp --gpus 0 1 extra --lr=-1e-4 -opt 'a b.yml'"
)


def documents(text: str) -> list[Document]:
    excerpt = Excerpt.of(Source("run.sh", text))
    found = [command_document(excerpt, command) for command in Shell(POSIX).commands(text)]
    return [document for document in found if document is not None]


def one(text: str) -> Document:
    (document,) = documents(text)
    return document


def test_a_command_is_a_mapping_of_its_flags() -> None:
    document = one(FULL)
    assert document.format == "command"
    assert document.value == {
        "batch_size": "16",
        "amp": True,
        "gpus": ["0", "1", "extra"],
        "lr": "-1e-4",
        "opt": "a b.yml",
        "@script": "train.py",
        "@launcher": {"name": "torchrun", "nproc_per_node": "2", "standalone": True},
        "@env": {"CUDA_VISIBLE_DEVICES": "0,1"},
    }
    assert document.meta["script"] == "train.py"
    assert document.meta["launcher"] == "torchrun"
    assert document.meta["env"] == {"CUDA_VISIBLE_DEVICES": "0,1"}
    assert document.meta["program"][:4] == ("torchrun", "--nproc-per-node", "2", "--standalone")


@pytest.mark.parametrize("options", ["$DISTRIBUTED_ARGS", "${ARGS}", "${ARGS[@]}", "--nnodes 1 $MORE"])
def test_options_that_only_the_shell_knows_are_no_script(options: str) -> None:
    document = one(f"torchrun {options} finetune.py --bf16 True")
    assert (document.meta["script"], document.value["bf16"]) == ("finetune.py", "True")


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("docker run --gpus all -it $IMAGE bash finetune/lora.sh -m a", "bash finetune/lora.sh -m a"),
        ("singularity exec --nv a.sif torchrun train.py", "torchrun train.py"),
        ("docker build .", "docker build ."),
        ("python train.py --a", "python train.py --a"),
    ],
)
def test_what_a_container_is_started_for(text: str, inner: str) -> None:
    assert in_container(text) == inner


TRAINER = "--per_device_train_batch_size 4 --gradient_accumulation_steps 16"


@pytest.mark.parametrize(
    ("text", "trains"),
    [
        (f"python qlora.py --model_name_or_path a {TRAINER}", True),
        (f"accelerate launch --num_processes 2 grpo.py --config a.yaml {TRAINER}", True),
        ("python qlora.py --model_name_or_path a --per_device_train_batch_size 4", False),
        (f"python qlora.py --test {TRAINER}", False),
        (f"python eval_qlora.py {TRAINER}", False),
        ("accelerate launch src/open_r1/grpo.py --config recipes/a.yaml", True),
        ("NPROC_PER_NODE=2 swift sft --model Qwen/Qwen3-4B --lora_rank 8", True),
        ("swift infer --model Qwen/Qwen3-4B", False),
        ("litgpt finetune_lora --config a.yaml", True),
        ("litgpt chat a", False),
    ],
)
def test_flags_that_only_a_training_has_say_that_a_script_trains(text: str, trains: bool) -> None:
    assert bool(documents(text)) is trains


def test_every_path_has_its_place() -> None:
    document = one(FULL)
    assert set(document.places) == set(paths(document.value))
    assert document.raw(()) == FULL
    assert document.raw(("gpus",)) == "0 1 extra"
    assert document.raw(("gpus", 1)) == "1"
    assert document.raw(("opt",)) == "'a b.yml'"
    assert document.raw(("lr",)) == "-1e-4"
    assert document.raw(("amp",)) == "--amp"
    assert document.raw(("@script",)) == "train.py"
    assert document.raw(("@launcher", "nproc_per_node")) == "2"
    assert key(document, "lr") == "--lr"
    assert key(document, "batch_size") == "--batch-size"


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    return [path, *(inner for name, child in children for inner in paths(child, (*path, name)))]


def key(document: Document, name: str) -> str:
    span = document.places[name,].key
    assert span is not None
    return document.source.text[span.start : span.end]


def test_the_script_s_parser_decides_what_a_flag_takes() -> None:
    document = as_parsed(
        one(FULL + " --batch 8"),
        switches={"amp"},
        takes={"gpus": 2},
        names={"batch_size", "amp", "gpus", "lr"},
    )
    assert document.value["gpus"] == ["0", "1"]
    assert document.value["@args"] == ["extra"]
    assert document.raw(("@args", 0)) == "extra"
    assert document.value["batch_size"] == "8"
    assert [found.path for found in document.duplicates] == [("batch_size",)]
    switched = as_parsed(
        one("python train.py --amp a.yml -b 4"), switches={"amp"}, aliases={"b": "batch_size"}
    )
    assert switched.value == {"amp": True, "@args": ["a.yml"], "batch_size": "4", "@script": "train.py"}
    ambiguous = as_parsed(one("python train.py --ba 4"), names={"batch", "base"})
    assert ambiguous.value["ba"] == "4"


def test_the_same_flag_twice() -> None:
    document = one("python train.py --lr 1 2 --x --lr 3")
    (duplicate,) = document.duplicates
    assert document.value == {"lr": "3", "x": True, "@script": "train.py"}
    assert [document.source.position(span.start)[1] for span in (duplicate.first, duplicate.second)] == [
        17,
        30,
    ]
    assert set(document.places) == set(paths(document.value))


@pytest.mark.parametrize(
    ("text", "script", "launcher"),
    [
        ("python train.py", "train.py", None),
        ("python3.11 -u -W ignore -X dev codes/train_enhanced.py", "codes/train_enhanced.py", None),
        ("/opt/venv/bin/python train.py", "/opt/venv/bin/train.py".replace("/opt/venv/bin/", ""), None),
        ("python -m basicsr.train -opt x", "basicsr/train.py", None),
        ("python -um pkg.train_net", "pkg/train_net.py", None),
        ("./train.py --a", "./train.py", None),
        (
            "python -m torch.distributed.launch --use-env --nproc_per_node=8 a/train.py",
            "a/train.py",
            "torch.distributed.launch",
        ),
        (
            "python -m torch.distributed.run --nnodes 1 -m pkg.train --x",
            "pkg/train.py",
            "torch.distributed.run",
        ),
        (
            "accelerate launch --mixed_precision bf16 --multi_gpu sdxl_train.py --a b",
            "sdxl_train.py",
            "accelerate",
        ),
        ("deepspeed --num_gpus=2 train.py --deepspeed ds.json", "train.py", "deepspeed"),
        ("nohup time python train.py > log &", "train.py", None),
        ("srun -p gpu --ntasks=8 python -u train.py --launcher=slurm", "train.py", "srun"),
        ("uv run --with torch python main_train_psnr.py", "main_train_psnr.py", None),
        ("conda run -n sr torchrun train.py", "train.py", "torchrun"),
        ("accelerate launch nd_parallel_trainer.py", "nd_parallel_trainer.py", "accelerate"),
        ("python main.py --base a.yaml -t --gpus 0,", "main.py", None),
        ("python main.py --mode train", "main.py", None),
        ("python train_ClassSR.py", "train_ClassSR.py", None),
        ("python finetune_esrgan.py", "finetune_esrgan.py", None),
        ("./distributed_train.sh 4 /data --model resnet50", "train.py", "torchrun"),
        ("nohup bash timm/distributed_train.sh 4 /data --model resnet50 &", "train.py", "torchrun"),
        ("yolo detect train data=coco8.yaml model=yolo11n.pt imgsz=640", "yolo train", None),
        ("yolo train cfg=args.yaml", "yolo train", None),
        ("yolo task=segment mode=train data=a.yaml", "yolo train", None),
        ("python tools\\train.py".replace("\\", "/"), "tools/train.py", None),
    ],
)
def test_training_commands_and_their_launchers(text: str, script: str, launcher: str | None) -> None:
    document = one(text)
    assert document.meta["script"] == script
    assert document.meta["launcher"] == launcher


@pytest.mark.parametrize(
    "text",
    [
        "python -c 'import train'",
        "python -m pip install train",
        "python train.py --help",
        "python test_CR_kaggle.py --batch_sz 4",
        "python prepare_train_data.py",
        "python numerical_equivalence_pretrained.py --model_dir x",
        "python main_download_pretrained_models.py --models all",
        "python main.py --mode test",
        "python basicsr/test.py -opt train.yml",
        "echo python train.py",
        "echo 'python train.py --x'",
        "# python train.py",
        "pip install trainer",
        "cd train && ls",
        "accelerate config",
        "yolo detect predict model=yolo11n.pt source=train",
        "yolo val data=train.yaml",
        "yolo settings",
        "python",
        "torchrun",
        "torchrun --nproc_per_node 2",
        "./distributed_train.sh",
        "bash distributed_train.sh --help",
        "chmod +x distributed_train.sh 4",
        "bash run.sh distributed_train.sh 4 --lr 1",
        "vim train.py",
        "git add train.py",
    ],
)
def test_nothing_is_invented(text: str) -> None:
    assert documents(text) == []


def test_abridged_commands_are_partial() -> None:
    for text in (
        "python train.py --amp ...",
        'python train.py --amp "$@"',
        "python train.py --amp [options]",
        "python train.py --amp [other arguments...]",
        "python train.py --amp <other-arguments>",
    ):
        document = one(text)
        assert document.value == {"amp": True, "@script": "train.py"}
        assert document.meta["partial"]
        assert bool(document.notes) is (
            document.meta["partial"] == SCRIPT_ARGUMENTS
        )  # read as if nothing followed
    assert not one("python train.py").meta["partial"]


def test_an_ellipsis_behind_a_flag_may_be_its_value() -> None:
    document = one("python train.py --project ... --name x")
    assert document.meta["unresolved"] == (("project",),)
    assert document.meta["partial"]


def test_unresolved_words_are_named() -> None:
    document = one("G=2\npython train.py --a $1 --b $G --c 1 $2")
    assert document.meta["unresolved"] == (("a",), ("c", 1))
    assert document.value["b"] == "2"
    assert document.raw(("b",)) == "$G"


def test_half_a_command_carries_its_error() -> None:
    document = one('cd x\npython train.py --a "b\n')
    assert document.broken is not None
    assert (document.broken.line, document.broken.column) == (2, 21)
    assert "never closed" in str(document.broken)


def test_bare_arguments_have_no_script() -> None:
    text = "--batch_size 4 --amp"
    (command,) = Shell(POSIX).commands(text)
    document = bare_arguments(Excerpt.of(Source("args.txt", text)), command)
    assert document.value == {"batch_size": "4", "amp": True}
    assert document.meta["script"] is None


WORDS = st.lists(
    st.sampled_from(["--a", "--b-c", "-d", "--e=1", "--e=", "x", "1", "-1", "''", "...", "--", "$q", "'a b'"])
)


@pytest.mark.rest
@settings(max_examples=400, deadline=None)
@given(WORDS)
def test_any_arguments_have_all_their_places(words: list[str]) -> None:
    text = " ".join(["python train.py", *words])
    document = one(text)
    for read in (document, as_parsed(document, switches={"a"}, takes={"d": 1}, names={"a", "b_c", "d", "e"})):
        assert set(read.places) == set(paths(read.value))
        for path in read.places:
            span = read.places[path].value
            assert 0 <= span.start <= span.end <= len(text)


def test_a_command_for_one_version_of_torch_is_known() -> None:
    text = """
if [[ "$TORCH_VERSION" < "1.9.0" ]]; then
    python -m torch.distributed.launch train.py --a 1
else
    torchrun train.py --a 2
fi
if [ -d data ]; then
    python -m torch.distributed.launch train.py --a 3
fi
"""
    asks = {document.value["a"]: document.meta["asks_torch"] for document in documents(text)}
    assert asks == {"1": True, "2": True, "3": False}
