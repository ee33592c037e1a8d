"""Encodings of the caller's ids as vertices 0 .. n - 1, and back."""
