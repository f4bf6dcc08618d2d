# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How inputs that nobody wrote are made: damaged configs, trees around them, settings and rules."""
