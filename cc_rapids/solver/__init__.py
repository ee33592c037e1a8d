"""One solve of one edge list: scan its ids, encode them, decide on a design, run; and the plan."""
