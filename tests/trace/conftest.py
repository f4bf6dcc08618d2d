# SPDX-FileCopyrightText: 2026 The trainlint authors
# SPDX-License-Identifier: MIT

"""Only where torch is."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")
