# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which published version a script is: what it and the file next to it have in them says so."""

from __future__ import annotations

import pytest

from trainlint.api import check

pytestmark = pytest.mark.rest

SCRIPTS = {
    "glf-crP of 2025-12-09": (
        "'--gpu_ids'\nmodel.net_G = nn.DataParallel(model.net_G)",
        "self.net_G = nn.DataParallel(",
    ),
    "glf-crP of 2025-12-10": ("'--gpu_ids'", "gpu_ids = self.opts.gpu_ids"),
    "glf-crP since 2025-12-12": ("'--use_ddp'\nmodel.net_G = nn.DataParallel(model.net_G)", "# to the GPU"),
}
"""What the training script and its model say in each version."""
COMMAND = "python train_CR_kaggle.py --batch_sz 4 --max_epochs 10\n"


def readings(config, **options) -> list[str]:
    return [
        result.variant for result in check(config, targets=["kaggle-t4x2"], trace=False, **options).results
    ]


def lay(folder, script: str, model: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "train_CR_kaggle.py").write_text(script, "utf-8")
    (folder / "model_CR_net.py").write_text(model, "utf-8")


@pytest.mark.parametrize("name", SCRIPTS)
@pytest.mark.parametrize("inner", ["", "GLF-CR/codes"])
def test_the_source_settles_which_version_is_meant(name, inner, tmp_path) -> None:
    """It is found below the repository that the user names, too, as a clone has the script further in."""
    (tmp_path / "here").mkdir()
    config = tmp_path / "here" / "go.sh"
    config.write_text(COMMAND, "utf-8")
    assert readings(config) == [*SCRIPTS]
    lay(tmp_path / "clone" / inner, *SCRIPTS[name])
    assert readings(config, repo=tmp_path / "clone") == [name]


def test_a_script_next_to_its_command_is_read_unasked(tmp_path) -> None:
    lay(tmp_path, *SCRIPTS["glf-crP since 2025-12-12"])
    (tmp_path / "go.sh").write_text(COMMAND, "utf-8")
    assert readings(tmp_path / "go.sh") == ["glf-crP since 2025-12-12"]


def test_a_source_that_is_no_published_version_leaves_all_of_them(tmp_path) -> None:
    lay(tmp_path, "'--gpu_ids'\nmodel.net_G = nn.DataParallel(model.net_G)", "gpu_ids = self.opts.gpu_ids")
    (tmp_path / "go.sh").write_text(COMMAND, "utf-8")
    assert readings(tmp_path / "go.sh") == [*SCRIPTS]
