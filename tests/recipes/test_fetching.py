# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Nothing that a linted file names is fetched or unpickled while a library builds its network."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

pytest.importorskip("torch")

from click.testing import CliRunner

from trainlint.cli.main import main
from trainlint.errors import CannotTraceError
from trainlint_zoo.common import fetching
from trainlint_zoo.common.fetching import check_fetches_nothing, harmless
from trainlint_zoo.native.recipes.supervised import built

COMMAND = "python train.py /data --model mobilenetv3_small_050 -b 8 --sched cosine --model-kwargs {}\n"


class Mark:
    """Unpickled, it leaves a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.mark.parametrize(
    "name",
    ["checkpoint_path", "pretrained", "pretrained_cfg", "pretrained_cfg_overlay", "cache_dir", "weights",
     "weights_backbone", "state_dict", "url", "some_file"],
)  # fmt: skip
def test_arguments_that_load_weights_are_refused(name):
    with pytest.raises(CannotTraceError, match=f"argument {name}: it would load weights"):
        check_fetches_nothing("resnet18", {"drop_rate": 0.1, name: "place"})
    check_fetches_nothing("resnet18", {name: None})


def test_others_are_not():
    check_fetches_nothing(
        "vit_base_patch16_224.augreg_in21k", {"img_size": 96, "pretrained_window_sizes": [8]}
    )


@pytest.mark.parametrize("name", ["hf-hub:owner/name", "local-dir:/nets/one", "/nets/one", "owner/name"])
def test_models_from_elsewhere_are_refused(name):
    with pytest.raises(CannotTraceError, match="nothing is fetched or loaded"):
        check_fetches_nothing(name, {})
    with pytest.raises(CannotTraceError):
        harmless("timm", name, {})


def test_weights_that_only_fill_a_network_are_left_out():
    assert harmless("timm", "resnet18", {"pretrained": True, "num_classes": 10}) == {"num_classes": 10}
    with pytest.raises(CannotTraceError):
        harmless("timm", "resnet18", {"pretrained": "place"})


def test_a_command_of_timm_unpickles_nothing(tmp_path, monkeypatch):
    pytest.importorskip("timm")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    mark, weights = tmp_path / "mark", tmp_path / "weights.pth"
    weights.write_bytes(pickle.dumps(Mark(mark)))
    script = tmp_path / "run.sh"
    script.write_text(COMMAND.format(f"checkpoint_path={weights}"))
    said = CliRunner().invoke(main, ["check", str(script), "-t", "rtx-3060"]).stdout
    assert "not built with the argument checkpoint_path: it would load weights" in said
    assert not mark.exists()


def test_the_weights_that_torchvision_downloads_by_default_are_not(monkeypatch):
    pytest.importorskip("torchvision")
    import torch  # noqa: PLC0415 - skipped without

    def fetch(*_args, **_kwargs):
        raise AssertionError("a download")

    monkeypatch.setattr(torch.hub, "load_state_dict_from_url", fetch)
    monkeypatch.setattr("torchvision.models._api.load_state_dict_from_url", fetch)
    assert fetching.harmless("torchvision", "fcn_resnet50", {}) == {"weights_backbone": None}
    assert harmless("torchvision", "resnet18", {}) == {}
    with torch.device("meta"):
        assert built({"networks.generator.arch": "torchvision/fcn_resnet50"})[1] == "torchvision/fcn_resnet50"
