"""Drop-in replacements for functions of ``scipy.sparse.csgraph``, on a GPU or CPU threads."""

from .integrations.scipy import connected_components, minimum_spanning_tree

__all__ = ["connected_components", "minimum_spanning_tree"]
