# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Fixes: edits that might help, each tried on the text, and the smallest that passes in every reading."""
