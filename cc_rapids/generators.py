"""Seeded generators of graphs with known components."""

from .tools.generators import *  # noqa: F403
from .tools.generators import __all__ as __all__
