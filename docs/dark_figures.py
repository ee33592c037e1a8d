"""Give each figure of ``docs/figures`` a version for dark pages, which is made and not stored.

In the dark version each grey is turned around, black to white; other colours stay.
"""

import pathlib

from darken import darkened
from docutils import nodes
from sphinx.transforms import SphinxTransform

HERE = pathlib.Path(__file__).parent
LIGHT, DARK = HERE / "figures", HERE / "made" / "figures"


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
