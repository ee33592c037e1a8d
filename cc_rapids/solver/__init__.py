"""Solving one edge list: scan and encode its ids, choose a design, run it; and the plan."""
