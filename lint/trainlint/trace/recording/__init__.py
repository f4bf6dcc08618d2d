# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The recording of a step: every operator answered on meta, what it allocates and costs, and who made it."""
