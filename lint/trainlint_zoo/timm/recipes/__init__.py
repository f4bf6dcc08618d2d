"""Training steps; see trainlint_zoo."""
