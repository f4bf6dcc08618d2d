# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What trainlint says of a folder of configs: findings, fails one by one, digests of what is traced."""
