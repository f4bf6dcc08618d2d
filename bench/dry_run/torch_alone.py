# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A program that does nothing but what every training program does first."""

import torch

torch.optim.SGD([torch.zeros(1)], lr=0.1)
