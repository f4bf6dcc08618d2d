# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a program is kept from, by each kind of enclosure that this machine has."""

from __future__ import annotations

import ast
import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

import pytest

from tests.sampling import sampled
from trainlint.dry_run.enclosure import copying, supervision
from trainlint.dry_run.enclosure import enclosure as enclosures
from trainlint.dry_run.enclosure.enclosure import Ended, best_kind, enclosure, private_folder
from trainlint.dry_run.enclosure.instructions import GUARDED_COPY, OVERLAY, PLAIN_COPY
from trainlint.dry_run.enclosure.namespaces import KEPT_CAPABILITIES
from trainlint.dry_run.enclosure.network_filter import SOCKET
from trainlint.dry_run.enclosure.supervision import Limits
from trainlint.dry_run.rehearsing.rehearsal import held_back
from trainlint.dry_run.rehearsing.run_record import Outcome

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a copy is all there is")
KINDS = (OVERLAY, GUARDED_COPY, PLAIN_COPY)


@cache
def works(kind):
    return kind == PLAIN_COPY or enclosures._works(kind)


@pytest.fixture(params=sampled(KINDS, 1))
def kind(request, monkeypatch):
    if not works(request.param):
        pytest.skip(f"this machine has no {request.param}")
    monkeypatch.setattr(enclosures, "best_kind", lambda _folder: request.param)
    return request.param


class Inside:
    """Runs Python code enclosed, in a project of its own."""

    def __init__(self, folder: Path, private: Path) -> None:
        self.project, self.private = folder / "project", private
        self.project.mkdir()
        (self.project / ".git").mkdir()
        (self.project / "config.yml").write_text("a: 1\n")

    def __call__(self, code: str, *, network: bool = False, **limits: float) -> Ended:
        shutil.rmtree(self.private)
        self.private.mkdir()
        self.around = enclosure(
            self.private, self.project, Limits(**{"seconds": 30, **limits}), network=network
        )
        return self.around.run((sys.executable, "-c", code), {"OUT": str(self.around.out)})


@pytest.fixture
def inside(tmp_path):
    with private_folder() as private:
        yield Inside(tmp_path, Path(private))


def test_what_is_written_in_the_project_does_not_remain(kind, inside):
    code = (
        "import os; os.mkdir('experiments'); open('config.yml', 'w').write('b')\n"
        "print(open('config.yml').read())"
    )
    ended = inside(code)
    assert (ended.code, ended.output) == (0, "b\n")
    assert (inside.project / "config.yml").read_text() == "a: 1\n"
    assert not (inside.project / "experiments").exists()


def test_what_is_written_elsewhere_does_not_remain_or_is_refused(kind, inside, tmp_path):
    if kind == PLAIN_COPY:
        pytest.skip("a copy alone holds nothing back elsewhere, and says so")
    other = tmp_path / "elsewhere"
    other.mkdir()
    ended = inside(f"open({str(other / 'file')!r}, 'w').write('x')")
    assert not (other / "file").exists()
    assert ended.code == (0 if kind == OVERLAY else 1)
    if kind == GUARDED_COPY:
        assert "PermissionError" in ended.output


def test_home_is_written_and_does_not_remain(kind, inside):
    code = "import os; open(os.path.expanduser('~/.trainlint-test'), 'w').write('x'); print('written')"
    ended = inside(code)
    assert ended.output == "written\n"
    assert not Path("~/.trainlint-test").expanduser().exists()


def test_there_is_no_network_unless_it_is_asked_for(kind, inside):
    code = (
        "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "s.connect(('192.0.2.1', 9)); print('open')"
    )
    ended = inside(code)
    assert "open" not in ended.output
    assert ended.code == 1


@pytest.mark.skipif(platform.machine() not in SOCKET, reason="no filter for this machine")
def test_nor_is_there_a_way_to_the_machine_around_a_virtual_one(kind, inside):
    """AF_VSOCK, which no namespace has its own of."""
    code = "import socket; socket.socketpair(); socket.socket(40, socket.SOCK_STREAM); print('open')"
    assert "PermissionError" in inside(code).output
    assert "PermissionError" not in inside(code, network=True).output


def test_processes_talk_to_each_other_all_the_same(kind, inside):
    code = (
        "import multiprocessing as m; q = m.Queue(); p = m.Process(target=q.put, args=(7,))\n"
        "p.start(); print(q.get()); p.join()"
    )
    assert inside(code).output == "7\n"


def test_they_do_where_the_temporary_folder_is_deep(tmp_path, monkeypatch):
    deep = tmp_path / ("d" * 80)
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    with private_folder() as private, socket.socket(socket.AF_UNIX) as listener:
        place = Path(private, "tmp", "pymp-12345678")
        place.mkdir(parents=True)
        listener.bind(str(place / "listener-12345678"))


def test_what_a_program_leaves_running_ends_with_it(kind, inside):
    mark = f"trainlint-test-{os.getpid()}-{time.monotonic_ns()}"
    code = (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        f"        time.sleep(300)  # {mark}\n"
        "    os._exit(0)\n"
    )
    assert inside(code).code == 0
    assert not [pid for pid in os.listdir("/proc") if pid.isdigit() and mark in _words(pid)]


def _words(pid: str) -> str:
    try:
        return Path("/proc", pid, "cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""


@pytest.mark.rest
def test_a_program_that_takes_too_long_is_ended(kind, inside):
    started = time.monotonic()
    ended = inside("import time; time.sleep(60)", seconds=1)
    assert ended.stopped == "it took longer than 1 s (--timeout)"
    assert time.monotonic() - started < 20


def test_memory_is_that_of_all_its_processes(kind, inside):
    code = "import os, time\nfor _ in range(3): os.fork()\nkept = bytearray(64 << 20); time.sleep(20)"
    ended = inside(code, memory=256 << 20)
    assert ended.stopped == "it took more than 0 GiB of this machine's memory"


def test_too_many_processes_end_it(kind, inside):
    code = "import os, time\nfor _ in range(4): os.fork()\ntime.sleep(20)"
    assert inside(code, processes=10).stopped == "it started more than 10 processes"


def test_what_it_writes_for_us_is_seen(kind, inside):
    inside("import os; open(os.environ['OUT'] + '/x', 'w').write('seen')")
    assert (inside.around.out / "x").read_text() == "seen"


def test_a_report_says_what_could_not_be_held_back(kind, inside):
    inside("pass")
    said = " ".join(held_back(Outcome("ended", inside.around.out)))
    assert ("remains" in said) == (kind == PLAIN_COPY)
    assert ("in a copy" in said) == (kind == GUARDED_COPY)


def test_the_best_kind_is_one_in_which_the_folder_can_be_written(tmp_path):
    (tmp_path / "train.log").write_text("old\n")
    tried = {OVERLAY: enclosures.WRITE_TEST, GUARDED_COPY: "", PLAIN_COPY: ""}
    works = (kind for kind in KINDS if enclosures._works(kind, tmp_path, tried[kind]))
    assert best_kind(tmp_path) == next(works)
    assert os.listdir(tmp_path) == ["train.log"]


def test_a_layer_that_cannot_take_over_a_folder_is_not_used(monkeypatch, tmp_path):
    monkeypatch.setattr(
        enclosures, "WRITE_TEST", "raise OSError(75, 'Value too large for defined data type')"
    )
    assert best_kind(tmp_path) != OVERLAY


def test_devices_are_few(kind, inside):
    if kind != OVERLAY:
        pytest.skip("elsewhere a program opens what its user may open, and docs/security.md says so")
    names = inside("import os; print(*sorted(os.listdir('/dev')))").output.split()
    assert {"null", "zero", "random", "urandom"} <= set(names)
    assert set(names) <= {
        "null", "zero", "full", "random", "urandom", "tty", "shm", "fd", "stdin", "stdout", "stderr",
        "ptmx", "pts",
    }  # fmt: skip


def test_rights_that_root_has_are_given_up(kind, inside):
    if kind != OVERLAY or os.geteuid():
        pytest.skip("there are none to give up, or they are not given up here")
    code = "print([l.split()[1] for l in open('/proc/self/status') if l.startswith(('CapEff', 'CapBnd'))])"
    for held in ast.literal_eval(inside(code).output):
        assert {bit for bit in range(64) if int(held, 16) >> bit & 1} <= KEPT_CAPABILITIES


def test_a_folder_of_data_is_not_written_but_for_a_copy_alone(kind, inside, monkeypatch):
    monkeypatch.setattr(copying, "DATA_FOLDER_ENTRIES", 3)
    for name in ("images/1", "images/2", "images/3", "wandb/old"):
        place = inside.project / name
        place.parent.mkdir(exist_ok=True)
        place.write_text("x")
    for folder in ("images", "wandb"):
        ended = inside(f"open('{folder}/new', 'w').write('y')")
        assert (ended.code == 1) == (kind == GUARDED_COPY)
        assert (inside.project / folder / "new").exists() == (kind == PLAIN_COPY)


def test_a_large_file_of_the_project_is_not_written_but_for_a_copy_alone(kind, inside):
    large = inside.project / "weights.pth"
    large.write_bytes(bytes(3 * 2**20))
    inside("open('weights.pth', 'r+b').write(b'x')")
    assert (large.read_bytes()[:1] == b"x") == (kind == PLAIN_COPY)


FAMILY = """\
import subprocess, sys, threading
child = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'print(flush=True); input()'])"
thread = threading.Thread(target=lambda: subprocess.Popen([sys.executable, "-c", child]))
thread.start()
thread.join()
threading.Event().wait(60)
"""


@pytest.mark.process
@pytest.mark.skipif(not Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").exists(), reason="no lists")
def test_the_lists_of_children_name_what_a_look_at_every_process_does():
    words = [sys.executable, "-c", FAMILY]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as first:
        first.stdout.readline()
        listed = sorted(supervision._listed_descendants(first.pid))
        assert listed == sorted(supervision._descendants(first.pid))
        assert len(listed) == 2
        first.kill()
