# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Published configs: their known bugs are found at their lines, and nothing else of upstream fails."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sampling import sampled
from trainlint.dialects import normalise, recognise
from trainlint.documents.file_format import read
from trainlint.errors import UnreadableError
from trainlint.estimate.run.placement import place_job
from trainlint.files.text_source import load_source
from trainlint.hardware import load_hardware
from trainlint.model.finding import Level
from trainlint.model.launcher import Launcher
from trainlint.model.placing import Placing
from trainlint.model.target import Target

from .examples import dialects, shipped

Found = tuple[str, str, int]

REDUX = "the-database__traiNNer-redux/options/_templates/train"
CALIBRATED = "delafer__traiNNer-redux/options/train/ParagonSR2/previous/2xParagonSR2_Nano_AUTO_CALIBRATED.yml"
KNOWN = [
    ("XPixelGroup__HAT/options/train/train_HAT_SRx4_finetune_from_SRx2.yml", "pretrained-scale", 76),
    ("XPixelGroup__BasicSR/options/train/EDVR/train_EDVR_L_x4_SR_REDS.yml", "network-arguments", 50),
    ("XPixelGroup__BasicSR/options/train/EDVR/train_EDVR_L_x4_SR_REDS_woTSA.yml", "network-arguments", 50),
    ("xinntao__EDVR/options/train/RCAN/train_RCAN_x2.yml", "network-scale", 53),
    ("cgwu1999__BasicSR4LF/BasicSR/options/train/final.yml", "unknown-key", 6),
    ("cgwu1999__BasicSR4LF/BasicSR/options/train/final_x4.yml", "unknown-key", 6),
    ("cgwu1999__BasicSR4LF/BasicSR/options/train/final_t_x4.yml", "unknown-key", 6),
    ("dslisleedh__PLKSR/options/train/train_PLKSR_DIV2K_X3_64_28_0.25_17.yaml", "milestones-beyond", 69),
    ("Weepingchestnut__LbasicSR/options/train/VideoINR/train_VideoINR_scratch.yml", "schedule-cut", 106),
    ("muyuliyan__BasicSR_cp/options/train/MRI/train_OASIS_SRResNet_x4.yml", "schedule-cut", 88),
    ("Phhofm__traiNNer-redux/options/train/ParagonSR/toy_paragonsr_s.yml", "ema-short", 83),
    (
        "the-database__traiNNer-redux/options/_templates/train/MAN/MAN_OTF_fidelity.yml",
        "milestones-order",
        153,
    ),
    ("xinntao__Real-ESRGAN/options/train_realesrgan_x4plus.yml", "queue-not-divisible", 34),
    (f"{REDUX}/PLKSR/PLKSR_OTF_fidelity.yml", "queue-not-divisible", 56),
    (f"{REDUX}/LKFMixer/LKFMixer_B_OTF_gan.yml", "schedule-cut", 162),
    (CALIBRATED, "number-as-string", 50),
    (CALIBRATED, "number-as-string", 55),
    (CALIBRATED, "wrong-value", 17),  # the lmdb backend, a folder that does not end in .lmdb
    (CALIBRATED, "wrong-value", 18),
    ("Phhofm__traiNNer-redux/options/train/ParagonSR/toy_paragonsr_tiny.yml", "ema-short", 83),
]
"""(file, rule, line): bugs that were checked against each project's own loader or code."""

UPSTREAM = ("XPixelGroup__BasicSR", "XPixelGroup__HAT", "megvii-research__NAFNet")
TRUE_FAILS = {"queue-not-divisible", "network-arguments", "pretrained-scale"}
"""Rules that are right to fail there: without a launcher eight GPUs share one pool, and the bugs above."""

SETTLED = {"misspelt-name"}
"""Rules whose fails the command makes warnings where it has the config alone."""


CLOSED = {
    "the-database__traiNNer-redux": {"queue-not-divisible": 5},
    "neosr-project__neosr": {},
    "cszn__KAIR": {},
}
"""Upstream files of other dialects: what fails there, each a bug of the file; one of neosr cannot be read."""


@pytest.fixture(scope="module")
def eight() -> Target:
    return load_hardware(()).target("8x:a100-80gb")


def findings(file: Path, target: Target) -> Iterator[tuple[str, Level, int]]:
    for document in read(load_source(str(file))):
        dialect = recognise(document, dialects())
        for job in normalise(document, dialect) if dialect else ():
            placed = place_job(job, Placing(target, Launcher("none", "flag")))
            for found in shipped().judge(placed, target)[0]:
                yield found.rule, found.level, document.source.position(found.spans[0].start)[0]


@pytest.mark.parametrize(("file", "rule", "line"), KNOWN)
def test_a_known_bug_is_found_at_its_line(
    shared: Path, eight: Target, file: str, rule: str, line: int
) -> None:
    assert (rule, line) in [(name, at) for name, _, at in findings(shared / "corpus" / file, eight)]


def test_upstream_files_raise_no_false_fail(shared: Path, eight: Target) -> None:
    with (shared / "corpus" / "INDEX.csv").open(encoding="utf-8") as index:
        files = [row["file"] for row in csv.DictReader(index) if row["file"].startswith(UPSTREAM)]
    fails = {(file, rule) for file in files for rule, level, _ in findings(shared / "corpus" / file, eight)
             if level is Level.FAIL and rule not in SETTLED}  # fmt: skip
    assert len(files) > 70
    assert {rule for _, rule in fails} <= TRUE_FAILS
    assert len(fails) < 12


@pytest.mark.parametrize("repository", sampled([*CLOSED], 1))
def test_other_upstreams_fail_where_they_are_wrong(shared: Path, eight: Target, repository: str) -> None:
    machine = eight if repository == "cszn__KAIR" else load_hardware(()).target("a100-80gb")
    fails: Counter[str] = Counter()
    for file in sorted((shared / "corpus" / repository).rglob("*.*")):
        try:
            found = list(findings(file, machine))
        except UnreadableError:
            assert file.name == "train_dctlsa.toml"
            continue
        fails.update(rule for rule, level, _ in found if level is Level.FAIL)
    assert fails == CLOSED[repository]


def test_an_option_file_that_a_readme_misnames(shared: Path, eight: Target, tmp_path: Path) -> None:
    """KAIR's README_SwinIR.md names two files that have another name in the repository."""
    upstream = shared / "corpus" / "cszn__KAIR" / "options" / "swinir"
    (tmp_path / "options" / "swinir").mkdir(parents=True)
    for file in upstream.iterdir():
        (tmp_path / "options" / "swinir" / file.name).touch()
    with (shared / "corpus" / "commands.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["path"] == "docs/README_SwinIR.md"]
    script = tmp_path / "all.sh"
    script.write_text("".join(row["cmd"] + "\n" for row in rows), "utf-8")
    missing = [line for rule, _, line in findings(script, eight) if rule == "missing-file"]
    assert missing == [at for at, row in enumerate(rows, 1) if row["opt_exists"] == "False"]
    assert len(missing) == 2


@pytest.mark.parametrize("step", [50, pytest.param(1, marks=pytest.mark.rest)])
def test_every_published_file_is_judged_without_an_error(shared: Path, eight: Target, step: int) -> None:
    judged = 0
    with (shared / "corpus" / "INDEX.csv").open(encoding="utf-8") as index:
        for row in [*csv.DictReader(index)][::step]:
            try:
                judged += len(list(findings(shared / "corpus" / row["file"], eight))) >= 0
            except UnreadableError:
                continue
    assert judged > 600 // step
