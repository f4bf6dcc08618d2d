# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the engine knows of the zoo: where its files are and what they are called, without torch."""
