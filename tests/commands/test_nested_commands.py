# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Commands that another command is given as words: a shell's text, a job's, xargs' and parallel's."""

from __future__ import annotations

import pytest

from trainlint.documents.file_format import read
from trainlint.files.text_source import load_source
from trainlint.model.document import Source

RUN = "python basicsr/train.py -opt options/a.yml"


def read_script(text: str) -> list[dict]:
    return [document.value for document in read(Source("train.sh", text))]


@pytest.mark.parametrize(
    "text",
    [
        f"bash -c '{RUN}'",
        f'nohup bash -lc "cd . && {RUN}" > log 2>&1 &',
        f"eval '{RUN}'",
        f'eval "{RUN}"',
        f'sbatch --gres=gpu:1 --wrap="{RUN}"',
        f"sbatch --wrap '{RUN}'",
        f'docker run --gpus all image bash -c "pip install x && {RUN}"',
        f'ssh host bash -c "{RUN}"',
        f'X={RUN.rpartition(" ")[2]}\nbash -c "{RUN.rpartition(" ")[0]} $X"',
        f"parallel {RUN.rpartition(' ')[0]} {{}} ::: options/a.yml",
        f"parallel -j 2 '{RUN.rpartition(' ')[0]} {{}}' ::: options/a.yml",
        "bash -c 'python basicsr/train.py -opt $1' name options/a.yml",
        f"sh -c \"bash -c '{RUN}'\"",
        f"su -s /bin/bash -c '{RUN}' user",
        f"script -q -c '{RUN}' log.txt",
        f"tmux new-session -d -s train '{RUN}'",
        f"bash <<EOF\n{RUN}\nEOF",
        f"sbatch -N 1 <<'EOF'\n#!/bin/bash\n#SBATCH --gres=gpu:1\n{RUN}\nEOF",
        f"cat <<EOF | ssh host bash -s\n{RUN}\nEOF",
        f'singularity exec a.sif bash -c "source env.sh; \\\n {RUN}"',
    ],
)
def test_what_a_command_is_given_to_run_is_read(text: str) -> None:
    (value,) = read_script(f"{text}\n")
    assert (value["@script"], value["opt"]) == ("basicsr/train.py", "options/a.yml")


def test_parallel_is_a_command_for_each_argument() -> None:
    values = read_script("parallel python basicsr/train.py -opt ::: options/a.yml options/b.yml\n")
    assert [value["opt"] for value in values] == ["options/a.yml", "options/b.yml"]


@pytest.mark.parametrize(
    "text",
    [
        "ls options | xargs -n1 python basicsr/train.py --launcher none -opt",
        "ls options | xargs -I{} python basicsr/train.py -opt {}",
        "ls options | xargs -I F bash -c 'python basicsr/train.py -opt F'",
        "parallel python basicsr/train.py -opt {} :::: list.txt",
    ],
)
def test_what_xargs_adds_is_not_known(text: str) -> None:
    (document,) = read(Source("train.sh", f"{text}\n"))
    assert document.meta["partial"] or document.meta["unresolved"] == (("opt",),)


@pytest.mark.parametrize("value", ["$B", "\\$B"])
def test_a_variable_of_a_here_document_is_not_known(value: str) -> None:
    text = f"B=4\nsbatch <<EOF\npython train.py --batch {value}\nEOF\n"
    (document,) = read(Source("train.sh", text))
    assert document.meta["unresolved"] == (("batch",),)


def test_an_edit_goes_into_the_text_where_it_stands() -> None:
    text = "bash -c 'torchrun --nproc_per_node=4 basicsr/train.py -opt options/a.yml'\n"
    (document,) = read(Source("train.sh", text))
    span = document.places[("@launcher", "nproc_per_node")].value
    assert text[span.start : span.end] == "4"


@pytest.mark.parametrize(
    "text",
    [
        f"echo bash -c '{RUN}'",
        f"bash -c '{RUN.replace('train', 'test')}'",
        f"# {RUN}",
        f"cat > job.sh <<EOF\n{RUN}\nEOF",
        f"bash job.sh <<EOF\n{RUN}\nEOF",
        "tmux rename-window 'to train'",
    ],
)
def test_what_runs_nothing_is_none(text: str) -> None:
    assert read_script(f"{text}\n") == []


def test_the_launcher_of_the_checkout_says_what_it_starts(tmp_path) -> None:
    (tmp_path / ".git").mkdir()
    script = tmp_path / "run.sh"
    script.write_text("sh ./distributed_train.sh 4 /data --minus 3\n")
    (tmp_path / "distributed_train.sh").write_text(
        "NUM_PROC=$1\nshift\n"
        'python -m torch.distributed.launch --nproc_per_node=$NUM_PROC own_train.py "$@"\n'
    )
    (document,) = read(load_source(str(script)))
    assert document.value["@script"] == "own_train.py"
    assert document.value["@launcher"]["nproc_per_node"] == "4"
    assert document.value["minus"] == ["3"] or document.value["minus"] == "3"
