# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A dry run: the user's own training program, started on the CPU as if it had the target's GPU.

typed_command       a command -> which interpreter runs what, as rank 0 of how many (program, starter)
enclosure/          a process that leaves nothing behind: files, network, limits
rehearsal           one run of the program -> what it wrote down (outcome)
recordings          the runs that a verdict takes, and the tape that they make together
judged              tape -> check's results; crash, what the program died of
kept                the tape in the project, with what it was made from

What runs inside the program is trace/dry_run/; nothing here imports torch.
"""
