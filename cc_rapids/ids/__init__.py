"""Encodings: from the ids of a caller to vertices 0 .. n - 1 and back, one file a way."""
