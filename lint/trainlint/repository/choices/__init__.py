# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How a repository chooses among names: by conditions, by tables, by registries."""
