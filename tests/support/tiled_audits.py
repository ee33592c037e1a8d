"""Audits that begin with tiles, of lists of any length."""

from cc_rapids.verify import audit


def begin_with_tiles(monkeypatch):
    """Of a few ids each, where the edges are not read in chunks."""
    monkeypatch.setattr(audit, "TILED", 1)
    monkeypatch.setattr(audit, "tiles_pay", lambda order, n: n > 0)
    monkeypatch.setattr(audit, "WINDOW", 5)
