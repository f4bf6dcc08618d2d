# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Memory of a job on a GPU: peaks of training, validation and tests, and the largest batch, crop and clip."""
