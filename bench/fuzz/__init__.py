# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Commands run on inputs that nobody wrote, and killed while they write."""
