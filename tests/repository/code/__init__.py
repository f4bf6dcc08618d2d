# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT
