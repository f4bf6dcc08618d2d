# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Two definitions have one digest if they do the same in the same words, and only then."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainlint.repository.survey.survey_process import SurveyReader

HALVE = "def halve(image):\n    return F.interpolate(image, scale_factor=0.5)\n"
BODY = '''
import torch
from torch.nn import functional as F

HALVE
class Toy:
    """A toy."""

    def run(self, image: torch.Tensor, scale: int = 2) -> None:
        # make it small
        logger.info(f"scale {scale}")
        small = halve(image)
        self.result = small * scale
'''.replace("HALVE\n", HALVE + "\n")


def digests(folder: Path, text: str, **more: str) -> dict[str, str]:
    folder.mkdir()
    (folder / "toy_model.py").write_text(text, "utf-8")
    for name, other in more.items():
        (folder / f"{name}.py").write_text(other, "utf-8")
    found = SurveyReader(str(folder)).answer(["Toy"])
    nodes = found["nodes"].values()
    return {
        node["name"]: node["methods"]["run"]["digest"]
        if node["kind"] == "class"
        else node.get("digest", node["full"])
        for node in nodes
    }


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        # make it small\n", ""),
        ('    """A toy."""\n\n', ""),
        ("small", "tiny"),
        (": torch.Tensor", ""),
        (" -> None", ""),
        ('        logger.info(f"scale {scale}")\n', '        print("hello", scale)\n'),
        ("from torch.nn import functional as F", "import torch.nn.functional as F"),
        (
            "    return F.interpolate(image, scale_factor=0.5)",
            "    return F.interpolate(\n        image, scale_factor=0.5)",
        ),
    ],
)
def test_what_does_not_matter_is_removed(tmp_path, old, new):
    assert old in BODY
    assert digests(tmp_path / "a", BODY)["Toy"] == digests(tmp_path / "b", BODY.replace(old, new))["Toy"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("small * scale", "small + scale"),
        ("scale: int = 2", "scale: int = 4"),
        ("self.result", "self.output"),
        ("(image, scale_factor=0.5)", "(image, scale_factor=0.25)"),
        ("= halve(image)", "= torch.relu(image)"),
        ("import functional as F", "import parallel as F"),
        ('logger.info(f"scale {scale}")', "logger.info(self.forward(image))"),
        ("        small = ", "        del image\n        small = "),
    ],
)
def test_what_matters_stays(tmp_path, old, new):
    assert old in BODY
    before, after = digests(tmp_path / "a", BODY), digests(tmp_path / "b", BODY.replace(old, new))
    assert before != after


def test_a_name_is_followed_through_imports(tmp_path):
    moved = BODY.replace(HALVE, "from tools import halve\n")
    tools = "from torch.nn import functional as F\n" + HALVE
    before, after = digests(tmp_path / "a", BODY), digests(tmp_path / "b", moved, tools=tools)
    assert (before["Toy"], before["halve"]) == (after["Toy"], after["halve"])


@pytest.mark.parametrize(
    "shadow",
    ["try:\n    from fast import halve\nexcept ImportError:\n    halve = slow\n", "from tools import *\n"],
)
def test_what_cannot_be_followed_is_unknown(tmp_path, shadow):
    text = BODY.replace(HALVE, shadow)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "toy_model.py").write_text(text, "utf-8")
    nodes = SurveyReader(str(tmp_path / "a")).answer(["Toy"])["nodes"].values()
    assert [node["kind"] for node in nodes if node["name"] == "halve"] == ["unknown"]


@pytest.mark.parametrize(("instead", "followed"), [("None", True), ("object", True), ("slow_halve", False)])
def test_an_import_that_fails_leaves_nothing_that_could_serve_instead(tmp_path, instead, followed):
    use = f"try:\n    from other import halve\nexcept ImportError:\n    halve = {instead}\n"
    found = digests(
        tmp_path / "a", BODY.replace(HALVE, use), other="import torch.nn.functional as F\n" + HALVE
    )
    plain = digests(tmp_path / "b", BODY)
    assert (found["Toy"] == plain["Toy"]) == followed
