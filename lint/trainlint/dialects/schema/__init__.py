# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A dialect and the JSON Schema behind it: what it says of each value, and whether a value fits."""
