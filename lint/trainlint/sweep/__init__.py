# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A sweep: what of a config is varied, and which combinations fail on a target before any is launched."""
