# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The memory estimate held against measured runs, and the page that says how far it is off."""
