"""Audit: an answer proved from the edges alone, on the engine that holds it."""

from .audited import Audited
from .proof import Audit

__all__ = ["Audit", "Audited"]
