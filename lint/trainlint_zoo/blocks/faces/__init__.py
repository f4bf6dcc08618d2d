# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What restores faces: StyleGAN2 and what conditions it."""
