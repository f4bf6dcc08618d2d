# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A report as one HTML file that needs no network: verdicts, a step's memory over time, the config."""
