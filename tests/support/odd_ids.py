"""Ids that are text, among them those that files of text most easily give back as other ids.

No two of them are the header of a file that is written here, which is refused as an edge.
"""

from hypothesis import strategies as st

ODD = (
    " x", "x ", "\tx", "x\t", " ", "\t", "", "x y", 'say "hi"', '"', '""', '"x"', ",", "a,b",
    "a\tb", "a\nb", "\n", "a\r\nb", "a\rb", "\r", "\v", "\f", "a\x1cb", "\x1d", "\x1e", "\x85",
    "a\u2028b", "\u2029", "\xa0x", "\x00", "a\x00", "\ufeff", "\ufeffx", "#x", "%x", "01", "1",
    "-0", "+5", "1.5", "1e5", "NULL", "\\N", "nan", "NaN", "None", "NA", "src", "vertex",
    "\U0001f600", "e\u0301", "\u00e9", "x" * 600, "-1", str(2**63), str(2**64 - 1), "\\",
    "'", "\x7f", "\ue000", "\uffff",
)  # fmt: skip
IDS = st.one_of(
    st.sampled_from(ODD),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
    st.text(' \t\r\n",#%1\x00\ufeffa', max_size=4),
    st.integers(-3, 120).map(str),
)
