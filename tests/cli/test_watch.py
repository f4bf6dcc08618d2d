# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`--watch`: what a run would read is looked at, and a change of it lints again."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from trainlint.cli import watch as module
from trainlint.cli.options.settings_from_options import settings_from
from trainlint.cli.options.shared_options import SharedOptions
from trainlint.cli.watch import Looked, wait, watch

from .conftest import hear_interrupts

pytestmark = pytest.mark.process


def looked(folder: Path) -> Looked:
    return Looked([str(folder)], partial(settings_from, [str(folder)], SharedOptions()))


def test_every_file_of_a_run_and_the_settings_are_looked_at(tmp_path, config) -> None:
    path = tmp_path / "a.yml"
    path.write_text(config)
    before = looked(tmp_path).state()
    assert str(path) in before
    assert looked(tmp_path).state() == before
    changes = (
        lambda: path.write_text(config + "\n"),
        lambda: (tmp_path / "b.yml").write_text(config),
        lambda: (tmp_path / "trainlint.toml").write_text(""),
        path.unlink,
    )
    for change in changes:
        change()
        after = looked(tmp_path).state()
        assert after != before
        before = after


def test_broken_settings_are_waited_for(tmp_path, config, monkeypatch, capsys) -> None:
    monkeypatch.setattr(module, "LOOK_INTERVAL_S", 0.0)
    (tmp_path / "a.yml").write_text(config)
    settings = tmp_path / "trainlint.toml"
    settings.write_text("target = [\n")
    runs = []

    def lint() -> int:
        runs.append(looked(tmp_path).settings())
        return 7

    def mended(seen, look) -> None:
        if runs:
            raise KeyboardInterrupt
        settings.write_text("")
        wait(seen, look)

    monkeypatch.setattr(module, "wait", mended)
    assert watch(looked(tmp_path), lint) == 7
    assert len(runs) == 1
    assert "trainlint.toml" in capsys.readouterr().err


def test_ctrl_c_while_it_lints_ends_it(tmp_path, config) -> None:
    (tmp_path / "a.yml").write_text(config)
    assert watch(looked(tmp_path), lambda: 130) == 130


@pytest.mark.skipif(sys.platform == "win32", reason="there Ctrl-C goes to a whole console")
def test_the_command_lints_again_and_ends_with_the_last_verdict(trainlint, variant) -> None:
    path = trainlint.write("a.yml", variant(("upscale: 4", "upscale: 2")))
    process = subprocess.Popen(
        [sys.executable, "-m", "trainlint", "a.yml", "--no-trace", "--watch"],
        cwd=trainlint.folder, env=trainlint.env | {"PYTHONUNBUFFERED": "1"}, encoding="utf-8",
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=hear_interrupts,  # noqa: PLW1509  # no thread of ours runs here
    )  # fmt: skip
    try:
        assert read_until(process.stderr, "watching")
        path.write_text(variant())
        assert read_until(process.stderr, "watching")
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0
    assert out.count("error[network-scale]") == 1
    assert "(1 error)" in out


def read_until(stream, word) -> bool:
    return any(word in line for line in iter(stream.readline, ""))


def test_wrong_use(trainlint, config) -> None:
    trainlint.write("a.yml", config)
    done = trainlint("a.yml", "--watch", "--fix")
    assert done.returncode == 2
    assert "--watch cannot be used with" in done.stderr
