"""Solve one edge list: scan and encode its ids, choose a plan, and run it."""
