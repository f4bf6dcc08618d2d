# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Networks and recipes by their names in configs, and their signatures, read without torch."""
