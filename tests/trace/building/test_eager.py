# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A step of our own networks does not import torch's compiler; whoever needs it gets the real one."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("torch")

STEP = """
import sys
import torch
from trainlint.trace.trace import trace

step = {
    "recipe": "basicsr.SRModel", "dialect": "basicsr", "scale": 2, "crop.lq": 16, "crop.hr": 32, "ema": 0,
    "networks.generator.arch": "SRVGGNetCompact",
    "networks.generator.args": {"num_feat": 8, "num_conv": 1, "upscale": 2},
    "losses": [{"role": "pixel", "type": "L1Loss", "loss_weight": 1}],
    "optimizers": [{"role": "generator", "type": "Adam"}], "options": {},
}
"""
UNUSED = """
tape = trace(step, verify=False)
assert tape.blocks
assert "torch._dynamo" not in sys.modules
assert "_dynamo" not in vars(torch)
# and what compiles afterwards is left alone where torch means it to be
import torch._dynamo
step = torch.optim.SGD.zero_grad
step(torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.1))
assert getattr(step.__wrapped__, "__dynamo_disable") is not step.__wrapped__
"""
NEEDED = """
from trainlint.trace.building import eager
with eager.without_compiler():
    assert callable(torch._dynamo.graph_break)
    from torch._dynamo import config
    assert "torch._dynamo.config" == config.__name__
    assert sys.modules["torch._dynamo"].__file__
"""
REMOVED = """
from trainlint.trace.building import eager
with eager.without_compiler():
    eager.remove()
    assert "torch._dynamo" not in sys.modules
    import torch._dynamo
    assert torch._dynamo.__file__
"""


WITHIN = """
from trainlint.trace.building import eager
with eager.without_compiler():
    import torch._dynamo.config
    import torch._dynamo.polyfills.os as last
    assert torch._dynamo.config is sys.modules["torch._dynamo.config"] and torch._dynamo.__file__
    assert torch._dynamo.config.__spec__.loader.__class__.__name__ == "SourceFileLoader"
    assert last is torch._dynamo.polyfills.os is sys.modules[last.__name__]
    torch.compile(torch.sin, backend="eager")(torch.ones(2))
assert eager._WITHIN not in sys.meta_path
"""

MIDST = """
import gc, weakref
from trainlint.trace.building import eager
from torch.utils.checkpoint import checkpoint

def forward():
    x = torch.ones(1, requires_grad=True) * 2
    checkpoint(torch.sin, x, use_reentrant=False)
    return weakref.ref(x)

gc.disable()
with eager.without_compiler():
    gone = forward()
    assert sys.modules["torch._dynamo"].__file__  # checkpoint asked for the compiler's settings
    assert gone() is None
"""
"""An import in the midst of a forward leaves circles of frames, which held the forward's tensors."""


@pytest.mark.parametrize(
    "then",
    [UNUSED, *(pytest.param(then, marks=pytest.mark.slow) for then in (NEEDED, REMOVED, WITHIN, MIDST))],
)
def test_the_compiler(then) -> None:
    done = subprocess.run([sys.executable, "-c", STEP + then], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
