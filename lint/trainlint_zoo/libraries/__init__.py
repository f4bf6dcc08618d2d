"""Networks that are built from libraries: tables, without torch."""
