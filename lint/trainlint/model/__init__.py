# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What travels from room to room: documents, jobs, specs, machines, facts, findings. Nothing here acts."""
