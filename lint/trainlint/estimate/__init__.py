"""What a run needs on a target: arithmetic over a spec and its tape, without torch."""
