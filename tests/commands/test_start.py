# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The command that starts an option file: found around it, read as its trainer reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainlint.commands.override import overridden, override_of
from trainlint.dialects import load_dialects, normalise, recognise
from trainlint.documents.file_format import read
from trainlint.model.document import Source
from trainlint.pipeline.checkout_commands import MOST_STARTS, Checkout

TRAIN = "basicsr/train.py -opt options/x4.yml"
DIST_TRAIN = """\
#!/usr/bin/env bash
GPUS=$1
CONFIG=$2
PORT=${PORT:-4321}
if [ $# -lt 2 ]; then
  exit
fi
python -m torch.distributed.launch --nproc_per_node=$GPUS --master_port=$PORT \\
    basicsr/train.py -opt $CONFIG --launcher pytorch ${@:3}
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name, text in (
        (".git/HEAD", ""),
        ("basicsr/train.py", ""),
        ("options/x4.yml", "name: x4\ntrain:\n  total_iter: 1000\n"),
        ("scripts/dist_train.sh", DIST_TRAIN),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def starts(config: str = "options/x4.yml"):
    return Checkout(load_dialects()).starts(config)


def page(folder: Path, *commands: str, name: str = "README.md") -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("# Train\n\n```bash\n" + "\n".join(commands) + "\n```\n", "utf-8")


def test_a_page_says_how_an_option_file_is_started(tree: Path) -> None:
    page(
        tree,
        f"CUDA_VISIBLE_DEVICES=0,1 torchrun --nproc_per_node=2 {TRAIN} --launcher pytorch --auto_resume"
        " --force_yml train:total_iter=5",
    )
    (start,) = starts()
    assert (start.place, start.launcher, start.processes) == ("README.md:4", "pytorch", 2)
    assert (start.visible, start.auto_resume) == (2, True)
    assert [(one.path, one.value) for one in start.overrides] == [(("train", "total_iter"), 5)]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (f"python {TRAIN}", ("none", None)),
        (f"python -m torch.distributed.launch --nproc_per_node=8 {TRAIN} --launcher pytorch", ("pytorch", 8)),
        (f"srun -p gpu --ntasks=4 python -u {TRAIN} --launcher=slurm", ("slurm", 4)),
        (f"srun -p gpu -n 4 python -u {TRAIN} --launcher=slurm", ("slurm", 4)),
        (f"accelerate launch --num_processes 3 {TRAIN} --launcher pytorch", ("pytorch", 3)),
        (f"accelerate launch --config_file two.yaml {TRAIN} --launcher pytorch", ("pytorch", 2)),
        ("./scripts/dist_train.sh 4 options/x4.yml", ("pytorch", 4)),
        ("bash scripts/dist_train.sh 4 options/x4.yml --auto_resume", ("pytorch", 4)),
    ],
)
def test_launchers_and_wrappers(tree: Path, command: str, expected: tuple[str, int | None]) -> None:
    (tree / "two.yaml").write_text("num_processes: 2\n", "utf-8")
    page(tree, command)
    (start,) = starts()
    assert (start.launcher, start.processes) == expected
    assert start.auto_resume == ("--auto_resume" in command)


def test_other_files_and_other_folders_are_not_started(tree: Path) -> None:
    page(tree, "python basicsr/train.py -opt options/x2.yml", "python basicsr/train.py -opt x4.yml")
    assert starts() == ()


def test_a_folder_that_an_earlier_block_changes_into_counts(tree: Path) -> None:
    blocks = ("cd options", "python train.py -opt x2.yml", "python ../basicsr/train.py -opt x4.yml")
    text = "\n".join(f"```bash\n{block}\n```\n" for block in blocks)
    (tree / "README.md").write_text(text, "utf-8")
    assert [start.place for start in starts()] == ["README.md:10"]
    (tree / "README.md").write_text(text.replace("cd options", "ls options"), "utf-8")
    assert starts() == ()


def test_the_same_run_counts_once_and_too_many_ways_count_for_nothing(tree: Path) -> None:
    page(tree, f"python {TRAIN}", f"python -u {TRAIN}")
    assert [start.place for start in starts()] == ["README.md:4"]
    ways = (f"python {TRAIN} --force_yml train:total_iter={n}" for n in range(MOST_STARTS + 1))
    page(tree, *ways, name="docs/more.md")
    assert starts() == ()


def test_a_script_is_run_where_it_and_its_option_file_are(tree: Path) -> None:
    (tree / "scripts/options").mkdir()
    (tree / "scripts/options/x4.yml").write_text("name: other\n", "utf-8")
    page(tree, f"python {TRAIN}", name="scripts/notes.md")
    assert len(starts()) == 1
    assert starts("scripts/options/x4.yml") == ()


def test_no_link_is_followed_out(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    page(outside, f"python {TRAIN} --auto_resume")
    (outside / "run_train.sh").write_text(DIST_TRAIN, "utf-8")
    (tree / "docs").symlink_to(outside)
    (tree / "NOTES.md").symlink_to(outside / "README.md")
    (tree / "scripts/linked.sh").symlink_to(outside / "run_train.sh")
    page(tree, "./scripts/linked.sh 4 options/x4.yml", "../outside/run_train.sh 4 options/x4.yml")
    assert starts() == ()


def test_scripts_that_call_each_other_end(tree: Path) -> None:
    (tree / "scripts/train_a.sh").write_text("bash scripts/train_b.sh $@\n" * 3, "utf-8")
    (tree / "scripts/train_b.sh").write_text("bash scripts/train_a.sh $@\n" * 3, "utf-8")
    page(tree, "bash scripts/train_a.sh options/x4.yml")
    assert starts() == ()


def test_arguments_are_shifted_and_counted(tree: Path) -> None:
    script = (
        'N=$1; shift\ntorchrun --nproc_per_node=$N basicsr/train.py -opt "$1" --launcher pytorch "${@:2}"\n'
    )
    (tree / "scripts/train.sh").write_text(script, "utf-8")
    page(tree, "sh scripts/train.sh 2 options/x4.yml --auto_resume")
    (start,) = starts()
    assert (start.processes, start.auto_resume) == (2, True)


def test_files_of_one_folder_with_one_name(tree: Path) -> None:
    train = "name: x4  # as the other\ntrain:\n  total_iter: 5\n"
    (tree / "options/x4_b.yml").write_text(train, "utf-8")
    (tree / "options/x4_test.yml").write_text("name: x4\nval: {}\n", "utf-8")
    page(tree, f"python {TRAIN} --auto_resume")
    (start,) = starts()
    assert start.namesakes == ("x4_b.yml",)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a:b=8", 8), ("a:b=0.5", 0.5), ("a:b=none", None), ("a:b=TRUE", True), ("a:b=1e-4", "1e-4"),
        ("a:b=!!float 1e-4", 1e-4), ("a:b=[1, 2]", [1, 2]), ("a:b=-1", "-1"), ("a:b=[open('x')]",
        "[open('x')]"),
    ],
)  # fmt: skip
def test_words_of_force_yml_are_read_as_basicsr_reads_them(text: str, value: object) -> None:
    found = override_of(text)
    assert found is not None
    assert (found.path, found.value) == (("a", "b"), value)


def test_a_value_that_a_command_sets_says_so() -> None:
    (document,) = read(Source("x4.yml", "train:\n  total_iter: 1000\n"))
    words = [override_of("train:total_iter=5"), override_of("val:freq=1")]
    changed, lost = overridden(document, [one for one in words if one], "README.md:4")
    assert changed.value == {"train": {"total_iter": 5}}
    assert document.value == {"train": {"total_iter": 1000}}
    assert changed.meta["borrowed"] == {("train", "total_iter"): "README.md:4"}
    assert [one.text for one in lost] == ["val:freq=1"]


def test_a_called_scripts_values_stand_at_the_call(tree: Path) -> None:
    text = "./scripts/dist_train.sh 4 options/x4.yml"
    (document,) = read(Source("run.sh", f"echo hi\n{text} # train\n"))
    assert {document.raw(path) for path in document.places} == {text}
    dialect = recognise(document, load_dialects())
    (job,) = normalise(document, dialect)
    assert (job.spec["gpus"], job.spec["options"]["opt"]) == (4, "options/x4.yml")
    assert [problem.rule for problem in job.problems] == []
