# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What is done before anything else is imported: the path, the streams, arguments that are files."""
