"""Building blocks that networks are composed of."""
