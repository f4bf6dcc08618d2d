# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Blueprints: the steps of all models that are built alike, from the tapes of a few small ones."""
