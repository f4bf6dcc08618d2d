# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Memory in a report: figures, parts, tables and moments in plain words."""
