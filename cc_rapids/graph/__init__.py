"""The arrays of one run on a device: edges and rows, a forest, bits; and a bound of them."""
