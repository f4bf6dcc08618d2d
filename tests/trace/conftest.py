"""Only where torch is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
