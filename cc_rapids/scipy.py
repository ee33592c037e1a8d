"""Functions of ``scipy.sparse.csgraph`` under SciPy's names, on a GPU or on CPU threads."""

from .integrations.scipy import connected_components, minimum_spanning_tree

__all__ = ["connected_components", "minimum_spanning_tree"]
