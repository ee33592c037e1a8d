"""Encodings of integer ids that tests force, whatever would be chosen."""

ENCODINGS = {
    "offset": "OffsetEncoding",
    "bit map": "BitmapEncoding",
    "bit map, paged": "PagedEncoding",
    "hash slots": "HashEncoding",
    "sorted ids": "SortedEncoding",
}


def force_encoding(monkeypatch, name):
    """Encode integers in one way alone."""
    from cc_rapids.ids import encode

    others = (encode.StringEncoding(),)
    if name == "bit map, paged":
        monkeypatch.setattr(encode, "_page_shift", lambda size, facts: 4 * facts.are_integers)
        others = encode.HashEncoding(), *others  # for ids whose pages are not counted
    monkeypatch.setattr(encode, "SMALL_RANGE", 0)  # ids in such a range are not ranked otherwise
    monkeypatch.setattr(encode, "ENCODINGS", (getattr(encode, ENCODINGS[name])(), *others))
