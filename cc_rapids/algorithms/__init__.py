"""Designs by name, the rules of "auto", and the compilation and execution of a design.

Importing this package registers every rule: first those of :mod:`cc_rapids.kernels`, then those of
:mod:`cc_rapids.algorithms.literature`. No other module imports the package ``literature``.
"""

# isort: off
from .. import kernels
from . import literature
# isort: on

__all__ = ["kernels", "literature"]
