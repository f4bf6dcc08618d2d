# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What lies around a config, read and never run: its trainer, its Python, its requirements."""
