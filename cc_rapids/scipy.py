"""``scipy.sparse.csgraph.connected_components`` under SciPy's name, on a GPU or on CPU threads."""

from .integrations.scipy import connected_components

__all__ = ["connected_components"]
