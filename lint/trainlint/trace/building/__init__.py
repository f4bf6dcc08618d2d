# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Networks by their names in a config: where they come from, and what each refuses."""
