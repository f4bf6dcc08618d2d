# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Recorded runs kept in the project, and the facts that check takes from them."""
