# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""How a repository's Python uses the keys of its option files, against how the published trainers do."""
