"""Edges that come in batches: one state, and the doors to it (batches, streams, thresholds)."""
