# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""One process that lints again, as the Python API, an editor and --watch do, sees what changed around it."""

from __future__ import annotations

from pathlib import Path

import pytest

import trainlint
from tests.warm_cache import warm
from trainlint.catalogue.signature import signature
from trainlint.cli.commands.lsp_command import CachedPipelines
from trainlint.cli.options.shared_options import SharedOptions
from trainlint.cli.watch import state_of
from trainlint.dialects.forgetting import forget
from trainlint.editor.document_service import Desk
from trainlint.files.text_source import source_of

from .conftest import NATIVE_JOB

SCRIPT = """\
import argparse
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data_path", type=str, required=True)
    parser.add_argument("--image_size", type=int, default=256)
    parser.add_argument("--batch_size", type=int, default=4)
    parser.add_argument("--mixed_precision", action="store_true")
    FLAG
    args = parser.parse_args()
main()
"""
FLAG = 'parser.add_argument("--new_flag", type=int)'
OPTIONS = SharedOptions()
COMMAND = "python train_vae.py --data_path x --image_size 256 --batch_size 4 --new_flag 3\n"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/HEAD").write_text("x", "utf-8")
    (tmp_path / "run.sh").write_text(COMMAND, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(warm(tmp_path.with_name(f"{tmp_path.name}-cache"))))
    return tmp_path


def of_flag(results) -> bool:
    return any("new_flag" in finding.message for result in results for finding in result.findings)


def test_the_python_interface_reads_the_source_again(tree: Path) -> None:
    seen = []
    for flag in ("pass", FLAG, "pass"):
        (tree / "train_vae.py").write_text(SCRIPT.replace("FLAG", flag), "utf-8")
        seen.append(of_flag(trainlint.check(["run.sh"], targets=["rtx-3060"], trace=False).results))
    assert seen == [True, False, True]


NETWORK = """\
import torch.nn as nn
BUILDERS = {"TinyNet": "TinyNet"}
class TinyNet(nn.Module):
    def __init__(self, WIDTH=8):
        super().__init__()
        self.body = nn.Conv2d(3, 3, 3)
    def forward(self, x):
        return self.body(x)
"""
RULE = """\
name: my-rule
level: warn
summary: a job has a batch
requires: [spec.batch.per_process]
assert: spec.batch.per_process > LIMIT
message: the batch is small
at: [spec.batch.per_process]
why: it is small
source: https://example.org
examples: {pass: [{spec: {batch.per_process: 100}}], fail: [{spec: {batch.per_process: 0}, says: small}]}
"""
CALLED = "python train_vae.py --data_path x --image_size 256 --batch_size 4 --FLAG 3\n"
AROUND = {
    "my-rule.yaml": (RULE, ("LIMIT", "0", "99"), NATIVE_JOB),
    "dist_train.sh": (CALLED, ("FLAG", "gradient_clip", "gradient_clop"), "bash dist_train.sh\n"),
}
"""What decides a verdict beside the config: its text, what changes in it, and the config."""


@pytest.mark.parametrize("name", AROUND)
def test_the_python_interface_reads_what_lies_around_again(tree: Path, name: str) -> None:
    text, (mark, *values), config = AROUND[name]
    path = tree / ("job.yml" if config is NATIVE_JOB else "run.sh")
    path.write_text(config, "utf-8")
    settings = {"rules": (tree / name,)} if name.endswith("rule.yaml") else {}
    seen = []
    for value in values:
        (tree / name).write_text(text.replace(mark, value), "utf-8")
        report = trainlint.check([path], targets=["rtx-3060"], trace=False, **settings)
        seen.append(repr([(one.outcome, one.findings, one.skips, one.facts) for one in report.results]))
    assert seen[0] != seen[1]


def test_a_network_of_ones_own_is_read_again(tree: Path) -> None:
    for width in ("width", "depth"):
        forget()
        (tree / "tiny.py").write_text(NETWORK.replace("WIDTH", width), "utf-8")
        taken = signature("trainlint", "TinyNet", (tree / "tiny.py",))
        assert taken is not None
        assert list(taken.params) == [width]


def test_an_editor_that_looks_again_reads_the_source_again(tree: Path) -> None:
    desk = Desk(CachedPipelines(), targets=("rtx-3060",))
    source = source_of(COMMAND.encode(), "run.sh")
    seen = []
    for flag in ("pass", FLAG):
        (tree / "train_vae.py").write_text(SCRIPT.replace("FLAG", flag), "utf-8")
        desk.forget()
        seen.append(of_flag(desk.results(source)))
    assert seen == [True, False]


@pytest.mark.parametrize(
    "name",
    [
        "train_vae.py", "requirements.txt", "my_rules/a.yaml", "my_schemas/a.json", "my_gpus.toml",
        ".trainlint/profiles/0.tape", "trainlint.toml", "scripts/dist.sh",
    ],
)  # fmt: skip
def test_watch_runs_again_when_anything_changes_that_decides_a_verdict(tree: Path, name: str) -> None:
    (tree / "trainlint.toml").write_text("# settings\n", "utf-8")
    before = state_of(["run.sh"], OPTIONS)
    (tree / name).parent.mkdir(parents=True, exist_ok=True)
    (tree / name).write_text("# changed\n\n", "utf-8")
    assert state_of(["run.sh"], OPTIONS) != before


def test_watch_does_not_run_again_for_what_a_run_writes(tree: Path) -> None:
    before = state_of(["run.sh"], OPTIONS)
    (tree / ".cache").mkdir()
    (tree / ".cache/report.json").write_text("{}", "utf-8")
    (tree / "picture.png").write_bytes(b"1")
    assert state_of(["run.sh"], OPTIONS) == before
