"""Audits that begin with tiles, of lists of any length."""

from cc_rapids import Design
from cc_rapids.audit import run


def begin_with_tiles(monkeypatch):
    """Of a few ids each, where the edges are not read in chunks."""
    monkeypatch.setattr(run, "in_order", lambda ends, n, engine: ends.m > 0)
    monkeypatch.setattr("cc_rapids.audit.tiled.TILES", Design("none(tiles=5)"))
