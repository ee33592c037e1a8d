"""Memory of a run: device pools, pinned host memory, and arrays packed into one allocation."""
