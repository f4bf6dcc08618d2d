# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the program reads its samples by: loaders, their batches, data sets that are not there."""
