# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The way through the house: read, jobs, place, estimate, judge, fix."""
