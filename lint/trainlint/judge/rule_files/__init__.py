# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Rules' files: read, compiled, and checked against what there is to name."""
