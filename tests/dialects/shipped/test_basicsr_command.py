# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How trainers with an option file are started: the command is known, the run stands in the file it names."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainlint.dialects import normalise, recognise
from trainlint.documents.file_format import read
from trainlint.model.document import Source

from .dialect_jobs import dialects


def job(text: str, name: str = "run.sh"):
    (document,) = read(Source(name, text))
    dialect = recognise(document, dialects())
    return None if dialect is None else normalise(document, dialect)[0]


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("python basicsr/train.py -opt options/x4.yml", "options/x4.yml"),
        ("python train.py -opt options.toml", "options.toml"),
        ("python train.py --auto_resume -opt ./options/span.yaml", "./options/span.yaml"),
        ("python train_ClassSR.py -opt options/train_ClassSR_RCAN.yml", "options/train_ClassSR_RCAN.yml"),
        ("python main_train_gan.py --opt options/gan.json", "options/gan.json"),
        ("python plksr/train.py -opt=options/x2.yml", "options/x2.yml"),
    ],
)
def test_a_script_that_takes_an_option_file(command: str, named: str) -> None:
    made = job(command)
    assert made is not None
    assert (made.dialect.id, made.spec["options"]["opt"]) == ("basicsr-command", named)


def test_an_option_file_behind_a_variable() -> None:
    for text, name in (
        ("python -u train.py -opt $CONFIG --launcher none", "run.sh"),
        ('start python train.py -opt "%FILEPATH%"', "run.bat"),
    ):
        assert job(text, name).dialect.id == "basicsr-command"


def test_an_optimizer_is_no_option_file() -> None:
    text = "python train.py /data --model resnet50 --opt adamw --sched cosine --batch-size 64 --epochs 3"
    assert job(text).dialect.id == "timm"
    assert job("python train.py --opt adamw") is None


def test_a_quoted_command_of_several_lines() -> None:
    text = """\
> GLOG_vmodule=MemcachedClient=-1 \\
> srun -p [partition] --mpi=pmi2 --gres=gpu:4 --ntasks=4 \\
> python -u basicsr/train.py -opt options/edvr.yml --launcher="slurm"
"""
    made = job(text, "notes.md")
    assert (made.dialect.id, made.spec["launcher"]) == ("basicsr-command", "slurm")


@pytest.fixture
def tree(tmp_path):
    (tmp_path / ".git").mkdir()
    for folder in ("options/swinir", "docs"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "options/swinir/train_sr_x4_psnr.json").touch()

    def told(named: str) -> list[str]:
        page = tmp_path / "docs" / "README.md"
        text = f"```bash\npython main_train_psnr.py --opt {named}\n```\n"
        page.write_text(text, "utf-8")
        problems = job(text, str(page)).problems
        return [problem.message for problem in problems if problem.rule == "missing-file"]

    return told


def test_a_missing_option_file(tree) -> None:
    (message,) = tree("options/swinir/train_sr_psnr.json")
    assert message.endswith('its folder is; did you mean "options/swinir/train_sr_x4_psnr.json"?')
    (message,) = tree("options/swinir/Train_SR_x4_PSNR.json")  # as older pages write it
    assert message.endswith('did you mean "options/swinir/train_sr_x4_psnr.json"?')
    assert tree("options/swinir/other.json") == [
        '"options/swinir/other.json" is not there, though its folder is'
    ]


def test_a_page_of_a_repository_says_to_change_into_it(tmp_path: Path) -> None:
    (tmp_path / "codes" / "options").mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    (tmp_path / "codes" / "options" / "a.yml").write_text("", "utf-8")
    page = tmp_path / "README.md"
    for name, missing in (("a.yml", 0), ("b.yml", 1)):
        text = (
            "```\ngit clone x\ncd net\n```\n\n```\ncd codes\n```\n\n"
            f"```\npython train.py -opt options/{name} --launcher none\n```\n"
        )
        page.write_text(text, "utf-8")
        problems = job(text, str(page)).problems
        assert len([problem for problem in problems if problem.rule == "missing-file"]) == missing


def test_a_script_of_another_folder_is_not_missed_for_the_dot_before_it(tmp_path) -> None:
    page = tmp_path / "run.sh"
    text = "python ./main_train_psnr.py --opt options/own.json\n"
    page.write_text(text, "utf-8")
    assert [problem for problem in job(text, str(page)).problems if problem.rule == "missing-file"] == []


@pytest.mark.parametrize(("verb", "missing"), [("Create", 0), ("See", 1)])
def test_a_page_may_have_its_reader_make_the_file(tmp_path, verb, missing) -> None:
    (tmp_path / "options").mkdir()
    page = tmp_path / "README.md"
    text = f"{verb} `options/own.yml`:\n\n```\npython train.py -opt options/own.yml\n```\n"
    page.write_text(text, "utf-8")
    problems = job(text, str(page)).problems
    assert len([problem for problem in problems if problem.rule == "missing-file"]) == missing


@pytest.mark.parametrize(("remote", "missing"), [("me/own-net", []), ("me/KAIR.git", ["main_train_vrt.py"])])
def test_a_page_that_goes_into_a_clone_of_another_repository(tmp_path, remote, missing) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text(
        f'[remote "origin"]\n\turl = https://github.com/{remote}\n', "utf-8"
    )
    (tmp_path / "options").mkdir()
    (tmp_path / "options" / "vrt.json").touch()
    (tmp_path / "main_train_psnr.py").touch()
    page = tmp_path / "README.md"
    text = (
        "```bash\ngit clone https://github.com/cszn/KAIR\ncd KAIR\n"
        "python main_train_vrt.py --opt options/vrt.json\n```\n"
    )
    page.write_text(text, "utf-8")
    found = [problem.message for problem in job(text, str(page)).problems if problem.rule == "missing-file"]
    assert found == [f'"{name}" is not there' for name in missing]


@pytest.mark.parametrize(
    "named",
    [
        "options/swinir/train_sr_x4_psnr.json",  # there
        "options/vrt/train.json",  # no such folder: another tree
        "train.json",  # no folder at all
        "options/swinir/my_own.json",  # the reader's
        "options/swinir/$NAME.json",
        "/options/swinir/a.json",
        "../options/swinir/a.json",
    ],
)
def test_what_cannot_be_told_missing(tree, named: str) -> None:
    assert tree(named) == []


def test_flags_that_the_scripts_own_parser_does_not_have() -> None:
    told = {
        command: [problem.message for problem in job(command).problems]
        for command in (
            "python basicsr/train.py -opt a.yml --gpus 2",
            "python basicsr/train.py -opt a.yml --launcher pytorch --auto_resume --debug",
            "python train.py -opt a.yml --gpus 2",
            "python main_train_psnr.py --opt a.json --launcher pytorch --dist True",
            "python main_train_psnr.py --opt a.json --gpus 2",
        )
    }
    first, *others, last = told.values()
    assert others == [[], [], []]
    assert last == first
    assert first == ["unrecognized arguments: --gpus 2"]
