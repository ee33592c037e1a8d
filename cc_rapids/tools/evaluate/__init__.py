"""Evaluate designs on all graph files of a folder, with a table and the figures of papers."""

from .files import Source, sources
from .runs import Plan, evaluate
from .written import write

__all__ = ["Plan", "Source", "evaluate", "sources", "write"]
