"""What trainlint refuses to read, so that no input can cost it the machine."""

from __future__ import annotations

FILE_BYTES = 10_000_000
"""The largest published training config is under 100 KB; ten megabytes is a data file."""

NOTEBOOK_BYTES = 100_000_000
"""Notebooks carry their outputs, images included; only their code cells are read."""

DEPTH = 100
"""Published configs nest 8 deep. libyaml overflows the C stack near 100,000 (measured), Python's own
recursion limit is 1,000 frames, and whoever walks a document (validators, JSON) spends several a level."""

VALUES = 100_000
"""Values in one file, aliases expanded: the largest published config holds about 3,000."""

NUMBER_CHARACTERS = 1_000
"""A longer number is an attack on int() (quadratic in YAML 1.1's base 60), not a setting."""

TOML_CHARACTERS = 2_000_000
"""tomllib is Python: about a second a megabyte on a slow machine; the largest neosr config is 6 KB."""
