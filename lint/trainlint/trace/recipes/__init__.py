"""Training steps, one trainer per file: `RECIPES` says which names a file plays (see stage.py)."""
