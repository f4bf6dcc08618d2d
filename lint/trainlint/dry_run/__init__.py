# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A dry run: the user's own training program, started on the CPU as if it had the target's GPU.

starting/           a command -> which interpreter runs what, as rank 0 of how many (program, starter)
enclosure/          a process that leaves nothing behind: files, network, limits
rehearsing/         one run of the program -> what it wrote down; the runs that a verdict takes -> one tape
judging/            tape -> check's results; what the program died of
keeping/            the tape in the project, with what it was made from
dry_run             from words to results

What runs inside the program is trace/dry_run/; nothing here imports torch.
"""
