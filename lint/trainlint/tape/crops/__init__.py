# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A step's tapes at several crops: what lies between the traced sides, and the small files that keep it."""
