"""Predicates on the types of arrays and columns of NumPy, CuPy, pandas and cuDF.

The predicates read ``dtype.kind``, a letter that types of pandas and cuDF have, too. For a type
without this letter, such as a type of Polars, all predicates are False.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def _predicate(letters: str) -> Callable[[Any], bool]:
    """Return a function that tells whether a type has one of these kind letters."""
    kinds = frozenset(letters)
    return lambda dtype: getattr(dtype, "kind", "") in kinds


is_integer = _predicate("iu")
is_signed = _predicate("i")
is_float = _predicate("f")
is_complex = _predicate("c")
is_number = _predicate("iuf")
is_boolean = _predicate("b")
is_time = _predicate("mM")  # dates, times and differences of these
is_object = _predicate("O")  # references to Python's objects
is_fixed_text = _predicate("U")  # NumPy's strings of one width
is_wide_text = _predicate("T")  # NumPy's strings of any width
is_text = _predicate("UT")
