# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Measuring: what is asked of a GPU in a process of its own, and what that showed."""
