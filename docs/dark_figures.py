"""Give each figure of ``docs/figures`` a version for dark pages, which is made and not stored.

The figures are drawn in black, white and grey on nothing. In the dark version each grey is turned
around; other colours stay.
"""

import pathlib
import re

from docutils import nodes
from sphinx.transforms import SphinxTransform

HERE = pathlib.Path(__file__).parent
LIGHT, DARK = HERE / "figures", HERE / "made" / "figures"
GREY = re.compile(r"#([0-9a-fA-F]{2})\1\1\b")
BLACKEST = 0x13  # the background of dark pages: what is white on light ones


def darkened(svg):
    """Return a drawing with its greys turned around, black to white; other colours stay.

    What is drawn in SVG's default, black, gets its white from the root.
    """
    svg = GREY.sub(lambda grey: turned(int(grey[1], 16)), svg)
    return re.sub(r"<svg\b(?![^>]*\sfill=)", f'<svg fill="{turned(0)}"', svg, count=1)


def turned(grey):
    """Return the colour of a grey on a dark page."""
    value = 255 - round(grey * (255 - BLACKEST) / 255)
    return f"#{value:02x}{value:02x}{value:02x}"


def write():
    """Write the dark version of each figure, if it has changed, and remove others."""
    DARK.mkdir(parents=True, exist_ok=True)
    figures = {path.name: path for path in LIGHT.glob("*.svg")}
    for old in set(DARK.iterdir()) - {DARK / name for name in figures}:
        old.unlink()
    for name, path in figures.items():
        svg = darkened(path.read_text(encoding="utf-8"))
        made = DARK / name
        if not made.exists() or made.read_text(encoding="utf-8") != svg:
            made.write_text(svg, encoding="utf-8")


class BesideEachFigure(SphinxTransform):
    """Put the dark version behind each figure, and let the theme show one of the two."""

    default_priority = 400

    def apply(self, **kwargs):
        for image in list(self.document.findall(nodes.image)):
            folder, _, name = image["uri"].rpartition("/")
            if folder.endswith("figures") and (DARK / name).exists():
                dark = image.deepcopy()
                dark["uri"] = f"/made/figures/{name}"
                image["classes"] += ["only-light"]
                dark["classes"] += ["only-dark"]
                image.parent.insert(image.parent.index(image) + 1, dark)


def setup(app):
    """Register the transform."""
    app.connect("config-inited", lambda *_: write())
    app.add_transform(BesideEachFigure)
    return {"parallel_read_safe": True}
