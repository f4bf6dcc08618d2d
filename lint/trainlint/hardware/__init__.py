# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""GPUs and targets, as gpus.toml and the user's own files describe them, or as this machine shows them."""

from trainlint.hardware.catalogue import Hardware, load_hardware
from trainlint.hardware.model import Gpu, Target

__all__ = ["Gpu", "Hardware", "Target", "load_hardware"]
