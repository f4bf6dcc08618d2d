# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""A program that does nothing but what every training program does first."""

import torch
import torch._dynamo

print(torch.__version__)
