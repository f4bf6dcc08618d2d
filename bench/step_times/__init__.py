# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Measured step and loading times, and the factors of the time estimate fitted to them."""
