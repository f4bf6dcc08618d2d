"""GFPGAN."""
