# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Networks of traiNNer-redux that attend in windows or by channels."""
