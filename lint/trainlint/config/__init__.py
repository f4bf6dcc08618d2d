# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""YAML, JSON and TOML as documents whose every value has its place, and edits of their texts."""
