# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Tracing: the only place that imports torch. A step goes in (trace.py), a tape comes out (tape.py)."""
