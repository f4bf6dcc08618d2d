# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What trainlint's figures are held against, one command per table or task: `python -m bench` lists them."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
"""The repository."""
