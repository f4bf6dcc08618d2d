"""BasicSR (and Real-ESRGAN, which is built on it)."""
