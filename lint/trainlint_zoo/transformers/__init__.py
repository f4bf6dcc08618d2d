# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""transformers' Trainer, and the trainers that are built on it."""
