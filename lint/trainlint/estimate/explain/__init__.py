# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What `explain` shows: the bytes of a peak, the step as a curve, the allocator's history."""
