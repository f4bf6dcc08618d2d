# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Options that several commands have, declared once, and what they say as frozen objects."""
