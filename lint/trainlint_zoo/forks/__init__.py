"""Repositories of papers that train in a copy of BasicSR, and their networks' presets elsewhere."""
