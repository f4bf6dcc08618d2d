# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What is wrong with a document: held to its schema and to the trainer's classes."""
