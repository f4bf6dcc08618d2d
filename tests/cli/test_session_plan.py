# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a session, a week and a small data set make of a run, through the real command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.sampling import sampled

EXAMPLE = (Path(__file__).parents[2] / "examples" / "msrresnet_x4.yml").read_text(encoding="utf-8")


@pytest.fixture
def findings(trainlint):
    def run(name: str, text: str, *options):
        trainlint.write(name, text)
        done = trainlint(name, "--no-trace", "--format", "json", *options)
        found = [one for each in json.loads(done.stdout)["results"] for one in each["findings"]]
        return {one["rule"]: one for one in found}

    return run


@pytest.mark.parametrize(("images", "freezes"), [(15, True), (16, False)])
def test_a_data_set_smaller_than_a_batch_never_trains(findings, images, freezes) -> None:
    assert "dataset_enlarge_ratio: 100" in EXAMPLE
    text = EXAMPLE.replace("dataset_enlarge_ratio: 100", "dataset_enlarge_ratio: 1")
    found = findings("a.yml", text, "-t", "rtx-3060", "--dataset-size", str(images))
    assert ("loader-freeze" in found) is freezes
    if freezes:
        assert found["loader-freeze"]["level"] == "fail"
        assert "15 training images do not fill a batch of 16" in found["loader-freeze"]["message"]


def test_images_that_are_repeated_make_a_batch(findings) -> None:
    assert "loader-freeze" not in findings("a.yml", EXAMPLE, "-t", "rtx-3060", "--dataset-size", "1")


def test_a_run_of_more_than_a_week_is_said_to_be(findings) -> None:
    options = ("-t", "kaggle-t4x2", "--seconds-per-iteration", "0.8")
    notes = " ".join(findings("a.yml", EXAMPLE, *options)["session-budget"]["notes"])
    assert "a week has 30 h of its GPUs, so the run takes 3 weeks at least" in notes
    assert "a week has" not in str(
        findings("a.yml", EXAMPLE, "-t", "kaggle-t4x2", "--seconds-per-iteration", "0.2")
    )


@pytest.mark.parametrize(("seconds", "weeks"), [("0.54", 2), ("0.5401", 3)])
def test_two_weeks_of_the_quota_are_two(findings, seconds, weeks) -> None:
    """400,000 steps of 0.54 s are 60 h, twice what a week has, where hardly anything is done again."""
    text = EXAMPLE.replace("save_checkpoint_freq: !!float 4e4", "save_checkpoint_freq: 1000")
    found = findings("a.yml", text, "-t", "kaggle-t4x2", "--seconds-per-iteration", seconds)
    assert f"so the run takes {weeks} weeks at least" in " ".join(found["session-budget"]["notes"])


@pytest.mark.parametrize(("seconds", "rules"), [("0.54", set()), ("0.541", {"session-budget"})])
def test_a_run_as_long_as_the_session_fits_it(findings, seconds, rules) -> None:
    text = EXAMPLE.replace("total_iter: 400000", "total_iter: 60000")
    found = findings("a.yml", text, "-t", "kaggle-t4x2", "--seconds-per-iteration", seconds)
    assert {rule for rule in found if rule.startswith("session")} == rules


@pytest.mark.parametrize(("options", "said"), [((), True), (("--dataset-size", "1000"), False)])
def test_epochs_of_unknown_length_leave_the_session_open_and_say_so(trainlint, options, said) -> None:
    trainlint.write("train.sh", "python train_CR_kaggle.py --batch_sz 4 --max_epochs 10 --gpu_ids 0,1\n")
    shown = trainlint("train.sh", "-t", "kaggle-t4x2", "--no-trace", *options).stdout
    assert ("how many training images? --dataset-size N" in " ".join(shown.split())) is said


def test_the_epochs_that_fit_one_session_are_a_fix_where_a_shorter_run_is_asked_for(findings) -> None:
    text = "python train_CR_kaggle.py --batch_sz 4 --max_epochs 10 --gpu_ids 0,1\n"
    options = ("-t", "kaggle-t4x2", "--dataset-size", "1000", "--seconds-per-iteration", "30")
    assert findings("train.sh", text, *options)["session-budget"]["fixes"] == []
    found = findings("train.sh", text, *options, "--allow-shorter")["session-budget"]
    assert any("max_epochs: 10 -> 4" in fix["summary"] for fix in found["fixes"])


@pytest.mark.parametrize(("state", "is_said"), [("net_g_latest.state", True), ("5000.state", False)])
def test_why_a_resumed_run_may_take_no_time_at_all(findings, state, is_said) -> None:
    """A range that begins at 0 h says why: a name without a number leaves open how much is behind it."""
    text = EXAMPLE.replace("resume_state: ~", f"resume_state: old/training_states/{state}")
    assert state in text
    found = findings("a.yml", text, "-t", "kaggle-t4x2", "--seconds-per-iteration", "0.4")
    notes = " ".join(found.get("session-straddles", {"notes": ()})["notes"])
    assert ("does not say how much of the run is left" in notes) is is_said


VALIDATION = """
  val: {name: mine, type: PairedImageDataset, dataroot_gt: a, dataroot_lq: b}
val: {val_freq: 1000}
network_g:
"""


@pytest.mark.parametrize(
    ("total", "options", "why"),
    [
        (60_000, (), "validation image size unknown: --validation-size HxW"),
        (
            60_000,
            ("--validation-size", "64x64"),
            "no stored profile of this step, and tracing is switched off",
        ),
        (60_000, ("--seconds-per-iteration", "0.1"), None),  # which is taken for the whole
        (400_000, (), None),  # longer than the session at its slow end even without
    ],
)
def test_a_run_whose_validation_is_not_timed_does_not_surely_fit(trainlint, total, options, why) -> None:
    text = EXAMPLE.replace("total_iter: 400000", f"total_iter: {total}")
    trainlint.write("a.yml", text.replace("\nnetwork_g:\n", VALIDATION))
    (result,) = trainlint.json("a.yml", "-t", "kaggle-t4x2", "--no-trace", *options)["results"]
    skipped = {one["rule"]: one["reason"] for one in result["skipped"]}
    assert skipped.get("session-straddles") == why
    found = {one["rule"] for one in result["findings"]}
    assert ("session-straddles" in found) is (total == 400_000)
    straddles = "warn" if total == 400_000 else "pass"
    assert result["verdicts"]["time"] == ("not-judged" if why else straddles)


NO_SAVE = ", no session of 9 h gets to a save ("


@pytest.mark.parametrize(
    ("every", "message", "line"),
    sampled(
        [
            (
                40_000,
                "but a session gives 9.0 h: it needs 5 to 13 sessions, resumed by hand",
                "43 to 104 h in 5 to 13 sessions of 9 h (",
            ),
            (
                360_000,
                "but a session gives 9.0 h: it needs 6 or more sessions, resumed by hand",
                " in 6 or more sessions of 9 h (",
            ),
            (
                500_000,
                "but a session gives 9.0 h: it needs 8 or more sessions, resumed by hand",
                " in 8 or more sessions of 9 h (",
            ),
            (900_000, "the run takes 43 to 104 h, but a session gives 9.0 h", NO_SAVE),
        ],
        2,
    ),
)
def test_the_sessions_are_those_of_both_ends(trainlint, findings, every, message, line) -> None:
    text = EXAMPLE.replace("total_iter: 400000", "total_iter: 4000000")
    text = text.replace("save_checkpoint_freq: !!float 4e4", f"save_checkpoint_freq: {every}")
    found = findings("a.yml", text, "-t", "kaggle-t4x2")["session-budget"]
    assert found["message"].endswith(message)
    slow = "at the slow end of the estimate the session is over before the first save"
    assert (slow in " ".join(found["notes"])) is (every in {360_000, 500_000})
    assert line in trainlint("a.yml", "--no-trace", "-t", "kaggle-t4x2", "-v").stdout


def test_a_log_and_given_seconds_at_once_are_refused(trainlint) -> None:
    trainlint.write("train.log", "iter: 1\n")
    trainlint.write("a.yml", EXAMPLE)
    done = trainlint("a.yml", "-t", "rtx-3060", "--log", "train.log", "--seconds-per-iteration", "0.5")
    assert done.returncode == 2
    assert "--log and --seconds-per-iteration both say how long a step takes" in done.stderr


def test_a_log_goes_before_the_seconds_of_the_settings(trainlint) -> None:
    trainlint.write("trainlint.toml", "seconds-per-iteration = 9.0\n")
    text = "".join(f"iter: {n:7,}, time (data): 0.500 (0.003)\n" for n in range(100, 2000, 100))
    trainlint.write("train.log", text)
    trainlint.write("a.yml", EXAMPLE)
    (result,) = trainlint.json("a.yml", "-t", "rtx-3060", "--log", "train.log", "--no-trace")["results"]
    assert result["facts"]["time"]["basis"] == "log"


def test_one_save_that_is_kept_is_said_by_its_files(trainlint) -> None:
    trainlint.write("train.sh", "python train_zoom23_autoencoder.py --img_size 512 --multi_gpu\n")
    shown = trainlint("train.sh", "-t", "kaggle-t4x2", "--dataset-size", "2000", "-v").stdout
    files = "latest_checkpoint.pth and best_checkpoint.pth of 456 MB each, and 304 MB at the end"
    assert f"1.2 GB of disk for {files}" in " ".join(shown.split())


@pytest.mark.parametrize(("epochs", "every", "judged"), [(22, 5, True), (30, 5, False), (30, 1, True)])
def test_a_disk_that_the_epochs_that_improve_may_fill_is_not_judged(trainlint, epochs, every, judged) -> None:
    flags = f"--data_path a --image_size 256 --num_epochs {epochs} --checkpoint_freq {every}"
    trainlint.write("train.sh", f"python train_vae.py {flags}\n")
    (result,) = trainlint.json("train.sh", "-t", "kaggle-p100", "--dataset-size", "2000")["results"]
    skipped = {one["rule"]: one["reason"] for one in result["skipped"]}
    assert ("checkpoint-disk" not in skipped) is judged
    assert judged or "each of which saves too" in skipped["checkpoint-disk"]
    failed = {one["rule"] for one in result["findings"]}
    assert ("checkpoint-disk" in failed) is (every == 1 and epochs == 30)


SAVED = "save_checkpoint_freq: !!float 4e4"
STATE = "resume_state: experiments/x/training_states/390000.state"


@pytest.fixture
def judged(trainlint):
    def run(name: str, text: str, *options):
        trainlint.write(name, text)
        done = trainlint(name, "--no-trace", "--format", "json", *options)
        return json.loads(done.stdout)["results"][0]

    return run


def test_what_a_resumed_run_has_saved_before_may_be_gone(judged) -> None:
    """400,000 iterations with a save every 400 fill 24 GB, and the last 10,000 of them 0.6 GB."""
    text = EXAMPLE.replace(SAVED, "save_checkpoint_freq: 400")
    options = ("-t", "kaggle-t4x2", "--seconds-per-iteration", "0.01", "--select", "checkpoint-disk")
    whole = judged("a.yml", text, *options)
    assert [one["rule"] for one in whole["findings"]] == ["checkpoint-disk"]
    rest = judged("b.yml", text.replace("resume_state: ~", STATE), *options)
    assert rest["findings"] == []
    assert rest["verdicts"]["disk"] == "not-judged"
    assert "what the sessions before it have left" in str(rest["skipped"])


def test_checkpoints_that_leave_no_room_for_logs_are_no_pass(judged) -> None:
    options = ("-t", "kaggle-t4x2", "--seconds-per-iteration", "0.01", "--select", "checkpoint-disk")
    each = judged("a.yml", EXAMPLE, *options)["facts"]["disk"]
    most = int((20e9 - each["final"]) // each["per_checkpoint"])
    text = EXAMPLE.replace("total_iter: 400000", f"total_iter: {most * 20_000}")
    found = judged("b.yml", text.replace(SAVED, "save_checkpoint_freq: 20000"), *options)
    disk = found["facts"]["disk"]
    assert disk["most"] <= 20e9 < disk["most"] + disk["logs"][1]
    assert found["verdicts"]["disk"] == "not-judged"
    assert "how much the run's logs take" in str(found["skipped"])


def test_images_of_an_unknown_number_are_no_pass_of_the_disk(judged) -> None:
    options = (
        "-t",
        "kaggle-t4x2",
        "--seconds-per-iteration",
        "0.01",
        "--select",
        "disk-images",
        "--select",
        "checkpoint-disk",
    )
    sets = "datasets:\n  val: {name: NAME, type: PairedImageDataset, dataroot_gt: NAME, dataroot_lq: lq}"
    text = EXAMPLE.replace("datasets:", sets) + "val: {val_freq: 5000, save_img: true}\n"
    known = judged("a.yml", text.replace("NAME", "Set5"), *options)
    assert known["verdicts"]["disk"] == "pass"
    unknown = judged("b.yml", text.replace("NAME", "mine"), *options)
    assert unknown["verdicts"]["disk"] == "not-judged"
    assert "how many images validation writes" in str(unknown["skipped"])


def test_train_vae_saves_its_first_epoch(judged) -> None:
    """Two hours an epoch: with --checkpoint_freq 10 there is a save long before the tenth."""
    line = "python train_vae.py --data_path d --image_size 256 --batch_size 4"
    line += " --num_epochs 100 --checkpoint_freq 10"
    options = ("-t", "kaggle-t4x2", "--dataset-size", "7200", "--select", "first-save-too-late")
    assert judged("vae.sh", line, *options, "--seconds-per-iteration", "4")["findings"] == []
    assert judged("vae.sh", line, *options, "--seconds-per-iteration", "40")["findings"]
