# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""ClassSR: its networks' published sizes, and a step that trains the classifier alone."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from trainlint.errors import CannotTraceError  # noqa: E402
from trainlint.estimate.replay.ledger import Samples, ledger  # noqa: E402
from trainlint.trace.build import build  # noqa: E402
from trainlint.trace.trace import trace  # noqa: E402

RCAN = {
    "n_resgroups": 10, "n_resblocks": 20, "n_feats": 64, "res_scale": 1, "n_colors": 3, "rgb_range": 255,
    "scale": 4, "reduction": 16,
}  # fmt: skip
STEP = {
    "recipe": "basicsr-legacy.ClassSR", "dialect": "basicsr-legacy", "scale": 4, "crop.lq": 32,
    "crop.hr": 128,
    "networks.generator.arch": "classSR_3class_fsrcnn_net", "networks.generator.args": {},
    "losses": [{"role": "pixel", "type": "ClassSR_loss", "loss_weight": 1}],
    "optimizers": [{"role": "generator", "type": "Adam"}], "options": {"fix_SR_module": True},
}  # fmt: skip
OUTPUT = 3 * 128 * 128 * 4


@pytest.mark.parametrize(
    ("arch", "args", "thousands"),
    [
        ("fsrcnn", {"d": 56}, 25),
        ("CARN_M", {"nf": 64}, 295),
        ("RCAN", RCAN, 15_592),
        ("classSR_3class_fsrcnn_net", {}, 113),
        ("classSR_3class_carn", {}, 645),
        ("classSR_3class_srresnet", {}, 3_062),
        ("classSR_3class_rcan", {}, 30_115),
    ],
)
def test_the_papers_sizes(arch, args, thousands):
    """Table 1 of ClassSR (CVPR 2021): 25K, 295K, 15.6M; 113K, 645K, 3.1M, 30.1M."""
    with torch.device("meta"):
        net = build("basicsr-legacy", arch, args)
    assert round(sum(p.numel() for p in net.parameters()) / 1000) == thousands


def peak_of(step, batch, device=0):
    tape = trace(step, verify=False, batches=(batch,))
    total = batch * tape.devices
    return ledger(tape, device).peak(Samples(batch, total)).allocated


def test_frozen_networks_keep_their_three_outputs_alone():
    grown = (peak_of(STEP, 12) - peak_of(STEP, 4)) / 8
    trained = {**STEP, "options": {}}
    assert 8 * OUTPUT < grown < 10 * OUTPUT  # three outputs, their sum (twice while it grows), targets
    assert (peak_of(trained, 12) - peak_of(trained, 4)) / 8 > 2 * grown  # their activations, too


def test_a_patch_at_a_time_has_a_tape_for_its_batch_alone():
    tape = trace(STEP)
    assert tape.batches == (2,)
    assert tape.affine.startswith("not affine")


def test_two_gpus():
    step = {**STEP, "parallel": "dp"}
    assert peak_of(step, 6) > peak_of(step, 6, device=1) > 6 * 4 * OUTPUT


def test_files_of_a_save():
    files = {file.name: file.size for file in trace(STEP, verify=False, batches=(2,)).files}
    assert files["2000_G.pth"] > 112_940 * 4
    assert files["2000.state"] > 2 * 59_000 * 4  # the classifier's, the frozen networks have none


@pytest.mark.parametrize("arch", ["classSR_3class_carn", "classSR_3class_srresnet"])
def test_the_others_run(arch):
    step = {**STEP, "networks.generator.arch": arch}
    tape = trace(step, verify=False, batches=(2,), validation=(64, 64))
    assert ledger(tape).peak(Samples(2, 2)).allocated > 0


def test_another_criterion_crashes_there_too():
    with pytest.raises(CannotTraceError, match="ClassSR_loss alone"):
        trace({**STEP, "losses": [{"role": "pixel", "type": "l1", "loss_weight": 1}]})
