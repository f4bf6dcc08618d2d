# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What runs inside the user's own program while it is tried without its GPU: torch answers as if there were one."""
