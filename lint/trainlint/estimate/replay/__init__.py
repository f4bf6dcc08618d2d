# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A tape played through CUDA's allocator on one card: what is live, what is reserved, what still fits."""
