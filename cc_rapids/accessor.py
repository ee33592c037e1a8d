"""``import cc_rapids.accessor`` gives pandas, cuDF and Polars frames the accessor ``.cc``."""

from .integrations.accessor import Accessor, register
from .integrations.lazy import LazyAccessor

__all__ = ["Accessor", "LazyAccessor", "register"]

register()
