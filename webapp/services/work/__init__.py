"""Kinds of work that a worker does, one file each."""
