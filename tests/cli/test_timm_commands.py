# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""timm's shortest commands, which no flag of its own tells from others, in a checkout and out of one."""

from __future__ import annotations

import pytest

SHORT = "python train.py --data-dir /data --model {}\n"
FLAGS = """
amp aa sched opt lr lr-base min-lr warmup-lr epochs decay-rate smoothing mixup cutmix reprob remode recount
drop drop-path model-ema model-ema-decay seed workers batch-size clip-grad clip-mode momentum weight-decay
img-size input-size crop-pct mean std interpolation num-classes gp resume initial-checkpoint data-dir model
""".split()  # noqa: SIM905  # words in one text read better
SCRIPT = (
    "import argparse\nfrom timm.models import create_model\nparser = argparse.ArgumentParser()\n"
    + "".join(f"parser.add_argument('--{flag}')\n" for flag in FLAGS)
)


@pytest.mark.parametrize("model", ["resnet50", "vit_base_patch16_224.augreg_in21k"])
def test_a_model_of_timms_and_words_of_timms_are_timms(trainlint, model: str) -> None:
    trainlint.write("run.sh", SHORT.format(model))
    (result,) = trainlint.json("run.sh", "-t", "rtx-4090", "--no-trace")["results"]
    assert result["dialect"] == "timm"


@pytest.mark.parametrize(
    "command",
    [
        SHORT.format("my_net"),
        SHORT.format("resnet50 --my-flag 3"),
        "python train.py --model resnet50\n",  # on which images?
        "python fit.py --data-dir /data --model resnet50\n",
    ],
)
def test_others_are_nobodys(trainlint, command: str) -> None:
    trainlint.write("run.sh", command)
    (result,) = trainlint.json("run.sh", "-t", "rtx-4090", "--no-trace")["results"]
    assert result["dialect"] is None
    said = trainlint("run.sh", "-t", "rtx-4090", "--no-trace").stdout
    assert ('"--trainer' in said) is ("train.py" in command and "fit" not in command)


def test_who_names_the_trainer_is_believed(trainlint) -> None:
    trainlint.write("run.sh", SHORT.format("resnet5o"))
    (result,) = trainlint.json("run.sh", "-t", "rtx-4090", "--no-trace", "--trainer", "timm")["results"]
    assert [one["level"] for one in result["findings"]] == ["fail"]


@pytest.mark.parametrize(
    ("script", "dialect"),
    [
        (SCRIPT, "timm"),
        (SCRIPT.replace("from timm", "from nets"), "script"),
        ("\n".join(SCRIPT.split("\n")[:8]) + "\n", "script"),  # a script of somebody's own
    ],
)
def test_a_script_that_is_there_says_whose_it_is(trainlint, script: str, dialect: str) -> None:
    trainlint.write("train.py", script)
    trainlint.write("run.sh", "python train.py --amp 1 --lr 0.1\n")
    trainlint.write(".git/HEAD", "")
    (result,) = trainlint.json("run.sh", "-t", "rtx-4090", "--no-trace")["results"]
    assert result["dialect"] == dialect
    if dialect == "timm":
        assert "train.py is not timm's: trainlint dry-run runs it" in str(result["skipped"])


def test_a_forks_own_loop_and_models_are_not_judged_as_timms(trainlint) -> None:
    trainlint.write("train.py", SCRIPT + "def main():\n    train(teacher=create_model('resnet50'))\n")
    trainlint.write("run.sh", SHORT.format("resnet50"))
    trainlint.write(".git/HEAD", "")
    (result,) = trainlint.json("run.sh", "-t", "rtx-4090", "--no-trace")["results"]
    line = SCRIPT.count("\n") + 1
    assert f"its own main (train.py:{line}) is not timm's" in str(result["skipped"])


def test_a_copy_of_timm_has_all_its_models(trainlint) -> None:
    trainlint.write("train.py", SCRIPT)
    trainlint.write("timm/models/registry.py", "def register_model(fn):\n    return fn\n")
    trainlint.write("timm/models/resnet.py", "@register_model\ndef resnet50(**kwargs):\n    pass\n")
    trainlint.write(".git/HEAD", "")
    for model, level in (("resnet50", []), ("resnet5o", ["fail"])):
        trainlint.write("run.sh", SHORT.format(model))
        (result,) = trainlint.json("run.sh", "-t", "rtx-4090", "--no-trace")["results"]
        assert [one["level"] for one in result["findings"]] == level


def test_a_file_of_defaults_says_what_is_nearly_an_argument(trainlint) -> None:
    text = (
        "model: resnet50\nbatch_size: 64\nopt: sgd\nsched: cosine\nsmoothing: 0.1\nreprob: 0.2\nmixup: 0.0\n"
    )
    trainlint.write("b.yaml", f"{text}modle_ema: true\nnotes: 3\nmodel_kwargs: {{}}\nepochs: 3\nlr: 0.1\n")
    results = trainlint.json("b.yaml", "-t", "rtx-4090", "--no-trace")["results"]
    said = [(one["rule"], one["level"], one["line"]) for result in results for one in result["findings"]]
    assert set(said) == {("unused-key", "warn", 8)}
