# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Names of classes that are in no registry: a fail where the trainer is known, else a warning."""

from __future__ import annotations

from pathlib import Path

import pytest

EXAMPLE = (Path(__file__).resolve().parents[2] / "examples/msrresnet_x4.yml").read_text("utf-8")
CHECKOUT = {
    "basicsr/utils/options.py": "def parse_options(path):\n    return {}\n",
    "basicsr/train.py": "from basicsr.utils.options import parse_options\n",
    "basicsr/models/__init__.py": "def build(opt):\n    return MODEL_REGISTRY.get(opt['model_type'])(opt)\n",
    "basicsr/models/sr_model.py": "@MODEL_REGISTRY.register()\nclass SRModel:\n    pass\n",
    "basicsr/archs/__init__.py": "def build(opt):\n    return ARCH_REGISTRY.get(opt.pop('type'))(**opt)\n",
    "basicsr/archs/msrresnet_arch.py": "@ARCH_REGISTRY.register()\nclass MSRResNet:\n    pass\n",
    "basicsr/losses/__init__.py": "def build(opt):\n    return LOSS_REGISTRY.get(opt.pop('type'))(**opt)\n",
    "basicsr/losses/basic_loss.py": "@LOSS_REGISTRY.register()\nclass L1Loss:\n    pass\n",
    ".git/HEAD": "",
}
NAMES = {
    "network": ("type: MSRResNet", "type: WaveResNet", "WaveResNet"),
    "model class": ("model_type: SRModel", "model_type: WaveModel", "WaveModel"),
    "loss": ("type: L1Loss", "type: WaveLoss", "WaveLoss"),
}
"""What is named, how the example names it, and a name that nobody has."""


@pytest.fixture
def linted(trainlint):
    def of(text: str, *options: str) -> list[tuple[str, str]]:
        trainlint.write("options/a.yml", text)
        (result,) = trainlint.json("options/a.yml", "--no-trace", *options)["results"]
        named = [finding for finding in result["findings"] if finding["rule"] == "misspelt-name"]
        return [(finding["level"], finding["message"]) for finding in named]

    return of


@pytest.mark.parametrize("what", NAMES)
def test_a_config_alone_is_warned_and_told_how_to_settle_it(linted, what: str) -> None:
    old, new, name = NAMES[what]
    assert old in EXAMPLE
    ((level, message),) = linted(EXAMPLE.replace(old, new))
    assert level == "warn"
    assert all(
        word in message for word in (f'knows no {what} "{name}"', "--repo FOLDER", "--trainer basicsr")
    )
    ((level, _),) = linted(EXAMPLE.replace(old, new), "--trainer", "basicsr")
    assert level == "fail"


def test_a_forks_network_is_not_the_originals(trainlint, linted) -> None:
    config = EXAMPLE.replace("type: MSRResNet", "type: HAT")
    assert config != EXAMPLE
    assert linted(config) == []
    (named,) = linted(config, "--trainer", "basicsr")
    assert named == ("fail", 'BasicSR itself has no network "HAT", which a fork has')
    trainlint.write("own/hat_arch.py", "class HAT:\n    pass\n")
    trainlint.write(".git/HEAD", "")
    assert linted(config, "--trainer", "basicsr") == []


@pytest.mark.parametrize("what", NAMES)
def test_a_checkout_that_lacks_it_fails_and_one_that_has_it_passes(trainlint, linted, what: str) -> None:
    for name, text in CHECKOUT.items():
        trainlint.write(name, text)
    assert linted(EXAMPLE) == []
    old, new, name = NAMES[what]
    ((level, message),) = linted(EXAMPLE.replace(old, new))
    assert level == "fail"
    assert f'no Python file of the repository defines the {what} "{name}"' in message
    trainlint.write("basicsr/extra.py", f"from elsewhere import {name}\n")
    ((level, _),) = linted(EXAMPLE.replace(old, new))
    assert level == "warn"
    trainlint.write("basicsr/extra.py", f"class {name}:\n    pass\n")
    assert linted(EXAMPLE.replace(old, new)) == []


def test_a_published_network_that_the_checkout_lacks_is_not_there(trainlint, linted) -> None:
    """As GSTSR's archs, which has no RRDBNet: its options passed with the published one's figures."""
    for name, text in CHECKOUT.items():
        if "msrresnet" not in name:
            trainlint.write(name, text)
    ((level, message),) = linted(EXAMPLE)
    assert level == "fail"
    assert '"MSRResNet"' in message


def test_several_names_are_said_at_once_with_what_they_are(linted) -> None:
    text = EXAMPLE
    for old, new, _ in NAMES.values():
        text = text.replace(old, new)
    ((level, message),) = linted(text)
    assert level == "warn"
    assert all(f'"{name}"' in message for *_, name in NAMES.values())
