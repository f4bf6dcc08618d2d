# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a program does besides its trainer's arguments that leaves open what is trained."""
