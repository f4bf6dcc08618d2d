# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Paths and bytes: what may be opened, how much of it is read, and how a text is replaced in one step."""
