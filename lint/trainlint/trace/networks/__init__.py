"""Architectures, one family per file: `BUILDERS` says which names a file builds (see signature.py)."""
