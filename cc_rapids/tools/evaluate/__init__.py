"""Evaluation of designs on all graph files of a folder: a table, and the papers' figures."""

from .files import Source, sources
from .runs import Plan, evaluate
from .written import write

__all__ = ["Plan", "Source", "evaluate", "sources", "write"]
