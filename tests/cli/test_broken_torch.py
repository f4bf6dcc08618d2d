# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A torch, or a library next to it, that is there and cannot be imported: skipped, in the import's words."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.process

IMPORT = 'ImportError("libcudnn.so.9: cannot open shared object file: No such file or directory")'
OS = 'OSError("[WinError 126] The specified module could not be found. Error loading c10.dll")'
RUNTIME = 'RuntimeError("operator torchvision::nms does not exist")'
NUMPY = r'ImportError("\n\nIMPORTANT: PLEASE READ THIS\n" + "how to solve it " * 90)'


def broken(trainlint, package: str, error: str) -> None:
    """Put a package of that name first on the path, whose import raises."""
    trainlint.write(f"path/{package}/__init__.py", f"raise {error}\n")
    trainlint.env["PYTHONPATH"] = str(trainlint.folder / "path")


def reason(trainlint, *arguments: str) -> str:
    done = trainlint("--format", "json", *arguments, "-t", "rtx-3060", "--profiles-dir", "none")
    (result,) = json.loads(done.stdout)["results"]
    assert (done.returncode, result["outcome"]) == (0, "skipped")
    return result["facts"]["missing"]["memory"]


@pytest.mark.parametrize("error", [IMPORT, OS, RUNTIME, "AttributeError('x')", "SystemError('x')"])
def test_a_torch_that_does_not_import_skips_memory(trainlint, config, error) -> None:
    broken(trainlint, "torch", error)
    trainlint.write("a.yml", config)
    kind, words = error.split("(", 1)
    told = f'"torch" is installed and cannot be imported: {kind}: {words[1:-2]}'
    assert reason(trainlint, "a.yml").startswith(told)


def test_the_other_commands_say_so_too(trainlint, config) -> None:
    broken(trainlint, "torch", IMPORT)
    trainlint.write("a.yml", config)
    for command in (("explain", "a.yml", "-t", "rtx-3060"), ("trace", "a.yml"), ("measure", "a.yml")):
        done = trainlint(*command)
        assert done.returncode in (0, 1, 2), command
        assert "libcudnn.so.9" in done.stdout + done.stderr, command
        assert "internal error" not in done.stderr


def test_a_page_of_advice_is_cut(trainlint, config) -> None:
    broken(trainlint, "torch", NUMPY)
    trainlint.write("a.yml", config)
    told = reason(trainlint, "a.yml")
    assert "ImportError: IMPORTANT: PLEASE READ THIS how to solve it" in told
    assert len(told) < 400


def test_every_file_hears_the_first_reason(trainlint, config, variant) -> None:
    tries = "vars(__import__('sys')).setdefault('tries', [])"
    broken(trainlint, "torch", f"OSError({tries}.append(1) or len({tries}))")
    trainlint.write("a.yml", config)
    trainlint.write("b.yml", variant(("num_feat: 64", "num_feat: 32")))
    done = trainlint("--format", "concise", "a.yml", "b.yml", "-t", "rtx-3060", "--profiles-dir", "none")
    assert done.stdout.count("OSError: 1") == 2


NATIVE = "trainlint: 1\nmodel: {model}\ninput: [3, 32, 32]\ntarget: [10]\nbatch: 2\n"


@pytest.mark.parametrize(
    ("package", "model", "module"),
    [
        pytest.param("torchvision", "torchvision/resnet18", "torchvision.models", marks=pytest.mark.slow),
        ("timm", "timm/resnet18", "timm"),
        pytest.param("spandrel", "RGT", "spandrel", marks=pytest.mark.slow),
    ],
)
def test_a_library_that_does_not_import_skips_its_networks(trainlint, package, model, module) -> None:
    pytest.importorskip("torch")
    broken(trainlint, package, RUNTIME)
    trainlint.write("a.yml", NATIVE.format(model=model))
    told = reason(trainlint, "a.yml")
    assert f'"{module}' in told
    assert (
        "is installed and cannot be imported: RuntimeError: operator torchvision::nms does not exist" in told
    )


def test_what_needs_no_torchvision_is_traced_beside_a_broken_one(trainlint, config) -> None:
    pytest.importorskip("torch")
    broken(trainlint, "torchvision", RUNTIME)
    trainlint.write("a.yml", config)
    done = trainlint("a.yml", "-t", "rtx-3060", "--profiles-dir", "none")
    assert done.stdout.startswith("pass  a.yml on rtx-3060")


OTHER = """\
from torch.nn import Module

BUILDERS = {"Other": "Other"}


class Other(Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return x
"""


def test_a_class_of_ones_own_is_told_how_to_allow_it(trainlint) -> None:
    trainlint.write("a.yml", NATIVE.format(model="mine.nets:Net"))
    told = (
        'network "mine.nets:Net" is code of your own: allow it with --python PATH, an interpreter that can '
        "import mine.nets and torch 2.6 or later"
    )
    assert reason(trainlint, "a.yml") == reason(trainlint, "a.yml", "--no-trace") == told
    trainlint.write("nets.py", OTHER)
    assert reason(trainlint, "a.yml", "--networks", "nets.py") == told
