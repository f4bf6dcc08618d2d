# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Where tapes come from: stored profiles, this process, or another interpreter."""
