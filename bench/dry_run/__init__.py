# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Other people's training programs through `trainlint dry-run`, and the data that they are given."""
