"""Networks; see trainlint_zoo."""
