# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the program sees of a GPU: its devices, modules, moves, kernels, compilers and processes."""
