# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What a repository's copy of a trainer runs, held against all published versions, function by function."""
