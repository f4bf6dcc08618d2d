# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The real command with torch: memory, explain, fit, trace, and the profiles that replace torch."""

from __future__ import annotations

import json
import pickle
import re

import pytest

from tests.warm_cache import warm
from trainlint.tape import FORMAT

from .conftest import unfolded

pytest.importorskip("torch")

pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    """Return the command in a folder whose config was traced once, into the user's cache."""
    from .conftest import CONFIG, Command  # noqa: PLC0415 - skipped without torch

    command = Command(tmp_path_factory.mktemp("traced"))
    command.write("a.yml", CONFIG)
    done = command("trace", "a.yml")
    assert done.returncode == 0, done.stderr
    return command


def test_trace_writes_small_profiles_into_the_project(traced) -> None:
    stored = list((traced.folder / ".trainlint" / "profiles").glob("*.tape"))
    assert stored
    assert all(path.stat().st_size < 50_000 for path in stored)


def test_a_stored_profile_needs_no_torch(traced, tmp_path) -> None:
    traced.env["XDG_CACHE_HOME"] = str(warm(tmp_path))
    (result,) = traced.json("a.yml", "-t", "rtx-3060")["results"]
    (gpu,) = result["facts"]["memory"]["gpus"]
    assert result["outcome"] == "pass"
    assert 0 < gpu["allocated"] < gpu["least"] <= gpu["expect"] <= gpu["worst"]
    assert sum(result["facts"]["memory"]["parts"].values()) == gpu["allocated"]
    assert sum(result["facts"]["memory"]["belongings"].values()) == gpu["allocated"]
    assert result["networks"] == [{"role": "generator", "arch": "MSRResNet", "parameters": 1517571}]


def test_another_batch_is_judged_from_the_same_profile(traced, variant) -> None:
    traced.write("b.yml", variant(("batch_size_per_gpu: 16", "batch_size_per_gpu: 2000")))
    done = traced("--no-trace", "b.yml", "-t", "rtx-3060", "--format", "concise")
    assert done.returncode == 1
    assert "[vram-budget]" in done.stdout


def test_no_torch_and_no_profile_is_a_skip_with_the_reason(traced, variant) -> None:
    traced.write("c.yml", variant(("num_feat: 64", "num_feat: 32")))
    (result,) = traced.json("c.yml", "-t", "rtx-3060")["results"]
    assert result["outcome"] == "skipped"
    reasons = {skip["rule"]: skip["reason"] for skip in result["skipped"]}
    assert "no stored profile" in reasons["vram-budget"]


@pytest.mark.parametrize("command", ["check", "explain", "fit"])
def test_a_profile_that_is_not_used_is_named_though_another_answers(
    traced, command, tmp_path, monkeypatch
) -> None:
    cache, project = tmp_path / "trainlint" / "profiles", tmp_path / "project"
    monkeypatch.setitem(traced.env, "XDG_CACHE_HOME", str(warm(tmp_path)))
    for folder in (cache, project):
        folder.mkdir(parents=True)
    for path in (traced.folder / ".trainlint" / "profiles").glob("*.tape"):
        good = path.read_bytes()
        (cache / path.name).write_bytes(good)
        (project / path.name).write_bytes(good.replace(b'"trainlint tape": ', b'"trainlint tape": 7'))
    done = traced(command, "a.yml", "-t", "rtx-3060", "--no-trace", "--profiles-dir", str(project))
    assert done.returncode == 0, done.stderr
    refused = f"profile not used, its format is 7{FORMAT}, this trainlint reads {FORMAT}: {project}"
    assert refused in unfolded(done.stdout + done.stderr)


def test_a_card_that_nobody_named_is_named(traced, variant) -> None:
    named = "no target is named: one rtx-4090 is assumed"
    assert traced("explain", "a.yml").stdout.startswith(
        f"{named}; --target NAME takes another\n\na.yml on rtx-4090"
    )
    assert named not in traced("explain", "a.yml", "-t", "rtx-3060").stdout
    traced.write("e/a.yml", variant())
    assert named in traced("trace", "e/a.yml", "--profiles-dir", "e/kept").stderr
    assert named not in traced("trace", "e/a.yml", "--profiles-dir", "e/kept", "-t", "rtx-4090").stderr


def test_explain_adds_up(traced) -> None:
    done = traced("explain", "a.yml", "-t", "rtx-3060")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    head = next(at for at, line in enumerate(lines) if line.startswith("MiB"))
    columns = lines[head].index("total") + len("total")
    figures = {}
    for line in lines[head + 1 : lines.index("", head)]:
        name, _, figure = line[:columns].strip().rpartition(" ")
        figures[name.split("  ")[0]] = int(figure.replace(",", ""))
    (tensors,) = (at for at, name in enumerate(figures) if name == "tensors")
    kinds, beyond = list(figures)[:tensors], list(figures)[tensors + 1 : -3]
    assert f"peak of live tensors: {figures['tensors']} MiB, in the generator's" in done.stdout
    assert sum(figures[kind] for kind in kinds) == figures["tensors"]
    assert figures["tensors"] + sum(figures[part] for part in beyond) == figures["expect"]
    assert {"activations", "optimizer", "parameters", "backward temporaries"} <= set(kinds)
    assert "CUDA context" in beyond
    assert "the 10 largest tensors" in done.stdout
    assert "3x3 convolution, 16 x 64 x 128 x 128 float32" in done.stdout


def test_the_snapshot_is_one_that_torch_reads(traced) -> None:
    from torch.cuda import _memory_viz  # noqa: PLC0415 - skipped without torch

    done = traced("explain", "a.yml", "-t", "rtx-3060", "--snapshot", "snapshot.pickle")
    assert done.returncode == 0, done.stderr
    data = pickle.loads((traced.folder / "snapshot.pickle").read_bytes())  # noqa: S301  # written by us
    assert "entries" in _memory_viz.trace(data)
    assert "Summary of segments" in _memory_viz.segsum(data)  # which adds everything up itself
    assert "module:0:generator:conv_hr.weight" in _memory_viz.memory(data, str)


def test_a_snapshot_of_several_explanations_is_of_the_first(traced) -> None:
    done = traced("explain", "a.yml", "-t", "rtx-3060", "-t", "kaggle-t4x2", "--snapshot", "first.pickle")
    assert done.returncode == 0, done.stderr
    assert "wrote first.pickle: a.yml on rtx-3060, the first of 2" in done.stderr


def test_fit_compares_targets_the_smallest_first(traced) -> None:
    done = traced("fit", "a.yml", "-t", "h200", "-t", "rtx-3060", "-t", "kaggle-t4x2")
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.partition("\ntarget ")[2].splitlines()[1:]]
    assert [row[0] for row in rows] == ["rtx-3060", "kaggle-t4x2", "h200"]
    assert rows[0][1] == "pass"


def test_fit_says_of_a_machine_without_a_gpu_that_it_has_none(traced) -> None:
    done = traced("fit", "a.yml", "-t", "kaggle-cpu", "-t", "rtx-3060")
    row = next(line for line in done.stdout.splitlines() if line.startswith("kaggle-cpu"))
    assert "no GPU" in row
    assert re.search(r"not judged +no GPU\b", row)
    assert "(memory in GiB, " in done.stdout
    assert "limit and safe by memory alone: batch_size_per_gpu)" in unfolded(done.stdout)


def test_explain_says_why_it_cannot(traced, variant) -> None:
    traced.write("d.yml", variant(("type: MSRResNet", "type: MyNet")))
    done = traced("explain", "d.yml", "-t", "rtx-3060")
    assert done.returncode == 2
    assert "MyNet" in done.stderr
    assert "Traceback" not in done.stderr


def test_fit_tells_the_largest_batch(traced) -> None:
    done = traced("fit", "a.yml", "-t", "rtx-3060")
    row = next(line for line in done.stdout.splitlines() if "rtx-3060" in line)
    assert not re.search(r"\s0\s", row), row


def test_the_largest_batch_is_told_in_the_configs_own_unit(traced, variant) -> None:
    """Made for four GPUs and started on two: DataParallel puts twice the config's figure on each."""

    def judged(batch):
        wide = variant(
            ("num_gpu: 1", "num_gpu: 4"), ("batch_size_per_gpu: 16", f"batch_size_per_gpu: {batch}")
        )
        traced.write("wide.yml", wide)
        done = traced("wide.yml", "-t", "kaggle-t4x2", "--format", "json", "--launcher", "none")
        (result,) = json.loads(done.stdout)["results"]
        notes = [finding["notes"] for finding in result["findings"] if finding["rule"] == "vram-budget"]
        return result["facts"]["memory"], notes

    memory, (notes,) = judged(900)
    half = memory["largest_batch"] // 2
    assert memory["batch"] == {"key": "batch_size_per_gpu", "value": half, "samples": half * 4}
    assert any(f"puts 1800 samples on one GPU here; the limit is {half} in" in note for note in notes)
    assert judged(half)[1] == []
