"""The H/E format of the course behind this project: ``H n m u``, then lines ``E u v weight``."""

from ..delimited import Dialect
from ..numbered import Layout
from . import Format

LAYOUT = Layout(
    dialect=Dialect(" ", b"#%"),
    first=0,
    tags={"H": "E"},
    header=r"(?P<kind>H) (?P<n>\S+) (?P<m>\S+) [01]",
    expected="'H <nodes> <edges> <1 if undirected, else 0>'",
    written="H {n} {m} 1",
)
STARTS = rb"H \d+ \d+ [01]\s*\nE \d"
FORMATS = (Format("he", (".he",), STARTS, read=LAYOUT.read, write=LAYOUT.write, first=0),)
