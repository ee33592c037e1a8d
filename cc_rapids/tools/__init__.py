"""Tools beside the library: the command line, diagnosis, generators, benchmarks and charts."""
