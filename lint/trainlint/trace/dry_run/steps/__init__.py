# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the program does with it: storages that live, networks, optimizer rounds, the recording."""
