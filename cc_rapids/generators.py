"""Seeded graphs with known components, from :mod:`cc_rapids.tools.generators`."""

from .tools.generators import *  # noqa: F403
from .tools.generators import __all__ as __all__
