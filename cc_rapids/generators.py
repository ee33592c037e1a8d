"""Seeded graphs with known answers: what :mod:`cc_rapids.tools.generators` holds."""

from .tools.generators import *  # noqa: F403
from .tools.generators import __all__ as __all__
