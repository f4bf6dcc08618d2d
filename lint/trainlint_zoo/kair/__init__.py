"""KAIR."""
