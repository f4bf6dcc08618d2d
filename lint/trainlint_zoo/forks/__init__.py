# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Repositories of papers that train in a copy of BasicSR, and their networks' presets elsewhere."""
