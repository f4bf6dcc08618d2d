# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A command that sets what only the shell knows: no verdict takes the option file's own value for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.sampling import sampled

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/msrresnet_x4.yml"
RUN = "python basicsr/train.py -opt options/a.yml"
BATCH = f"{RUN} --force_yml datasets:train:batch_size_per_gpu="


@pytest.fixture
def judged(trainlint):
    trainlint.write("basicsr/train.py", "")
    trainlint.write(".git/HEAD", "")
    trainlint.write("options/a.yml", EXAMPLE.read_text("utf-8"))

    def of(script: str, path: str = "options/a.yml", target: str = "rtx-3060") -> list:
        trainlint.write("train.sh", f"{script}\n")
        results = trainlint.json(path, "-t", target)["results"]
        return [result for result in results if result["path"] == "options/a.yml"]

    return of


UNKNOWN = [
    f"{BATCH}$BATCH",
    f"{BATCH}$1",
    f"run() {{ {BATCH}$1; }}\nrun 4000",
    f'if [ "$1" = big ]; then B=4000; else B=16; fi\n{BATCH}$B',
    f"B=$((1000*4))\n{BATCH}$B",
    f"{BATCH}$(cat batch.txt)",
    f"source conf.env\n{BATCH}$B",
    f"B=16\nsource conf.env\n{BATCH}$B",
    f"for b in {{16,4000}}; do {BATCH}$b; done",
    f"{RUN} --force_yml $OVERRIDES",
    f"{RUN} --force_yml network_g:type=$NET",
    f"sed -i 's/size_per_gpu: 16/size_per_gpu: 4000/' options/a.yml\n{RUN}",
    f"echo 'scale: 2' | tee -a options/a.yml\n{RUN}",
    f"(cd options && sed -i.bak -e s/16/4000/ a.yml)\n{RUN}",
    f"yq -i '.datasets.train.batch_size_per_gpu = 4000' options/*.yml\n{RUN}",
    f'perl -pi -e s/16/4000/ "$FILE"\n{RUN}',
    f"cp options/base.yml options/a.yml && {RUN}",
    f"cat > options/a.yml <<EOF\nscale: 4\nEOF\n{RUN}",
    f"sed -i s/16/4000/ options/a.yml\nbash -c '{RUN}'",
]


@pytest.mark.parametrize("script", sampled(UNKNOWN, 5))
def test_what_only_the_shell_knows_is_not_judged_and_the_file_is_by_itself(judged, script: str) -> None:
    (started,) = judged(script, "train.sh")
    assert started["verdicts"]["memory"] == "not-judged"
    assert started["outcome"] == "skipped"
    assert any("only the shell knows" in skip["reason"] for skip in started["skipped"])
    under, alone = judged(script)
    assert (under["verdicts"]["memory"], alone["variant"]) == ("not-judged", "by itself")
    assert alone["verdicts"]["memory"] == "pass"


@pytest.mark.parametrize(
    ("conf", "verdict"),
    [
        ("PYTORCH_CUDA_ALLOC_CONF=backend:cudaMallocAsync", "not-judged"),
        pytest.param(
            "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True,per_process_memory_fraction:0.1",
            "not-judged",
            marks=pytest.mark.rest,
        ),
        pytest.param("PYTORCH_ALLOC_CONF=max_split_size_mb:64", "not-judged", marks=pytest.mark.rest),
        pytest.param("PYTORCH_ALLOC_CONF=$CONF", "not-judged", marks=pytest.mark.rest),
        ("PYTORCH_ALLOC_CONF=expandable_segments:True", "pass"),
        pytest.param("PYTORCH_ALLOC_CONF=backend:native", "pass", marks=pytest.mark.rest),
    ],
)
def test_another_allocator_is_not_judged(judged, conf: str, verdict: str) -> None:
    for script in (f"{conf} {RUN}", f"export {conf}\n{RUN}", f"env {conf} {RUN}"):
        (started,) = judged(script, "train.sh")
        assert started["verdicts"]["memory"] == verdict
        assert ("the allocator's" in json.dumps(started)) is (verdict != "pass")


def test_a_smaller_share_of_the_card_leaves_a_fail_one(judged) -> None:
    (started,) = judged(f"PYTORCH_ALLOC_CONF=per_process_memory_fraction:0.5 {BATCH}4000", "train.sh")
    assert started["verdicts"]["memory"] == "fail"


@pytest.mark.parametrize(
    "before",
    [
        "sed -i s/16/4000/ basicsr/train.py",
        "sed -n 1p options/a.yml",
        "sed s/16/4000/ options/a.yml > options/b.yml",
        "cp options/a.yml options/b.yml",
    ],
)
def test_another_file_is_written(judged, before: str) -> None:
    (started,) = judged(f"{before}\n{RUN}", "train.sh")
    assert started["verdicts"]["memory"] == "pass"


def test_the_headline_is_not_that_of_the_file_by_itself(trainlint, judged) -> None:
    judged(UNKNOWN[0])
    shown = trainlint("options/a.yml", "-t", "rtx-3060", "--no-trace").stdout
    assert shown.splitlines()[0].endswith(": skip")
    assert "only the shell knows" in shown
    assert "(train.sh:1)" in shown


@pytest.mark.rest
def test_a_loop_over_numbers_is_as_many_commands(judged) -> None:
    script = f"for b in 16 4000; do {BATCH}$b; done"
    assert [one["verdicts"]["memory"] for one in judged(script, "train.sh")] == ["pass", "fail"]
    small, large = judged(script)
    assert "batch_size_per_gpu=4000" in large["variant"]
    assert [finding["level"] for finding in large["findings"] if finding["rule"] == "vram-budget"] == ["warn"]
    assert small["verdicts"]["memory"] == "pass"


@pytest.mark.parametrize("key", ["train:optim_g:lr=$LR", "train:total_iter=$N"])
def test_memory_is_judged_where_no_tensor_follows_from_the_value(judged, key: str) -> None:
    (started,) = judged(f"{RUN} --force_yml {key}", "train.sh")
    assert started["verdicts"]["memory"] == "pass"


def test_iterations_that_only_the_shell_knows_leave_the_time_open(judged) -> None:
    (started,) = judged(f"{RUN} --force_yml train:total_iter=$N", "train.sh")
    assert started["verdicts"]["time"] == "not-judged"
    assert {"milestones-beyond"} <= {skip["rule"] for skip in started["skipped"]}


def test_a_mistake_elsewhere_stays_a_fail(trainlint, judged) -> None:
    path = trainlint.folder / "options/a.yml"
    path.write_text(path.read_text("utf-8").replace("print_freq: 100", "print_freq: x"), "utf-8")
    (started,) = judged(UNKNOWN[0], "train.sh")
    assert started["outcome"] == "fail" or "wrong-type" in {one["rule"] for one in started["findings"]}


@pytest.mark.parametrize("rest", ['"$@"', "$EXTRA"])
def test_further_arguments_are_said_to_be_left_out(trainlint, judged, rest: str) -> None:
    (started,) = judged(f"{RUN} {rest}")
    assert started["verdicts"]["memory"] == "pass"
    shown = trainlint("options/a.yml", "-t", "rtx-3060", "--no-trace").stdout
    assert "as train.sh:1 starts it without further arguments" in shown


def test_gpus_that_only_the_shell_knows_are_readings(judged) -> None:
    script = f"CUDA_VISIBLE_DEVICES=$GPU {RUN} --force_yml num_gpu=2"
    names = [result["variant"] for result in judged(script, target="kaggle-t4x2")]
    assert names == [
        "where CUDA_VISIBLE_DEVICES leaves 1 GPU", "where CUDA_VISIBLE_DEVICES leaves 2 GPUs"
    ]  # fmt: skip


@pytest.mark.parametrize("lines", [0, 1])
def test_a_page_says_why_an_option_file_is_not_judged(trainlint, judged, lines: int) -> None:
    """The file's own job is on line 2, and so may the command be: the reason was cut off then."""
    judged(f"{chr(10) * lines}{BATCH}$(nproc)", "train.sh")
    shown = " ".join(trainlint("train.sh", "-t", "rtx-3060", "--no-trace").stdout.split())
    wanted = 'options/a.yml: only the shell knows "datasets:train:batch_size_per_gpu=$(nproc)"'
    assert f"memory, hours and disk of {wanted} (train.sh:{lines + 1})" in shown


@pytest.mark.parametrize(
    ("key", "meant"),
    [("train:total_itr=9", "total_iter"), ("datasets:train:batch_size_per_gup=9", "batch_size_per_gpu")],
)
def test_a_misspelt_key_is_said_although_the_file_has_the_right_one(judged, key: str, meant: str) -> None:
    """The file's own value stays in force: it is not what was wanted."""
    (started,) = judged(f"{RUN} --force_yml {key}", "train.sh")
    (finding,) = [one for one in started["findings"] if one["rule"] == "unknown-key"]
    assert finding["level"] == "warn"
    assert finding["message"].endswith(f'did you mean "{meant}"? (train.sh:1)')


@pytest.mark.parametrize(
    "key", ["train:optim_d:type=Adam", "datasets:train:use_flip=true", "train:new_key=1"]
)
def test_another_key_in_a_command_is_no_misspelt_one(judged, key: str) -> None:
    (started,) = judged(f"{RUN} --force_yml {key}", "train.sh")
    assert "unknown-key" not in {one["rule"] for one in started["findings"]}


@pytest.mark.parametrize("value", ["0.99", "$E"])
def test_a_key_that_the_trainer_does_not_read_is_unknown_as_in_the_file(trainlint, judged, value) -> None:
    path = trainlint.folder / "options/a.yml"
    path.write_text(path.read_text("utf-8").replace("  ema_decay: 0.999\n", ""), "utf-8")
    (started, *_) = judged(f"{RUN} --force_yml train:ema_decy={value}")
    assert "unknown-key" in {finding["rule"] for finding in started["findings"]}
