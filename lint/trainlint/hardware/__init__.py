# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""GPUs and targets, as gpus.toml and the user's own files describe them, or as this machine shows them."""

from trainlint.hardware.gpus_and_targets import Hardware, load_hardware
from trainlint.model.target import Gpu, Target

__all__ = ["Gpu", "Hardware", "Target", "load_hardware"]
