"""Only where torch is."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")
