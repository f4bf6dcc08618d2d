# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Variables that a wrapper is given for the program behind it are that program's."""

from __future__ import annotations

import pytest

from trainlint.commands.shell.shell import Shell
from trainlint.commands.shell.shell_flavours import POSIX


def environment(text: str) -> dict[str, str]:
    return [*Shell(POSIX).commands(text)][-1].env


@pytest.mark.parametrize(
    "before",
    [
        "env A=b",
        "A=b env",
        "/usr/bin/env A=b nohup",
        "env -i -u X A=b",
        "nohup env -C /tmp A=b nice -n 5",
        "sudo -u me -E A=b",
        "docker run --gpus all -e A=b image",
        "docker run --rm --env=A=b image",
        "podman exec --env A=b box",
        "singularity exec --nv --env A=b box.sif",
        "srun -N 1 --export=ALL,A=b",
        "sbatch --export ALL,A=b",
        "mpirun -np 2 -x A=b",
    ],
)
def test_a_wrappers_variables_are_the_programs(before: str) -> None:
    assert environment(f"{before} python train.py -e C=d --env=E=f G=h") == {"A": "b"}


def test_a_value_with_commas_is_one() -> None:
    assert environment("srun --export=CUDA_VISIBLE_DEVICES=0,1 python a.py") == {
        "CUDA_VISIBLE_DEVICES": "0,1"
    }
    assert environment("srun --export=ALL,A=b,C=d python a.py") == {"A": "b", "C": "d"}


def test_what_is_not_known_is_as_it_is_written() -> None:
    assert environment('env CUDA_VISIBLE_DEVICES="$GPU" python a.py') == {"CUDA_VISIBLE_DEVICES": "$GPU"}


@pytest.mark.parametrize(
    "text", ["make A=b", "python a.py env A=b", "nohup python a.py -e A=b", "env prog A=b"]
)
def test_words_of_a_program_are_no_variables(text: str) -> None:
    assert environment(text) == {}
