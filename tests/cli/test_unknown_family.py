# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the commands for one config say of a file of a family that no dialect reads."""

from __future__ import annotations

import pytest

from trainlint.cli.measure import jobs_of
from trainlint.errors import UsageError
from trainlint.settings import Settings

AXOLOTL = "base_model: some/model\nmicro_batch_size: 2\n"
SAID = "this looks like a config of axolotl, which is not supported (trainlint dialects lists what is)"


@pytest.mark.parametrize("command", ["fit", "explain"])
def test_a_known_family_is_named(trainlint, command) -> None:
    trainlint.write("other.yml", AXOLOTL)
    done = trainlint(command, "other.yml")
    assert done.returncode == 2
    assert f"other.yml: {SAID}" in done.stderr
    assert "see docs/native.md" in done.stderr


def test_measure_names_it_too(tmp_path) -> None:
    path = tmp_path / "other.yml"
    path.write_text(AXOLOTL, encoding="utf-8")
    with pytest.raises(UsageError, match="docs/native"):
        jobs_of(str(path), Settings())
