# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A name for which the checkout's own function imports a file or a class that is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainlint.repository.choices.chosen_imports import lacking_for
from trainlint.repository.trainer.mentioned_words import Words

CHOOSER = """\
def define_G(opt):
    net_type = opt['netG']['net_type']
    if net_type == 'dncnn':
        from models.network_dncnn import DnCNN as net
    elif net_type in ('swinir', 'swin'):
        from models.network_swinir import SwinIR as net
    else:
        raise NotImplementedError
    return net()
"""
NETWORK = '"""Not SwinIR2."""\nclass SwinIR:\n    pass\n'
MISSING = "models/select_network.py:6 imports models/network_swinir.py for it, which is not there"


def why(root: Path, files: dict[str, str], name: str = "swinir") -> str | None:
    for file, text in files.items():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(text)
    python = [file for file in files if file.endswith(".py")]
    return lacking_for(Words([files[file] for file in python], python), root, "define_G", name)


def of(network: str, text: str = NETWORK, chooser: str = CHOOSER) -> dict[str, str]:
    train = "from models.select_network import define_G\nnet = define_G(opt)\n"
    return {"models/select_network.py": chooser, network: text, "train.py": train}


@pytest.mark.parametrize("name", ["swinir", "swin"])
def test_a_file_that_is_there_under_another_name_is_missing(tmp_path: Path, name: str) -> None:
    said = why(tmp_path, of("models/network_swinir .py"), name)
    assert said == f'{MISSING}: the file is called "network_swinir .py"'


@pytest.mark.parametrize(
    ("network", "text", "said"),
    [
        ("models/swinir.py", NETWORK, MISSING),
        (
            "models/network_swinir.py",
            NETWORK.replace("class SwinIR", "class SwinIR2"),
            "models/select_network.py:6 imports SwinIR of models/network_swinir.py for it, which has none",
        ),
    ],
)
def test_what_is_not_there_is_said(tmp_path: Path, network: str, text: str, said: str) -> None:
    assert why(tmp_path, of(network, text)) == said


@pytest.mark.parametrize(
    ("network", "text"),
    [
        ("models/network_swinir.py", NETWORK),
        ("models/network_swinir.py", "from models.other import SwinIR\n"),
        ("models/network_swinir.py", "from models.other import *\n"),
        ("models/network_swinir.py", "SwinIR = make()\n"),
        ("models/network_swinir.py", "class SwinIR(\n"),
        ("models/network_swinir/__init__.py", NETWORK),
        ("models/network_swinir.so", ""),
        ("old/models/network_swinir.py", NETWORK),
    ],
)
def test_what_is_or_may_be_there_is_not(tmp_path: Path, network: str, text: str) -> None:
    assert why(tmp_path, of(network, text)) is None


def test_what_another_name_or_another_function_imports_does_not_count(tmp_path: Path) -> None:
    assert why(tmp_path, of("models/swinir.py"), "other") is None
    elsewhere = CHOOSER.replace("from models.network_swinir", "from timm.network_swinir")
    assert why(tmp_path, of("models/swinir.py", chooser=elsewhere)) is None
    finds = {"more/select.py": CHOOSER.replace("models.", "more."), "more/network_swinir.py": NETWORK}
    assert why(tmp_path, of("models/swinir.py") | finds) is None


def test_a_function_that_nothing_calls_imports_nothing(tmp_path: Path) -> None:
    assert why(tmp_path, of("models/swinir.py") | {"train.py": "net = own()\n"}) is None
