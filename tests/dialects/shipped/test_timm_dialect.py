# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""timm's train.py: its command line, its args.yaml, and what is another trainer's train.py."""

from __future__ import annotations

import pytest

from trainlint.tape.step import step_of

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


def test_timms_own_launcher_starts_as_many_processes_as_it_is_given():
    text = "sh ./distributed_train.sh 4 --data-dir /data --model resnet50 -b 64 --sched cosine --lr 0.1"
    made = command(text, "timm")
    assert said(made) == []
    assert fields(made, "gpus", "launcher", "batch.per_gpu") == (4, "pytorch", 64)
    assert made.document.raw(("@launcher", "nproc_per_node")) == "4"


def test_attention_is_written_out_where_the_environment_says_so():
    text = "python train.py /data --model vit_base_patch16_224 --amp --epochs 90"
    assert command(f"TIMM_FUSED_ATTN=0 {text}", "timm").spec["options"]["fused_attention"] is False
    for other in (text, f"TIMM_FUSED_ATTN=1 {text}"):
        assert "fused_attention" not in command(other, "timm").spec.get("options", {})


def test_defaults():
    made = command("python train.py /data --model resnet50 --amp --epochs 90", "timm")
    assert said(made) == []
    assert fields(made, "batch.per_gpu", "precision", "parallel", "crop.lq") == (128, "fp16", "none", None)
    assert fields(made, "checkpoint.keep", "checkpoint.every_epochs", "ema") == (10, 1, 0.0)
    optimizer = made.spec["optimizers"][0]
    assert (optimizer["type"], optimizer["momentum"], optimizer["nesterov"]) == ("SGD", 0.9, True)


def test_a_saved_flag_that_was_never_given_is_none():
    saved = (
        "model: resnet18\nbatch_size: 64\nopt: sgd\nsched: cosine\nsmoothing: 0.1\nreprob: 0.25\n"
        "mixup: 0.0\ninput_size: null\n"
    )
    made = job(saved, "args.yaml", "timm")
    assert said(made) == []
    assert made.document.value["input_size"] is None


CROP = ("crop.lq", "crop.lq_width", "crop.hr", "crop.hr_width", "validation.height", "validation.width")


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ("--img-size 288", (288, None, 288, None, 288, 288)),
        ("--input-size 3 288 288", (288, None, 288, None, 288, 288)),
        ("--input-size 3 224 448", (224, 448, 224, 448, 224, 448)),
        ("--input-size 3 448 224", (448, 224, 448, 224, 448, 224)),
        ("--img-size 224 --input-size 3 448 448", (448, None, 448, None, 448, 448)),
    ],
)
def test_images_that_are_no_squares_have_two_sides(size: str, expected: tuple) -> None:
    made = command(f"python train.py /data --model resnet50 --sched cosine {size}", "timm")
    assert fields(made, *CROP) == expected


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


def test_a_file_of_defaults_may_have_any_key():
    """set_defaults refuses none, and an empty mapping is what it saves itself."""
    text = (
        "model: resnet18\nbatch_size: 64\nopt: sgd\nsched: cosine\nsmoothing: 0.1\nreprob: 0.25\nmixup: 0.0\n"
    )
    saved = job(f"{text}model_kwargs: {{}}\nopt_kwargs: {{eps: 1e-6}}\nnotes: first\n", "args.yaml", "timm")
    assert said(saved) == []


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


BARE = "python train.py /data --model resnet50 --epochs 90 --sched cosine "


def terms(arguments):
    return [
        (entry["what"].rpartition("(")[2].rstrip(")"), entry["direction"])
        for entry in command(BARE + arguments, "timm").spec.get("uncounted") or ()
    ]


@pytest.mark.parametrize(
    ("arguments", "term"),
    [
        ("--torchscript", ("--torchscript", "unknown")),
        ("--fuser te", ("--fuser", "unknown")),
        ("--naflex-loader", ("--naflex-loader", "unknown")),
        ("--kd-model-name resnet101", ("--kd-model-name", "more")),
        ("--device mps", ("--device", "unknown")),
        ("--device-modules torch_npu", ("--device-modules", "unknown")),
        ("-b 64 -vb 4096", ("--validation-batch-size", "more")),
        ("--amp --amp-impl apex", ("--amp-impl apex", "unknown")),
        ("--amp --fast-norm", ("--fast-norm", "less")),
        ("--split-bn --resplit", ("--split-bn", "unknown")),
        ("--train-img-sizes 128 224 --train-batch-sizes 256 64", ("--train-img-sizes", "unknown")),
        ("--torchcompile", ("--torchcompile", "unknown")),
    ],
)
def test_what_no_tape_holds_is_named(arguments, term):
    assert said(command(BARE + arguments, "timm")) == []
    assert terms(arguments) == [term]


def test_its_own_flags_tell_it_from_other_scripts():
    for flag in ("--aug-splits 3", "--grad-checkpointing", "--naflex-loader", "--kd-model-name resnet101"):
        assert said(command(f"python train.py /data --model resnet50 --epochs 90 {flag}", "timm")) == []


@pytest.mark.parametrize(
    "arguments",
    ["-b 64 -vb 64", "--device cuda:1", "--fuser ''", "--fast-norm", "--amp-impl native", "--resplit"],
)
def test_what_changes_nothing_is_not_named(arguments):
    assert terms(arguments) == []


@pytest.mark.parametrize(
    ("arguments", "epochs", "passes", "saves"),
    [
        ("", 1, None, 1),
        ("--val-interval 5", 5, None, 5),
        ("--val-split ''", None, None, 1),
        ("--model-ema", 1, 2, 1),
        ("--model-ema --model-ema-force-cpu", 1, None, 1),
    ],
)
def test_how_often_it_validates_is_on_no_tape(arguments, epochs, passes, saves):
    spec = command(BARE + arguments, "timm").spec
    options = spec.get("options", {})
    assert (options.get("validation_epochs"), options.get("validation_passes")) == (epochs, passes)
    assert spec["checkpoint.every_epochs"] == saves
    assert "options" not in step_of(spec)


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ("--aug-splits 3 --jsd-loss", {"splits": 3}),
        ("--aug-splits 3 --split-bn", {"splits": 3, "split_bn": True}),
        ("--model-kwargs img_size=384 depth=6", {"model_kwargs": ["img_size=384", "depth=6"]}),
        ("--opt-kwargs foreach=False", {"opt_kwargs": ["foreach=False"]}),
        ("--model-dtype bfloat16", {"model_dtype": "bfloat16"}),
        ("--clip-grad 1.0 --clip-mode agc", {"clip_mode": "agc"}),
        ("--clip-mode agc", None),
        ("--cutmix 1.0", {"mixup": True}),
    ],
)
def test_options_that_change_the_step(arguments, options):
    made = command(BARE + arguments, "timm")
    assert said(made) == []
    assert step_of(made.spec).get("options") == options


@pytest.mark.parametrize(
    ("arguments", "loss"),
    [
        ("", "LabelSmoothingCrossEntropy"),
        ("--smoothing 0", "CrossEntropyLoss"),
        ("--bce-loss", "BinaryCrossEntropy"),
        ("--bce-loss --smoothing 0.0", "CrossEntropyLoss"),
        ("--bce-loss --smoothing 0.0 --mixup 0.2", "BinaryCrossEntropy"),
        ("--mixup 0.2", "SoftTargetCrossEntropy"),
        ("--cutmix-minmax 0.2 0.8", "SoftTargetCrossEntropy"),
        ("--aug-splits 3 --jsd-loss", "JsdCrossEntropy"),
    ],
)
def test_the_loss_that_is_picked(arguments, loss):
    assert command(BARE + arguments, "timm").spec["losses"][0]["type"] == loss


def test_the_cpu_has_no_card_and_rates_reach_the_network():
    assert command(BARE + "--device cpu", "timm").spec["gpus"] == 0
    args = command(BARE + "--drop-path 0.1 --gp max --in-chans 1", "timm").spec["networks.generator.args"]
    assert args == {"in_chans": 1, "drop_rate": 0.0, "drop_path_rate": 0.1, "global_pool": "max"}


def test_amp_wants_a_model_in_float32():
    (problem,) = command(BARE + "--amp --model-dtype bfloat16", "timm").problems
    assert "AMP needs a model in float32" in problem.message
