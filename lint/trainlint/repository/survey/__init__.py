# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a repository's Python says, read from its syntax trees by a process of its own. Nothing of it is run.

Standard library only: `survey_process.py` starts in a few hundredths of a second and holds the limits.
"""
