"""BasicSR before it was a package, as ClassSR has it."""
