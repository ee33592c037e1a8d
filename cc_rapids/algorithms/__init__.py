"""Designs by name, the rules of "auto", and the compilation and execution of a design.

Importing the package registers every choice: of :mod:`cc_rapids.kernels` first, and then of
:mod:`cc_rapids.algorithms.literature`, which nothing else imports.
"""

# isort: off
from .. import kernels
from . import literature
# isort: on

__all__ = ["kernels", "literature"]
