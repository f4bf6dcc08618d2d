# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the files around a job install: requirements, conda environments, pyproject, setup.py, Dockerfiles."""

from trainlint.environment.around import Environment, environment_for, environment_of, share_environment
from trainlint.environment.package import PackageRequirement

__all__ = ["Environment", "PackageRequirement", "environment_for", "environment_of", "share_environment"]
