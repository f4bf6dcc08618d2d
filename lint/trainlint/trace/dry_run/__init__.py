# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What runs inside the user's own program while it is tried without a GPU: torch answers as with one."""
