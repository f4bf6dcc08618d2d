# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""The dialects that trainlint ships, loaded once."""

from __future__ import annotations

import pytest

from trainlint.dialects import load_dialects


@pytest.fixture(scope="session")
def dialects():
    return load_dialects()


@pytest.fixture(scope="session")
def basicsr(dialects):
    return next(dialect for dialect in dialects if dialect.id == "basicsr")
