# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The tensors of a tape: what each is for, who made it, and which of them are named."""
