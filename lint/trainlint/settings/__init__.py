# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a project, its user and the command line ask for: the file, its keys, values, bounds and schema."""
