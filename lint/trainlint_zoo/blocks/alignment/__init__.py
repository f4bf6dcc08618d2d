# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Frames and features aligned: optical flow, deformable convolutions."""
