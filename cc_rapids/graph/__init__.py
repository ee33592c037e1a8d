"""Arrays of one run on a device: edges, rows, a forest and bit sets; and a bound on memory."""
