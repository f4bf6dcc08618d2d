# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The process that encloses itself and becomes the program: started by trainlint's interpreter, for one plan.

    python -I -c "from trainlint.dry_run.enclosure.enter import main; main()" PLAN

Its exit code is the program's, or 125 where it could not enclose itself as the plan says; the reason is then
on standard error. It dies with trainlint, and whatever the program started dies with it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable
from typing import Final, NoReturn

from trainlint.dry_run.enclosure.instructions import GUARDED_COPY, OVERLAY, Plan, load_plan, note
from trainlint.dry_run.enclosure.system_calls import ADOPTS, DIES_WITH_PARENT, NO_NEW_PRIVILEGES, control

NOT_ENCLOSED: Final = 125
"""Exit code of an enclosure that could not be made."""
WRITABLE: Final = ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/shm", "/proc/self")  # noqa: S108 - what it may use
"""What a program may write besides its private folder: devices that keep nothing, shared memory, itself."""
MOST_FILE_BYTES: Final = 64 << 30
"""Bytes of one file that it may write."""


def main() -> NoReturn:
    """Enclose this process and run the program."""
    plan = load_plan(sys.argv[1])
    control(DIES_WITH_PARENT, signal.SIGKILL)
    control(ADOPTS)
    try:
        code = _layered(plan) if plan.files == OVERLAY else _copied(plan)
    except OSError as error:
        sys.stderr.write(f"cannot enclose the program: {error}\n")
        sys.stderr.flush()
        code = NOT_ENCLOSED
    os._exit(code)


def _layered(plan: Plan) -> int:
    """Run the program in namespaces of its own: they end with their first process, and all in them."""
    from trainlint.dry_run.enclosure.namespaces import leave  # noqa: PLC0415 - of Linux alone

    leave(plan)
    return _child(lambda: _first(plan))


def _first(plan: Plan) -> int:
    """Be the first process of the new namespaces: make the view, start the program, wait for it."""
    from trainlint.dry_run.enclosure.namespaces import give_up_rights, layer, up  # noqa: PLC0415 - of Linux alone
    from trainlint.dry_run.enclosure.network_filter import IN_A_NAMESPACE, refuse_sockets  # noqa: PLC0415 - the same

    control(DIES_WITH_PARENT, signal.SIGKILL)
    without = layer(plan)
    for source, target in plan.laid:
        _lay(source, target)
    if not plan.network:
        up()
    give_up_rights()
    control(NO_NEW_PRIVILEGES)
    if not plan.network:
        refuse_sockets(IN_A_NAMESPACE)
    note(
        plan,
        files=plan.files,
        network="open" if plan.network else "none",
        without=without,
        asked=plan.network,
    )
    return _child(lambda: _program(plan))


def _lay(source: str, target: str) -> None:
    """Put what was made up where the program looks for it, in the private layer; a list hides the user's."""
    import shutil  # noqa: PLC0415 - for made-up data alone

    if os.path.isdir(source):
        shutil.copytree(source, target, dirs_exist_ok=True)
    else:
        if os.path.lexists(target):  # a link may lead nowhere
            os.unlink(target)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(source, target)


def _copied(plan: Plan) -> int:
    """Run the program in its copy; where the kernel has Landlock, it can write nowhere else."""
    network = "open"
    if plan.files == GUARDED_COPY:
        from trainlint.dry_run.enclosure.landlock import write_only_below  # noqa: PLC0415 - of Linux alone

        write_only_below((plan.private, *WRITABLE))
    if not plan.network and sys.platform == "linux":
        from trainlint.dry_run.enclosure.network_filter import LOCAL, refuse_sockets  # noqa: PLC0415 - of Linux alone

        network = "none" if refuse_sockets(LOCAL) else "open"
    note(plan, files=plan.files, network=network, without=[], asked=plan.network)
    return _child(lambda: _program(plan))


def _child(work: Callable[[], int]) -> int:
    """Do the work in a child and wait for it; what it leaves behind ends with it."""
    if not hasattr(os, "fork"):  # Windows: there is nothing to adopt
        return work()
    child = os.fork()
    if child == 0:
        try:
            code = work()
        except OSError as error:
            sys.stderr.write(f"cannot enclose the program: {error}\n")
            sys.stderr.flush()
            code = NOT_ENCLOSED
        os._exit(code)
    while True:
        ended, status = os.wait()
        if ended == child:
            _end_orphans()
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def _end_orphans() -> None:
    """End what the program left running, and what that leaves: its orphans were given to this process."""
    if sys.platform != "linux":
        return
    while orphans := _children():
        for orphan in orphans:
            with contextlib.suppress(ProcessLookupError):
                os.kill(orphan, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.wait()


def _children() -> list[int]:
    """Return this process's children, as far as the kernel lists them."""
    try:
        with open("/proc/thread-self/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def _program(plan: Plan) -> int:
    """Become the program."""
    _limit(plan)
    os.chdir(plan.folder)
    if sys.platform == "win32":
        import subprocess  # noqa: PLC0415 - exec starts another process there, and ends this one

        return subprocess.call(list(plan.argv), env=dict(plan.environment))  # noqa: S603 - the user's own program
    control(DIES_WITH_PARENT, signal.SIGKILL)
    return os.execvpe(plan.argv[0], plan.argv, dict(plan.environment))  # noqa: S606 - the user's own program


def _limit(plan: Plan) -> None:
    """Limit what each process may take: memory, processor time, a file's size."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return
    for name, most in (
        ("RLIMIT_DATA", plan.memory), ("RLIMIT_CPU", plan.cpu_s),
        ("RLIMIT_CORE", 0), ("RLIMIT_FSIZE", MOST_FILE_BYTES),
    ):  # fmt: skip
        what = getattr(resource, name, None)
        if what is None or (not most and name != "RLIMIT_CORE"):
            continue
        soft, hard = resource.getrlimit(what)
        least = min(limit for limit in (most, soft, hard) if limit != resource.RLIM_INFINITY)
        resource.setrlimit(what, (least, hard))
