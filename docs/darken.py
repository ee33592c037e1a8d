"""Turn a drawing for white pages into one for dark pages."""

import re

GREY = re.compile(r"#([0-9a-fA-F]{2})\1\1\b")
DARKEST = 0x13  # the background of dark pages: what is white on light ones


def darkened(svg):
    """Return a drawing with its greys turned around, black to white; other colours stay.

    What is drawn in SVG's default, black, gets its white from the root.
    """
    svg = GREY.sub(lambda grey: turned(int(grey[1], 16)), svg)
    return re.sub(r"<svg\b(?![^>]*\sfill=)", f'<svg fill="{turned(0)}"', svg, count=1)


def turned(grey):
    """Return the colour of a grey on a dark page."""
    value = 255 - round(grey * (255 - DARKEST) / 255)
    return f"#{value:02x}{value:02x}{value:02x}"
