"""Trainers that train one network each."""
