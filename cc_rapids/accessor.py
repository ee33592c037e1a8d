"""``import cc_rapids.accessor`` gives pandas and cuDF frames the accessor ``.cc``."""

from .integrations.accessor import Accessor, register

__all__ = ["Accessor", "register"]

register()
