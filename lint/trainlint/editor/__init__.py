# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What an editor shows of a config that is being written: remarks, fixes, hovers, completions.

Nothing here knows the protocol but `server`; texts and offsets go in, texts and spans come out.
"""
