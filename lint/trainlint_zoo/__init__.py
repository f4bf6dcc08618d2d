# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Published networks and training steps, in folders by the trainer that they come from.

Files under a folder `networks` say in `BUILDERS` which names they build (trainlint/catalogue/signature.py),
files under a folder `recipes` in `RECIPES` which training steps they play (trainlint/trace/stage.py).
"""
