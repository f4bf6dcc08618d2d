# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Tracing in another interpreter: a made-up module, its failures, and what it may not do to the answer."""

import shutil
import sys
from pathlib import Path

import pytest

from trainlint.errors import BadArgumentsError, CannotTraceError, UsageError
from trainlint.estimate.tapes.other_python import OtherPython

torch = pytest.importorskip("torch")

MODULE = """
import torch
print("a framework's banner on standard output")
CONSTANT = torch.ones(3).sum().item()  # many frameworks compute something while they are imported

class Wavelet(torch.nn.Module):
    def __init__(self, width=8):
        super().__init__()
        if width % 4:
            raise ValueError("width must be a multiple of 4")
        self.body = torch.nn.Conv2d(3, width, 3, padding=1)
        self.tail = torch.nn.Sequential(torch.nn.Conv2d(width, 48, 3, padding=1), torch.nn.PixelShuffle(4))

    def forward(self, x):
        return self.tail(torch.relu(self.body(x)))

class Odd(Wavelet):
    def forward(self, x):
        return super().forward(x[x > 0])

class Shift(torch.nn.Conv2d):
    def __init__(self, width=3):
        super().__init__(width, width, 1)
        self.weight.data = torch.eye(width).view(width, width, 1, 1)
        self.bias.data = 255 * torch.Tensor([0.4] * width)  # on the CPU, whatever the device is

def hangs():
    import time
    time.sleep(60)
"""


def step(arch, **args):
    return {
        "recipe": "basicsr.SRModel", "dialect": "basicsr", "scale": 4, "crop.lq": 16, "crop.hr": 64,
        "networks.generator.arch": arch, "networks.generator.args": args,
        "losses": [{"role": "pixel", "type": "L1Loss"}],
        "optimizers": [{"role": "generator", "type": "Adam"}],
    }  # fmt: skip


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    folder = tmp_path_factory.mktemp("framework")
    (folder / "made_up.py").write_text(MODULE)
    return OtherPython(Path(sys.executable), (folder,))


@pytest.mark.slow
def test_a_module_of_the_users_own_is_traced(other):
    tape = other(step("made_up:Wavelet", width=16))
    (network,) = tape.networks
    assert network.parameters == (3 * 9 + 1) * 16 + (16 * 9 + 1) * 48
    assert tape.affine == "exact"


@pytest.mark.slow
def test_a_constructor_that_wants_values_is_given_them(other):
    (network,) = other(step("made_up:Shift") | {"scale": 1, "crop.hr": 16}).networks
    assert network.parameters == 12


WITHOUT = ("cel_expr_python", "cerberus", "click", "jsonschema", "platformdirs", "yaml")
"""What an environment with torch and a framework alone does not have."""
OLD_TORCH = "import sys, torch\ntorch.__version__ = '2.1.2+cu121'\n"


@pytest.fixture
def starts_with(monkeypatch, tmp_path):
    """Have every interpreter started from here run some code first."""

    def write(code):
        (tmp_path / "sitecustomize.py").write_text(code)
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    return write


@pytest.mark.rest
def test_torch_is_all_that_the_other_environment_needs(other, starts_with):
    starts_with(f"import sys\nsys.modules.update(dict.fromkeys({WITHOUT}))\n")
    assert other(step("made_up:Wavelet")).networks


@pytest.mark.rest
def test_a_torch_too_old_to_trace_with_is_named(other, starts_with):
    starts_with(OLD_TORCH)
    with pytest.raises(CannotTraceError, match=r"has torch 2\.1\.2\+cu121; tracing needs 2\.6 or later"):
        other(step("made_up:Wavelet"))


def test_a_python_too_old_to_run_in_is_named(other, starts_with):
    starts_with("import sys\nsys.version_info = (3, 8, 10)\n")
    with pytest.raises(CannotTraceError, match=r"Python 3\.8 is too old; trainlint runs in 3\.11 or later"):
        other(step("made_up:Wavelet"))


def test_a_program_that_is_no_python_is_named():
    with pytest.raises(UsageError, match="is not a Python interpreter"):
        OtherPython(Path(shutil.which("ls") or ""))(step("made_up:Wavelet"))


@pytest.mark.slow
def test_a_module_that_is_not_there_says_how_to_name_its_folder(other):
    with pytest.raises(CannotTraceError, match="No module named 'nowhere'; --networks FOLDER"):
        other(step("nowhere:Net"))


@pytest.mark.rest
def test_its_refusal_is_told_as_it_says_it(other):
    with pytest.raises(BadArgumentsError, match="width must be a multiple of 4"):
        other(step("made_up:Wavelet", width=6))


@pytest.mark.rest
@pytest.mark.parametrize(
    ("arch", "reason"),
    [
        ("made_up:Missing", 'module "made_up" has no "Missing"'),
        pytest.param("nowhere:Net", "No module named 'nowhere'", marks=pytest.mark.slow),
        pytest.param("made_up:Odd", "aten::index", marks=pytest.mark.slow),
        pytest.param("FooNet", "basicsr.archs", marks=pytest.mark.slow),
    ],
)
def test_what_cannot_be_traced_is_named(other, arch, reason):
    with pytest.raises(CannotTraceError, match=reason):
        other(step(arch))


@pytest.mark.slow
def test_it_is_given_up_after_the_time_limit(other):
    impatient = OtherPython(other.python, other.paths, timeout_s=6)
    with pytest.raises(CannotTraceError, match="took longer than 6 s"):
        impatient(step("made_up:hangs"))


def test_an_interpreter_that_is_none():
    with pytest.raises(UsageError, match="not a Python interpreter"):
        OtherPython(Path("/no/such/python"))
