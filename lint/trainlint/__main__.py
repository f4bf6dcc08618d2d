# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""`python -m trainlint`."""

import sys

if not sys.flags.safe_path:  # -m puts the working folder first: a linted tree's torch.py must not be imported
    del sys.path[0]

from trainlint.cli.entry import run

if __name__ == "__main__":
    run()
