# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Slips that stop a run, or spoil it, planted in other people's repositories: how many are found."""
