"""The arrays of one run on a device: edges, rows, a forest, bits; and a bound on their memory."""
