# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A file that is mapped takes no memory of a limited program."""

from __future__ import annotations

import subprocess
import sys

import pytest

resource = pytest.importorskip("resource")

PROGRAM = """
import resource, sys
import torch
from trainlint.trace.dry_run import mapped_files

for where, name, replacement in mapped_files.replacements() if sys.argv[2] == "with room" else ():
    setattr(where, name, replacement)
with open("/proc/self/status") as file:
    taken = next(int(line.split()[1]) << 10 for line in file if line.startswith("VmData:"))
resource.setrlimit(resource.RLIMIT_DATA, (taken + (64 << 20), resource.RLIM_INFINITY))
size = 1 << 30
kept = [torch.UntypedStorage.from_file(sys.argv[1], False, size) for _ in range(2)]
print(kept[1].nbytes())
"""


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts mappings as data")
@pytest.mark.parametrize(("mode", "ends"), [("with room", 0), ("without", 1)])
def test_a_mapped_file_takes_no_room(tmp_path, mode, ends):
    file = tmp_path / "weights"
    with file.open("wb") as sparse:
        sparse.truncate(1 << 30)
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(file), mode], capture_output=True, text=True, check=False
    )
    assert ran.returncode == ends, ran.stderr
    assert ends == 0 or "unable to mmap" in ran.stderr
