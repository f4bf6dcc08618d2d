# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a run needs on a target: arithmetic over a spec and its tape, without torch."""
