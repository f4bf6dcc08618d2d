# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The Python API, and the examples of its page."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import nn

import trainlint
from tests import in_process
from trainlint.api import Outcome, Settings, TrainlintError, check, estimate
from trainlint.model.launcher import LAUNCHERS, Launcher
from trainlint.session.call_arguments import settings_over
from trainlint.trace.building.build import build

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "realesrgan_x4.yml"
BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "api.md").read_text("utf-8"), re.DOTALL)


def test_check_is_what_the_command_says(tmp_path) -> None:
    config = tmp_path / "a.yml"
    text = (ROOT / "examples" / "msrresnet_x4.yml").read_text("utf-8")
    config.write_text(text.replace("gt_size: 128", "gt_size: 126"), "utf-8")
    report = trainlint.check(config, targets=["kaggle-t4x2"], trace=False)
    words = (str(config), "-t", "kaggle-t4x2", "--no-trace", "--format", "json")
    said = json.loads(in_process.run_with(Path(), os.environ, *words).stdout)["results"]
    assert [(one.variant, one.outcome, len(one.findings)) for one in report.results] == [
        (one["variant"], one["outcome"], len(one["findings"])) for one in said
    ]
    assert {one.outcome for one in report.results} == {Outcome.FAIL}


def test_settings_are_keywords() -> None:
    def run(**settings) -> int:
        report = check([EXAMPLE], targets=["kaggle-t4x2"], trace=False, **settings)
        return len(report.results)

    assert run() == 2
    assert run(gpu_count=1) == 1
    with pytest.raises(TrainlintError, match='there is no setting "gpus_count"'):
        run(gpus_count=1)


@pytest.mark.parametrize(
    ("keywords", "field", "value"),
    [
        ({"launcher": "torchrun"}, "launcher", Launcher("torchrun", "setting")),
        ({"launcher": "torchrun:4"}, "launcher", Launcher("torchrun", "setting", 4)),
        ({"launcher": "none"}, "launcher", Launcher("none", "setting")),
        ({"sessions": "many"}, "sessions", "many"),
        ({"fail_on": "warn"}, "fail_on", "warn"),
        ({"strict": False}, "strict", False),
        ({"levels": {"vram-tight": "fail"}}, "levels", {"vram-tight": "fail"}),
        ({"ignore": "loader-bound"}, "ignore", ("loader-bound",)),
        ({"rules": ROOT / "rules"}, "rules", (ROOT / "rules",)),
        ({"validation_size": (512, 768)}, "validation_size", (512, 768)),
        ({"gpu_count": None}, "gpu_count", None),
        ({"target": "rtx-3060"}, "target", ("rtx-3060",)),
    ],
)
def test_a_keyword_is_read_as_a_settings_file_is(keywords, field, value) -> None:
    settings = settings_over(Settings(strict=True), (), keywords)
    assert getattr(settings, field) == value


@pytest.mark.parametrize(
    ("keywords", "said"),
    [
        ({"launcher": "mpirun"}, "expected one of none, torchrun, slurm"),
        ({"launcher": "torchrun:0"}, "expected one of none, torchrun, slurm"),
        ({"sessions": "two"}, 'expected "one" or "many"'),
        ({"fail_on": "error"}, 'expected "warn" or "fail"'),
        ({"levels": {"vram-tight": "error"}}, '"warn" or "fail"'),
        ({"strict": "yes"}, "expected true or false"),
        ({"gpu_count": "1"}, "expected a number of GPUs above 0"),
        ({"repo": "nowhere"}, 'there is no "nowhere", expected a folder'),
        ({"measured": 3}, 'there is no setting "measured"'),
        ({"lancher": "none"}, 'did you mean launcher="...'),
        ({"target": "t4"}, "targets are named twice"),
    ],
)
def test_what_a_setting_may_not_be_raises_one_message(keywords, said) -> None:
    with pytest.raises(TrainlintError, match=re.escape(said)):
        check(EXAMPLE, "rtx-3060", trace=False, **keywords)


def test_each_launcher_is_judged() -> None:
    for launcher in LAUNCHERS:
        report = check(EXAMPLE, "rtx-3060", trace=False, launcher=launcher)
        assert not report.crashes
        assert report.results


def test_a_path_that_is_none_raises_one_message() -> None:
    for path in (3, None, [3]):
        with pytest.raises(TrainlintError, match="expected a path or a list of paths"):
            check(path)


def test_what_is_not_there_raises_one_message() -> None:
    with pytest.raises(TrainlintError, match="nowhere"):
        check("nowhere.yml")
    with pytest.raises(TrainlintError, match="no-such-card"):
        check(EXAMPLE, targets=["no-such-card"])
    with pytest.raises(TrainlintError, match="no paths given"):
        check([])


def test_importing_it_starts_no_engine() -> None:
    words = [
        sys.executable,
        "-c",
        "import sys, trainlint; print([m for m in sys.modules if 'cel' in m or m == 'torch'])",
    ]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "[]\n"


def net():
    return nn.Sequential(nn.Conv2d(3, 64, 3, padding=1), nn.ReLU(), nn.Conv2d(64, 3, 3, padding=1))


def test_a_module_is_estimated_as_its_config_would_be() -> None:
    """The same network by its name in trainlint's own format, and handed over."""
    keys = {"batch": 4, "optimizer": "Adam", "loss": "l1", "targets": ["rtx-3060"]}
    args = {"num_in_ch": 3, "num_out_ch": 3, "num_feat": 16, "num_block": 2, "upscale": 4}
    handed = estimate(lambda: build("basicsr", "MSRResNet", args), (3, 32, 32), **keys)
    job = {"model": "MSRResNet", "args": args, "input": [3, 32, 32], "batch": 4}
    named = estimate(job | {"optimizer": "Adam", "loss": "l1"}, targets=["rtx-3060"])
    one, other = (report.results[0].facts.memory for report in (handed, named))
    assert one.gpus[0].allocated == other.gpus[0].allocated > 0
    assert one.largest_batch == other.largest_batch


def test_a_module_at_hand_is_left_as_it_is() -> None:
    module = net().eval()
    (result,) = estimate(module, (3, 64, 64), batch=2, targets=["rtx-3060"]).results
    assert result.outcome is Outcome.PASS
    assert not module.training
    assert {parameter.device.type for parameter in module.parameters()} == {"cpu"}
    assert result.networks[0].parameters == sum(parameter.numel() for parameter in module.parameters())


def test_a_batch_that_does_not_fit_fails() -> None:
    (result,) = estimate(net, (3, 1024, 1024), batch=64, targets=["rtx-3060"]).results
    assert result.outcome is Outcome.FAIL
    assert result.facts.memory.largest_batch < 64
    assert "vram-budget" in {finding.rule for finding in result.findings}


def test_what_the_network_refuses_is_said() -> None:
    (result,) = estimate(net, (4, 64, 64), batch=2, targets=["rtx-3060"]).results
    assert result.outcome is not Outcome.PASS
    said = " ".join((*(one.message for one in result.findings), *(one.reason for one in result.skips)))
    assert "does not take this input, at 0 (given 2 x 4 x 64 x 64)" in said


@pytest.mark.slow
@pytest.mark.parametrize("code", BLOCKS, ids=range(len(BLOCKS)))
def test_the_examples_of_the_page_run(code) -> None:
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(r"fail|GiB, largest batch \d+", done.stdout)


def test_it_is_typed() -> None:
    assert (ROOT / "lint" / "trainlint" / "py.typed").is_file()


class Tokens(nn.Module):
    """Takes whole numbers and gives scores of every place, classes last, in a dict as libraries do."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.head = nn.Embedding(1000, 32), nn.Linear(32, 1000)

    def forward(self, ids):
        return {"logits": self.head(self.embed(ids)), "other": None}


class Two(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.image, self.label = nn.Conv2d(3, 8, 3, padding=1), nn.Embedding(10, 8)

    def forward(self, image, label):
        return self.image(image) + self.label(label)[:, :, None, None]


def allocated(report) -> int:
    (result,) = report.results
    assert result.outcome is Outcome.PASS, str(report)
    return result.facts.memory.gpus[0].allocated


def test_whole_numbers_are_tried_where_a_network_wants_them() -> None:
    keys = {"batch": 4, "targets": ["rtx-3060"]}
    found = allocated(estimate(Tokens, (64,), loss="cross-entropy", **keys))
    given = torch.zeros(64, dtype=torch.long)
    assert allocated(estimate(Tokens, given, loss=nn.CrossEntropyLoss(), **keys)) == found > 0


def test_several_inputs_and_a_step_of_ones_own() -> None:
    keys = {"batch": 4, "targets": ["rtx-3060"]}
    label = torch.zeros((), dtype=torch.long)
    listed = allocated(estimate(Two, [(3, 32, 32), label], **keys))
    assert allocated(estimate(Two, {"image": (3, 32, 32), "label": label}, **keys)) == listed

    def step(model, batch):
        return model(**batch).square().mean()

    assert allocated(estimate(Two, {"image": (3, 32, 32), "label": label}, step=step, **keys)) > 0
    assert allocated(estimate(Two, [(3, 32, 32), label], loss=lambda a, b: (a - b).abs().mean(), **keys)) > 0


def test_what_cannot_be_fed_is_a_skip() -> None:
    (result,) = estimate(Two, (3, 32, 32), batch=4, targets=["rtx-3060"]).results
    assert result.outcome is Outcome.SKIPPED
    assert "Two does not take this input" in " ".join(one.reason for one in result.skips)
    with pytest.raises(TrainlintError, match="expected the shape of one sample"):
        estimate(Two, "abc", targets=["rtx-3060"])


def sgd() -> torch.optim.Optimizer:
    """Return an optimizer, of which the first imports a tenth of torch: not for who only collects tests."""
    return torch.optim.SGD(net().parameters())


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"precision": "fp8"}, '"precision" is "fp8", expected one of fp32, tf32, fp16, bf16'),
        ({"precision": None}, '"precision" is nothing'),
        ({"optimizer": "adam"}, '"optimizer" is "adam", expected one of'),
        ({"optimizer": {"lr": 1}}, 'missing key "type" in "optimizer"'),
        ({"optimizer": sgd}, 'expected its name ("SGD")'),
        ({"target": "rtx-3060"}, 'give a machine as targets="rtx-3060"'),
        ({"loss": "charbonnier"}, '"loss" must be one of mse'),
        ({"loss": nn.L1Loss}, "expected L1Loss()"),
        ({"loss": 3}, "expected a function of output and target"),
        ({"step": "x"}, "expected a function of the network and a batch"),
        ({"batch": "4"}, 'expected an integer for "batch"'),
        ({"target": 3}, "expected the shape of one sample's target"),
        ({"targets": 3}, "expected a target's name or a list of them"),
        ({"targets": "no-such-card"}, 'unknown target "no-such-card"'),
    ],
)
def test_an_argument_that_is_none_raises_one_message(keys, said) -> None:
    given = {name: sgd() if value is sgd else value for name, value in keys.items()}
    with pytest.raises(TrainlintError, match=re.escape(said)):
        estimate(net, (3, 64, 64), **{"targets": "rtx-3060", **given})


@pytest.mark.parametrize("model", ["resnet50", None, 3])
def test_what_is_no_network_raises_one_message(model) -> None:
    with pytest.raises(TrainlintError, match="expected a module, a function that makes one"):
        estimate(model, (3, 64, 64))


@pytest.mark.parametrize("precision", ["fp32", "tf32", "fp16", "bf16", "half", torch.bfloat16])
def test_each_precision_is_judged(precision) -> None:
    (result,) = estimate(net, (3, 64, 64), batch=2, targets="rtx-3060", precision=precision).results
    assert result.outcome is Outcome.PASS


def test_a_network_without_a_loss_is_a_skip_that_says_so() -> None:
    (result,) = estimate(net, (3, 64, 64), batch=2, targets="rtx-3060", loss=None).results
    assert "net returns no loss of its own, and none is named" in " ".join(one.reason for one in result.skips)
    (made,) = estimate(lambda: 3, (3, 64, 64), batch=2, targets="rtx-3060").results
    assert "makes 3, which is not a torch.nn.Module" in " ".join(one.reason for one in made.skips)


@pytest.mark.parametrize(("keys", "said"), [({"crop": 64}, '"crop"'), ({"batch": 0}, '"batch" is 0')])
def test_a_keyword_that_no_job_has_is_a_wrong_call(keys, said) -> None:
    with pytest.raises(TrainlintError, match=rf"estimate\(\): .*{said}"):
        estimate(net, (3, 64, 64), targets=["rtx-3060"], **keys)


def test_the_room_can_be_called_and_a_report_prints() -> None:
    report = trainlint.estimate(net, (3, 64, 64), batch=2, targets=["rtx-3060"])
    assert str(report).startswith("pass  <net> on rtx-3060: ")
