# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a command and the library share: settings become a pipeline, tapes and many files' results."""
