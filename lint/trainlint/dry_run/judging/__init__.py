# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a recorded run means: check's results, the crash that it ended with, a lower bound."""
