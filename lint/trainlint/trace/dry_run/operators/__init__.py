# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Every operator that the program calls: answered, recorded, its values followed or guessed."""
