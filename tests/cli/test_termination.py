# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A run that is asked to end leaves no process and no temporary folder; one that is killed no process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SLOW = "#!/bin/sh\nsleep 60 &\necho $! > pid.new\nmv pid.new $HERE/pid\nwait\n"
pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")


def wait_for(seen, seconds: float = 30) -> bool:
    end = time.monotonic() + seconds
    while not seen():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def runs(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


@pytest.fixture(params=["check", "trace"])
def slow(trainlint, config, request):
    """Start a command whose interpreter sleeps; return it and the sleeper's number."""
    trainlint.write("a.yml", config.replace("num_feat: 64", "num_feat: 62"))
    trainlint.write("slow", "#!/bin/sh\nsleep 60 &\necho $! > pid.new\nmv pid.new $HERE/pid\nwait\n").chmod(
        0o755
    )
    (trainlint.folder / "tmp").mkdir()
    environment = {**trainlint.env, "TMPDIR": str(trainlint.folder / "tmp"), "HERE": str(trainlint.folder)}
    words = [request.param, "-t", "rtx-3060", "--python", "./slow", "a.yml"]
    command = [sys.executable, "-m", "trainlint", *words]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, cwd=trainlint.folder, env=environment, **quiet)
    number = trainlint.folder / "pid"
    assert wait_for(number.exists)
    yield process, int(number.read_text())
    process.kill()


def test_asked_to_end_it_takes_all_with_it(trainlint, slow) -> None:
    process, sleeper = slow
    assert runs(sleeper)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=30) == 143
    assert wait_for(lambda: not runs(sleeper), 5)
    assert [*(trainlint.folder / "tmp").iterdir()] == []


@pytest.mark.rest
def test_a_process_of_ours_ends_with_the_one_that_started_it(tmp_path) -> None:
    child = "from trainlint.child_processes import end_with_parent as e; e(); import time; time.sleep(60)"
    parent = (
        "import subprocess, sys, time; c = subprocess.Popen([sys.executable, '-c', sys.argv[1]]);"
        "open('pid.new', 'w').write(str(c.pid)); import os; os.rename('pid.new', 'pid'); time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", parent, child], cwd=tmp_path)
    assert wait_for((tmp_path / "pid").exists)
    number = int((tmp_path / "pid").read_text())
    time.sleep(1)
    process.kill()
    process.wait()
    assert wait_for(lambda: not runs(number), 10)


@pytest.mark.rest
def test_it_ends_where_that_one_was_gone_before_it_looked(tmp_path) -> None:
    child = (
        "import os, time\n"
        "while str(os.getppid()) == os.environ['TRAINLINT_STARTER']: time.sleep(0.01)\n"
        "from trainlint.child_processes import end_with_parent as e; e(); time.sleep(60)"
    )
    parent = (
        "import os, subprocess, sys; from trainlint.child_processes import environment;"
        "c = subprocess.Popen([sys.executable, '-c', sys.argv[1]], env=environment());"
        "open('pid', 'w').write(str(c.pid))"
    )
    subprocess.run([sys.executable, "-c", parent, child], cwd=tmp_path, check=True)
    number = int((tmp_path / "pid").read_text())
    assert wait_for(lambda: not runs(number), 20)


@pytest.mark.rest
def test_what_traces_for_an_editor_ends_with_the_editors_server(tmp_path) -> None:
    slow = (
        "import time; from trainlint.cli.commands import lsp_command as m;"
        "m.load_settings = lambda _path: time.sleep(60); m.lsp_command(['--trace-file', 'a.yml'])"
    )
    (tmp_path / "a.yml").touch()
    process = subprocess.Popen([sys.executable, "-c", slow], cwd=tmp_path, stdin=subprocess.PIPE)
    assert process.stdin is not None
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=0.5)
    process.stdin.close()
    assert process.wait(timeout=30) == 143
