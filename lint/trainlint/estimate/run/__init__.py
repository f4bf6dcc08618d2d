# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The run as its trainer sets it up: processes, batches, iterations, and the image of a validation."""
