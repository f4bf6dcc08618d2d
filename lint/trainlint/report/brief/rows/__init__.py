# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A job's figures as rows: memory, time and disk against what there is."""
