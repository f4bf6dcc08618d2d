# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Shell text as simple commands and words: POSIX shells, cmd.exe and PowerShell, read and never run."""
