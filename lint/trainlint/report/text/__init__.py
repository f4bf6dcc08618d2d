# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The text report that is read first: headline, three rows of figures, what is wrong, the edit to make."""
