"""Frozen networks whose features losses compare."""
