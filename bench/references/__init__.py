# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Steps traced here held against other code: original models, MemTracker, spandrel, other torch."""
