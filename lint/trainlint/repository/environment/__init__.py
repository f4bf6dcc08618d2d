# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""What the files around a job install: requirements, conda environments, pyproject, setup.py, Dockerfiles."""

from trainlint.repository.environment.required_package import PackageRequirement
from trainlint.repository.environment.requirements_nearby import (
    Environment,
    environment_for,
    environment_of,
    share_environment,
)

__all__ = ["Environment", "PackageRequirement", "environment_for", "environment_of", "share_environment"]
