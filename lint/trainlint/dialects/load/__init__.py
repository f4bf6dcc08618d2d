# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Files of dialects: read, checked, and refused with the line where something is wrong."""
