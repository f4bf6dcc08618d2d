# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The same step on a real GPU, with real tensors: what `trainlint measure` reads there."""
