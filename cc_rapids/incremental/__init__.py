"""Edges that arrive in batches: one state, with interfaces for batches, streams and thresholds."""
