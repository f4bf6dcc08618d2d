# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Several GPUs in one trace: DataParallel and DistributedDataParallel, imitated card by card."""
