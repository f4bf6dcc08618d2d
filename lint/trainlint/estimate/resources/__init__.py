# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a run takes besides GPU memory: hours, sessions, disk, and the host's cores and RAM."""
