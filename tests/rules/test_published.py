"""Published configs: their known bugs are found at their lines, and nothing else of upstream fails."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from trainlint.errors import UnreadableError
from trainlint.hardware import Target, load_hardware
from trainlint.judge.finding import Level
from trainlint.normalise import normalise, recognise
from trainlint.read import load_source, read

from .examples import dialects, shipped

Found = tuple[str, str, int]

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
]
"""(file, rule, line): bugs that were checked against each project's own loader or code."""

UPSTREAM = ("XPixelGroup__BasicSR", "XPixelGroup__HAT", "megvii-research__NAFNet")
TRUE_FAILS = {"queue-not-divisible", "network-arguments", "pretrained-scale"}
"""Rules that are right to fail there: without a launcher eight GPUs share one pool, and the bugs above."""


@pytest.fixture(scope="module")
def eight() -> Target:
    return load_hardware(()).target("8x:a100-80gb")


def findings(file: Path, target: Target) -> Iterator[tuple[str, Level, int]]:
    for document in read(load_source(str(file))):
        dialect = recognise(document, dialects())
        for job in normalise(document, dialect) if dialect else ():
            for found in shipped().judge(job, target)[0]:
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
             if level is Level.FAIL}  # fmt: skip
    assert len(files) > 70
    assert {rule for _, rule in fails} <= TRUE_FAILS
    assert len(fails) < 12


def test_every_published_file_is_judged_without_an_error(shared: Path, eight: Target) -> None:
    judged = 0
    with (shared / "corpus" / "INDEX.csv").open(encoding="utf-8") as index:
        for row in csv.DictReader(index):
            try:
                judged += len(list(findings(shared / "corpus" / row["file"], eight))) >= 0
            except UnreadableError:
                continue
    assert judged > 600
