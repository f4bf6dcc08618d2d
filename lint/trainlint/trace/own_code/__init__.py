# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A repository's own networks and model classes: imported, built and traced with the user's permission."""
