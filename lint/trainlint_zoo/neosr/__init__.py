"""neosr."""
