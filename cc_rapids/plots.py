"""Plots of answers, streams and measured times with matplotlib, readable without colour.

Each function draws on ``axes``, or on a new figure by default, and returns the axes. The functions
need the extra ``plot``: ``pip install '.[plot]'`` in a checkout.

>>> import cc_rapids
>>> found = cc_rapids.components(([5, 2, 9], [2, 7, 9]))
>>> axes = cc_rapids.plots.sizes(found)
>>> axes.get_title()
'2 components of 4 vertices'
"""

from .analysis.plots import component, growth, largest, scores, sizes
from .tools.charts import CARDS, Card, times

__all__ = ["CARDS", "Card", "component", "growth", "largest", "scores", "sizes", "times"]
