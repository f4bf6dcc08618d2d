"""timm's train.py and benchmark.py."""
