"""Tools beside the library: the command line, the doctor, generators, benchmarks, charts."""
