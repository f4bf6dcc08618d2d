# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""JSON, format 1, with everything that is known of every reading."""

from trainlint.report.format import Format
from trainlint.report.json_version_1 import render

FORMAT = Format(render, notes=True)
