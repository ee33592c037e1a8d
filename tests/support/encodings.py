"""Encodings of integer ids that tests force, whatever would be chosen."""

ENCODINGS = {
    "offset": "OffsetEncoding",
    "bit map": "BitmapEncoding",
    "hash slots": "HashEncoding",
    "sorted ids": "SortedEncoding",
}


def force_encoding(monkeypatch, name):
    """Encode integers in one way alone."""
    from cc_rapids.ids import encode

    others = encode.StringEncoding(), encode.MultiColumnEncoding()
    monkeypatch.setattr(encode, "ENCODINGS", (getattr(encode, ENCODINGS[name])(), *others))
