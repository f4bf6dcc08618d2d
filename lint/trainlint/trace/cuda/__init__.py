# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What CUDA does and the meta device does not: its autocast, kernels, memory formats and sums, imitated."""
