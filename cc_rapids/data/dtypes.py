"""Predicates on types of arrays: those of NumPy, CuPy, pandas and cuDF.

Types of frame libraries also have a kind letter as in NumPy, but are not subtypes of NumPy's types.
For a type without such a letter, such as those of Polars, all predicates are False.
"""

from __future__ import annotations

from typing import Any


def is_integer(dtype: Any) -> bool:
    """Return whether a type holds integers, signed or not."""
    return getattr(dtype, "kind", "") in ("i", "u")


def is_signed(dtype: Any) -> bool:
    """Return whether a type holds signed integers."""
    return bool(getattr(dtype, "kind", "") == "i")


def is_float(dtype: Any) -> bool:
    """Return whether a type holds floating-point numbers."""
    return bool(getattr(dtype, "kind", "") == "f")


def is_complex(dtype: Any) -> bool:
    """Return whether a type holds complex numbers."""
    return bool(getattr(dtype, "kind", "") == "c")


def is_number(dtype: Any) -> bool:
    """Return whether a type holds integers or floating-point numbers."""
    return getattr(dtype, "kind", "") in ("i", "u", "f")


def is_boolean(dtype: Any) -> bool:
    """Return whether a type holds booleans."""
    return bool(getattr(dtype, "kind", "") == "b")


def is_time(dtype: Any) -> bool:
    """Return whether a type holds dates, times or differences of these."""
    return getattr(dtype, "kind", "") in ("m", "M")


def is_object(dtype: Any) -> bool:
    """Return whether a type holds references to Python's objects."""
    return bool(getattr(dtype, "kind", "") == "O")


def is_fixed_text(dtype: Any) -> bool:
    """Return whether a NumPy type holds strings of one width."""
    return bool(getattr(dtype, "kind", "") == "U")


def is_wide_text(dtype: Any) -> bool:
    """Return whether a NumPy type holds strings of any width."""
    return bool(getattr(dtype, "kind", "") == "T")


def is_text(dtype: Any) -> bool:
    """Return whether a NumPy type holds strings, of fixed or variable width."""
    return is_fixed_text(dtype) or is_wide_text(dtype)
