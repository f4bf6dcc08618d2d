# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Networks of BasicSR before 1.0 that today's has otherwise."""
