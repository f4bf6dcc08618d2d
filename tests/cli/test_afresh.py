# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""One process that lints again, as the Python API, an editor and --watch do, sees what changed around it."""

from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

import trainlint
from bench.hostile.texts import profile_of
from tests.estimate.mutants import opened, seal
from tests.warm_cache import warm
from trainlint.catalogue.signature import signature
from trainlint.cli import watch as watching
from trainlint.cli.commands.lsp_command import CachedPipelines
from trainlint.cli.main import run
from trainlint.cli.options.settings_from_options import settings_from
from trainlint.cli.options.shared_options import SharedOptions
from trainlint.cli.watch import Looked
from trainlint.dialects.forgetting import forget
from trainlint.editor.document_service import DocumentService
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
COMMAND = "python train_vae.py --data_path x --image_size 256 --batch_size 4 --new_flag 3\n"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/HEAD").write_text("x", "utf-8")
    (tmp_path / "run.sh").write_text(COMMAND, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(warm(tmp_path.with_name(f"{tmp_path.name}-cache"))))
    return tmp_path


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
DIALECT = """\
{"x-trainlint": {"id": "tiny", "title": "tiny", "loader": "pyyaml", "formats": ["yaml"], "unknown": "reject",
  "trainer": {"forks": false}, "recognise": {"when": "'tinysr' in flat"}},
 "type": "object", "additionalProperties": false, "properties": {"tinysr": {"const": VALUE}}}
"""
GPUS = """\
[gpu.mine]
compute_capability = 8.6
smi_mib = MIB
"""
EXAMPLE = Path(__file__).parents[2] / "examples" / "msrresnet_x4.yml"
TORCH = "torch==VERSION\n"
MODERN = NATIVE_JOB + "precision: bf16\n"


class Kind(NamedTuple):
    """A file that decides a verdict with the config: its text, what changes in it, and the config."""

    text: str
    mark: str
    values: tuple[str, str]
    config: str
    settings: str = ""
    target: str = "rtx-3060"


AROUND = {
    "my-rule.yaml": Kind(RULE, "LIMIT", ("0", "99"), NATIVE_JOB, 'rules = "my-rule.yaml"'),
    "dist_train.sh": Kind(CALLED, "FLAG", ("gradient_clip", "gradient_clop"), "bash dist_train.sh\n"),
    "train_vae.py": Kind(SCRIPT, "FLAG", ("pass", FLAG), COMMAND),
    "schemas/tiny.json": Kind(DIALECT, "VALUE", ("1", "2"), "tinysr: 1\n", 'schemas = "schemas"'),
    "my_gpus.toml": Kind(GPUS, "MIB", ("24000", "3000"), EXAMPLE.read_text("utf-8"),
                         'gpus = "my_gpus.toml"', "mine"),
    "requirements.txt": Kind(TORCH, "VERSION", ("1.7.0", "2.5.0"), COMMAND.replace("python", "torchrun")),
    "Dockerfile": Kind("RUN pip install torch==VERSION\n", "VERSION", ("1.7.0", "2.5.0"),
                       COMMAND.replace("python", "torchrun")),
    "trainlint.toml": Kind('ignore = ["RULE"]\n', "RULE", ("vram-budget", "unknown-key"), COMMAND),
    ".trainlint/profiles/PROFILE": Kind("", "", ("50", "1"), EXAMPLE.read_text("utf-8")),
}  # fmt: skip

QUICK = "dist_train.sh"
NAMES = [pytest.param(name, marks=[pytest.mark.rest] * (name != QUICK)) for name in AROUND]


def once(tree: Path, name: str) -> str:
    """Lay out what is judged; return the name of the config."""
    kind = AROUND[name]
    config = "job.yml" if kind.config.startswith(("trainlint", "tinysr", "#", "name")) else "run.sh"
    (tree / "train_vae.py").write_text(SCRIPT.replace("FLAG", "pass"), "utf-8")
    (tree / "run.sh").unlink()
    (tree / config).write_text(kind.config, "utf-8")
    (tree / "trainlint.toml").write_text(f'target = "{kind.target}"\n{kind.settings}\n', "utf-8")
    return config


def change(tree: Path, name: str, turn: int) -> None:
    """Write the file's text of a turn."""
    kind = AROUND[name]
    if name.endswith("PROFILE"):
        write_profile(tree / ".trainlint/profiles", int(kind.values[turn]))
        return
    path = tree / name
    path.parent.mkdir(exist_ok=True)
    before = 'target = "rtx-3060"\n' if name == "trainlint.toml" else ""
    path.write_text(before + kind.text.replace(kind.mark, kind.values[turn]), "utf-8")


def write_profile(folder: Path, times: int) -> None:
    """Store the shipped profile of the example, as if it had been traced with larger tensors."""
    found = profile_of(EXAMPLE.read_bytes())
    assert found is not None
    header, body = opened(found[1])
    body["sizes"]["batch"] = [size * times for size in body["sizes"]["batch"]]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / found[0]).write_bytes(seal(header, body))


def said(results) -> str:
    return repr([(one.outcome, one.findings, one.skips, one.facts) for one in results])


@pytest.mark.parametrize("name", NAMES)
def test_the_python_interface_reads_what_lies_around_again(tree: Path, name: str) -> None:
    config, seen = once(tree, name), []
    for turn in (0, 1, 0):
        change(tree, name, turn)
        seen.append(said(trainlint.check([config], trace=False).results))
    assert seen[0] != seen[1]
    assert seen[0] == seen[2]


@pytest.mark.parametrize("name", NAMES)
def test_an_editor_that_looks_again_reads_what_lies_around_again(tree: Path, name: str) -> None:
    config, seen, desk = once(tree, name), [], DocumentService(CachedPipelines())
    source = source_of((tree / config).read_bytes(), config)
    for turn in (0, 1, 0):
        change(tree, name, turn)
        desk.forget()
        seen.append(said(desk.results(source)))
    assert seen[0] != seen[1]
    assert seen[0] == seen[2]


@pytest.mark.parametrize("name", NAMES)
def test_watch_runs_again_and_reads_what_lies_around_again(
    tree: Path, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config, turns, seen = once(tree, name), iter((1, 0)), []
    change(tree, name, 0)

    def changed(state, look) -> None:
        seen.append(json.loads(capsys.readouterr().out)["results"])
        turn = next(turns, None)
        if turn is None:
            raise KeyboardInterrupt
        change(tree, name, turn)
        assert look() != state

    monkeypatch.setattr(watching, "wait", changed)
    with pytest.raises(SystemExit):
        run(["check", config, "--no-trace", "--watch", "--format", "json"])
    assert len(seen) == 3
    assert seen[0] != seen[1]
    assert seen[0] == seen[2]


def test_a_network_of_ones_own_is_read_again(tree: Path) -> None:
    for width in ("width", "depth"):
        forget()
        (tree / "tiny.py").write_text(NETWORK.replace("WIDTH", width), "utf-8")
        taken = signature("trainlint", "TinyNet", (tree / "tiny.py",))
        assert taken is not None
        assert list(taken.params) == [width]


WIDE = """\
import torch.nn as nn
BUILDERS = {"TinyNet": "TinyNet"}
class TinyNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Conv2d(3, WIDTH, 3, padding=1)
        self.tail = nn.Conv2d(WIDTH, 3, 3, padding=1)
    def forward(self, x):
        return self.tail(self.body(x))
"""
OWN_JOB = """\
trainlint: 1
model: TinyNet
input: [3, 256, 256]
target: [3, 256, 256]
batch: 16
optimizer: Adam
loss: mse
"""


@pytest.mark.torch
def test_a_network_of_ones_own_is_traced_again(tree: Path) -> None:
    """Its code was kept by the file's name: a network of 512 channels passed with the memory of one of 8."""
    (tree / "job.yml").write_text(OWN_JOB, "utf-8")
    needed = []
    for width in ("008", "512", "008"):  # the same length, and the same time below: only the text tells
        (tree / "tiny.py").write_text(WIDE.replace("WIDTH", f"int('{width}')"), "utf-8")
        os.utime(tree / "tiny.py", (1, 1))
        (result,) = trainlint.check("job.yml", "rtx-4090", networks=["tiny.py"]).results
        assert result.facts.memory is not None
        needed.append(result.facts.memory.gpus[0].least)
    assert needed[1] > 5 * needed[0]
    assert needed[0] == needed[2]
    assert not (tree / "__pycache__").exists()


def looked(path: str) -> Looked:
    return Looked([path], partial(settings_from, [path], SharedOptions()))


@pytest.mark.parametrize(
    "name",
    [
        "train_vae.py", "requirements.txt", "my_rules/a.yaml", "my_schemas/a.json", "my_gpus.toml",
        ".trainlint/profiles/0.tape", ".trainlint/profiles/0.sides", "trainlint.toml", "scripts/dist.sh",
        "Dockerfile", "run_without_an_ending", "meta_info.txt",
    ],
)  # fmt: skip
def test_watch_runs_again_when_anything_changes_that_decides_a_verdict(tree: Path, name: str) -> None:
    (tree / "trainlint.toml").write_text("# settings\n", "utf-8")
    before = looked("run.sh").state()
    (tree / name).parent.mkdir(parents=True, exist_ok=True)
    (tree / name).write_text("# changed\n\n", "utf-8")
    assert looked("run.sh").state() != before


def test_watch_does_not_run_again_for_what_a_run_writes(tree: Path) -> None:
    before = looked("run.sh").state()
    (tree / ".cache").mkdir()
    (tree / ".cache/report.json").write_text("{}", "utf-8")
    (tree / "picture.png").write_bytes(b"1")
    assert looked("run.sh").state() == before


def test_watch_does_not_run_again_for_what_it_prints(tree: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """`trainlint --watch > findings` in the tree itself: each run's report was a reason for the next run."""
    with (tree / "findings").open("w", encoding="utf-8") as report, capfd.disabled():
        kept = os.dup(1)
        os.dup2(report.fileno(), 1)
        try:
            before = looked("run.sh").state()
            os.write(1, b"no findings\n")
            assert looked("run.sh").state() == before
        finally:
            os.dup2(kept, 1)
            os.close(kept)
    assert looked("run.sh").state() != before


def test_watch_looks_at_what_options_name(tmp_path: Path, tree: Path) -> None:
    (tree / "data").mkdir()
    (tmp_path.parent / "t.log").write_text("a", "utf-8")
    options = partial(settings_from, ["run.sh"], SharedOptions())
    seen = Looked(["run.sh"], options, (str(tmp_path.parent / "t.log"),), tree / "data")
    before = seen.state()
    (tree / "data/a.png").write_bytes(b"1")
    after = seen.state()
    assert after != before
    (tmp_path.parent / "t.log").write_text("ab", "utf-8")
    assert seen.state() != after
