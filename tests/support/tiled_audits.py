"""Audits that begin with tiles, of lists of any length."""

from cc_rapids.verify import audit


def begin_with_tiles(monkeypatch, tuned):
    """Of a few ids each, where the edges are not read in chunks."""
    tuned(tiled_audit_edges=1, audit_block_vertices=5)
    monkeypatch.setattr(audit, "blocks_pay", lambda order, n: n > 0)
