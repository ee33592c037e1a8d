"""Audits that begin with tiles, of lists of any length."""

from cc_rapids.audit import ways


def begin_with_tiles(monkeypatch):
    """Of a few ids each, where the edges are not read in chunks."""
    monkeypatch.setattr(ways, "TILED", 1)
    monkeypatch.setattr(ways, "tiles_pay", lambda order, n: n > 0)
    monkeypatch.setattr(ways, "WINDOW", 5)
