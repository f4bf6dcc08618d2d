# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a user reads about a value: what is there, what was expected, what was probably meant."""
