"""timm's train.py: its command line, its args.yaml, and what is another trainer's train.py."""

from __future__ import annotations

import pytest

from .dialect_jobs import command, fields, job, jobs, said

VIT = (
    "torchrun --nproc_per_node=4 train.py --data-dir /data --model vit_base_patch16_224 -b 128 --amp "
    "--amp-dtype bfloat16 --opt adamw --lr 1e-3 --model-ema --img-size 224 --sched cosine -j 8"
)


def test_a_launched_command():
    made = command(VIT, "timm")
    assert said(made) == []
    assert fields(made, "recipe", "networks.generator.arch") == ("timm.train", "vit_base_patch16_224")
    assert fields(made, "crop.lq", "batch.per_gpu", "workers.per_gpu", "gpus") == (224, 128, 8, 4)
    assert fields(made, "precision", "ema", "launcher") == ("bf16", 0.9998, "pytorch")
    assert made.spec["optimizers"][0]["type"] == "AdamW"


def test_defaults():
    made = command("python train.py /data --model resnet50 --amp --epochs 90", "timm")
    assert said(made) == []
    assert fields(made, "batch.per_gpu", "precision", "parallel", "crop.lq") == (128, "fp16", "none", None)
    assert fields(made, "checkpoint.keep", "checkpoint.every_epochs", "ema") == (10, 1, 0.0)
    optimizer = made.spec["optimizers"][0]
    assert (optimizer["type"], optimizer["momentum"], optimizer["nesterov"]) == ("SGD", 0.9, True)


def test_a_compiled_step_is_not_the_one_that_is_traced():
    made = command(f"{VIT} --torchcompile inductor", "timm")
    assert made.spec["uncounted"] == [{"what": "torch.compile (--torchcompile)", "direction": "unknown"}]


def test_args_yaml():
    text = (
        "model: resnet18\nbatch_size: 64\nopt: sgd\nsched: cosine\nsmoothing: 0.1\nreprob: 0.25\nmixup: 0.0\n"
    )
    made = job(
        text + "epochs: 10\nlr: 5e-1\namp: true\namp_dtype: float16\nimg_size: null\n", "args.yaml", "timm"
    )
    assert said(made) == []
    assert fields(made, "batch.per_gpu", "duration.epochs", "precision") == (64, 10, "fp16")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--batch_size 4", 'unrecognized arguments: --batch_size 4; did you mean "--batch-size"?'),
        ("--modle-ema", "unrecognized arguments: --modle-ema"),
        ("--amp-dtype fp16", "expected one of float16, bfloat16"),
        ("--epoch 3", "ambiguous option: --epoch could match --epoch-repeats, --epochs"),
    ],
)
def test_mistakes(arguments, message):
    (problem,) = command(f"python train.py /data --model resnet50 --amp {arguments}", "timm").problems
    assert message in problem.message


@pytest.mark.parametrize(
    "text",
    [
        "python basicsr/train.py -opt options/train/x.yml --launcher pytorch",
        "python train.py --img 640 --batch 16 --epochs 3 --data coco.yaml --weights yolov5s.pt",
        "python train.py --model unet --epochs 3 --lr 0.1 --batch_size 4",
    ],
)
def test_other_trainers_have_a_train_py_too(text):
    assert jobs(text + "\n", "run.sh")[0] != "timm"
