# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Processes of our own (--jobs): files judged and steps traced for the process that prints."""
