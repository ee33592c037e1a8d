"""Arrays of one run on a device: edges, rows, a forest, bit sets; and a bound on their memory."""
