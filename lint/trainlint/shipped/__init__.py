# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What comes with trainlint and with installed packages, and what is kept of it between runs."""
