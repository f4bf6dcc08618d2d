# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Lines that install torch, beside the commands of the same file."""

from __future__ import annotations

import pytest

from trainlint.commands.pip_installs import installs_of
from trainlint.documents.file_format import read
from trainlint.model.document import Source

COMMAND = "python train.py --lr 1\n"


def only(text: str):
    (line,) = installs_of(Source("notes.md", text))
    return line


@pytest.mark.parametrize(
    ("requirement", "oldest", "newest"),
    [
        ("torch", None, None),
        ("torch==2.5.1", (2, 5), (2, 5)),
        ("torch==2.5.*", (2, 5), (2, 5)),
        ("'torch>=2.1,<2.6'", (2, 1), (2, 5)),
        ('"torch<2.6.1"', None, (2, 6)),
        ('"torch<3"', None, (2, 999)),
        ('"torch<=2.6"', None, (2, 6)),
        ("torch~=2.5", (2, 5), None),
        ("torch~=2.5.0", (2, 5), (2, 5)),
        ("torch[opt]==1.13.1+cu117", (1, 13), (1, 13)),
    ],
)
def test_bounds(requirement: str, oldest, newest) -> None:
    line = only(f"pip install {requirement} torchvision numpy<2\n")
    assert (line.oldest, line.newest) == (oldest, newest)
    assert not line.redirected


@pytest.mark.parametrize(
    ("line", "cuda"),
    [
        ("pip3 install torch --index-url https://download.pytorch.org/whl/cu128", "12.8"),
        ("python -m pip install torch==2.1.0+cu118", "11.8"),
        ("$ pip install --pre torch --index-url https://download.pytorch.org/whl/nightly/cu130", "13.0"),
        ("uv pip install torch \\\n  --index-url https://download.pytorch.org/whl/cu121", "12.1"),
        ('    "!pip install torch torchvision -f https://download.pytorch.org/whl/cu124\\n",', "12.4"),
        ("   %pip install -U torch", ""),
    ],
)
def test_the_toolkit(line: str, cuda: str) -> None:
    assert only(line + "\n").cuda == cuda


@pytest.mark.parametrize(
    "line",
    [
        "pip install torchvision timm torch-ema pytorch-msssim",
        "# pip install torch==2.0",
        "Then run pip install torch==2.0 and wait.",
        "pip uninstall torch",
        "pip install -r requirements-torch.txt git+https://github.com/x/torch",
        "conda install pytorch==2.0",
    ],
)
def test_what_installs_no_torch(line: str) -> None:
    assert installs_of(Source("notes.md", line + "\n")) == ()


def test_an_unquoted_bound_is_the_shells() -> None:
    line = only("pip install torch>=2.5.0 torchvision>=0.20.0\n")
    assert (line.redirected, line.oldest, line.text) == (True, (2, 5), "torch>=2.5.0")


def test_the_span_is_the_requirements() -> None:
    text = 'first\npip install  "torch==2.5.1" x\n'
    line = only(text)
    assert text[line.span.start : line.span.end] == "torch==2.5.1"


def test_the_first_command_alone_is_told() -> None:
    documents = read(Source("run.sh", COMMAND + "pip install torch==2.5.1\n" + COMMAND))
    assert [len(document.installs) for document in documents] == [1, 0]


def test_a_long_line_costs_little() -> None:
    assert installs_of(Source("run.sh", "pip install torch" + " \\\n x" * 200_000 + "\n"))
    assert installs_of(Source("run.sh", "pip install " + "torch" * 200_000 + "\n")) == ()
    assert installs_of(Source("run.sh", "- " * 500_000 + "pip install torch\n"))
