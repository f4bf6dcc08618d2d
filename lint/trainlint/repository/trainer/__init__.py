# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Which trainer will read a config, and what its own source says where it lies around the config."""

from trainlint.model.trainer import BY_SCHEMA, Named, Signs, Trainer
from trainlint.repository.trainer.identity import identify

__all__ = ["BY_SCHEMA", "Named", "Signs", "Trainer", "identify"]
